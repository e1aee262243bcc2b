import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { z } from 'zod'
import { AppError } from '../base/app-error.ts'

/** Everything that the server is told at its start. Ports: 0 = any free one. */
export const ServerConfig = z.object({
  dataDir: z.string().refine(isAbsolute, 'must be absolute'),
  /** Address of the TLS listener; the plain one is always bound to loopback. */
  host: z.union([z.ipv4(), z.ipv6(), z.literal('localhost')]),
  port: z.number().int().min(0).max(65_535),
  loopbackPort: z.number().int().min(0).max(65_535),
  enrol: z.enum(['open', 'approve', 'claim']),
  /** Refuse every connection to the outside. Nothing of the embedded set makes one. */
  offline: z.boolean(),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']),
  /** Life of a board's token, iotta-protocol §2: 5 minutes to 30 days. */
  tokenMinutes: z
    .number()
    .min(5)
    .max(30 * 24 * 60),
  /** Opus threads; 0 = one a core. */
  codecWorkers: z.number().int().min(0).max(64),
  /** Pages of 4 KiB that history.db may grow to; 0 = no limit but the disk. */
  historyMaxPages: z.number().int().min(0),
  /** Days that turns are kept (reliability.md C 58: 30 by default); 0 = for ever. */
  historyDays: z.number().int().min(0).max(36_500),
})
export type ServerConfig = z.infer<typeof ServerConfig>

/** As a caller gives them: what is absent or undefined has a default. */
export type ServerOptions = { readonly [K in keyof ServerConfig]?: ServerConfig[K] | undefined }

export type Environment = Readonly<Record<string, string | undefined>>

export const defaultPorts = { https: 8443, loopback: 8480 } as const

/** Options win over the environment, the environment over the defaults. Throws server-bad-config naming the setting. */
export function readConfig(options: ServerOptions, env: Environment): ServerConfig {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const parsed = ServerConfig.safeParse({
    host: '::',
    port: defaultPorts.https,
    loopbackPort: defaultPorts.loopback,
    enrol: 'approve',
    offline: false,
    logLevel: env['ROOST_LOG'] ?? 'info',
    tokenMinutes: 24 * 60,
    codecWorkers: 0,
    historyMaxPages: 0,
    historyDays: 30,
    ...given,
    dataDir: resolve(options.dataDir ?? env['ROOST_DATA'] ?? defaultDataDir(env)),
  })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new AppError(
    'server-bad-config',
    `${issue?.path.join('.') ?? 'configuration'}: ${issue?.message ?? 'not valid'}`,
  )
}

/** Nobody but this machine can reach the TLS listener. */
export function isLoopbackHost(host: string): boolean {
  return host === '127.0.0.1' || host === '::1' || host === 'localhost'
}

/** The system's place for application data (contracts §3). */
export function defaultDataDir(env: Environment): string {
  if (process.platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'Roost')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Roost')
  return join(env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'roost')
}

/** What a program gets that the house starts for a person, an outside MCP server: enough to run, and no secret of ours. */
export function inheritedEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE']
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}
