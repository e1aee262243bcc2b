import { isErrorCode, type ErrorCode } from '../../electron/contract/errors.ts'

/** What a screen shows of anything that failed. `message` is English and names the values; the code picks the text. */
export interface Problem {
  readonly code: ErrorCode
  readonly message: string
}

const codeOf = (value: unknown): ErrorCode | null => (typeof value === 'string' && isErrorCode(value) ? value : null)

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined
}

/** The socket closed below the call: oRPC says so with an AbortError about its own queue. */
function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    error.name === 'AbortError' ||
    error instanceof TypeError ||
    /websocket is not open|queue|closed/i.test(error.message)
  )
}

/** Anything thrown by a call becomes a code that the console has a text for. */
export function toProblem(error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error)
  const code = codeOf(fieldOf(fieldOf(error, 'data'), 'code')) ?? codeOf(fieldOf(error, 'code'))
  if (code) return { code, message }
  if (isConnectionLoss(error)) return { code: 'console-connection-lost', message }
  const status = fieldOf(error, 'status')
  if (status === 400) return { code: 'server-bad-request', message }
  if (status === 401) return { code: 'console-sign-in-needed', message }
  if (status === 404) return { code: 'server-not-found', message }
  return { code: 'server-internal', message }
}
