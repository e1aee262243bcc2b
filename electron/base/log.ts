import pino from 'pino'

export type LogFields = Readonly<Record<string, unknown>>

/** One line = one fact: `namespace` first, values as fields. Never audio, keys or whole transcripts. */
export interface Log {
  child(namespace: string, fields?: LogFields): Log
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** Values under these names are masked at any of the depths that our lines use. */
const secretKeys = [
  'authorization',
  'cookie',
  'token',
  'claim',
  'request',
  'password',
  'secret',
  'setupUrl',
  'sec-websocket-protocol',
]
const redactPaths = secretKeys.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`])

export interface LogTarget {
  write(line: string): void
}

/** Lines are JSON on the given target (standard error by default: standard output belongs to machine output). */
export function createLog(options: { level?: string; target?: LogTarget } = {}): Log {
  const target = options.target ?? { write: (line: string) => void process.stderr.write(line) }
  const root = pino(
    {
      level: options.level ?? 'info',
      base: null,
      redact: { paths: redactPaths, censor: '[secret]' },
      serializers: { error: pino.stdSerializers.errWithCause, cause: pino.stdSerializers.errWithCause },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    target,
  )
  return wrap(root)
}

function wrap(line: pino.Logger): Log {
  return {
    child: (namespace, fields = {}) => wrap(line.child({ ns: namespace, ...fields })),
    debug: (message, fields = {}) => line.debug(fields, message),
    info: (message, fields = {}) => line.info(fields, message),
    warn: (message, fields = {}) => line.warn(fields, message),
    error: (message, fields = {}) => line.error(fields, message),
  }
}

export const silentLog: Log = {
  child: () => silentLog,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
