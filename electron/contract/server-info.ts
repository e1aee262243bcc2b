import { z } from 'zod'

export const EngineStatus = z.object({
  role: z.enum(['hear', 'think', 'speak', 'vad', 'codec', 'flasher']),
  name: z.string(),
  languages: z.array(z.enum(['en', 'zh'])),
  state: z.enum(['ready', 'starting', 'stopped', 'missing']),
  /** An error code when it is not ready. */
  code: z.string().nullable(),
})
export type EngineStatus = z.infer<typeof EngineStatus>

/** `code` is an error code; `detail` a value such as an address or a time. */
export const ServerWarning = z.object({ code: z.string(), detail: z.string() })
export type ServerWarning = z.infer<typeof ServerWarning>

export const ServerOverview = z.object({
  version: z.string(),
  node: z.string(),
  platform: z.string(),
  startedAt: z.number(),
  uptimeMs: z.number(),
  dataDir: z.string(),
  addresses: z.array(z.string()),
  ports: z.object({ https: z.number().int(), loopback: z.number().int() }),
  consoleUrls: z.array(z.string()),
  caFingerprint: z.string(),
  certificateExpiresAt: z.number(),
  rssBytes: z.number(),
  loopDelayP99Ms: z.number(),
  devices: z.number().int(),
  online: z.number().int(),
  talking: z.number().int(),
  turnsStored: z.number().int(),
  databaseBytes: z.number(),
  engines: z.array(EngineStatus),
  warnings: z.array(ServerWarning),
  /** What the last start found: a clean stop, or that the process before was killed (and what was recovered). */
  lastStop: z.enum(['first-start', 'clean', 'unclean']),
  enrolment: z.object({ mode: z.enum(['open', 'approve', 'claim']), openUntil: z.number().nullable() }),
  listeningOnLan: z.boolean(),
})
export type ServerOverview = z.infer<typeof ServerOverview>

export const Account = z.object({ name: z.string(), role: z.enum(['owner']) })
export type Account = z.infer<typeof Account>

/** GET /auth/state, without login: what the page needs to choose its first screen. */
export const AuthState = z.object({ setupNeeded: z.boolean(), account: Account.nullable(), version: z.string() })
export type AuthState = z.infer<typeof AuthState>
