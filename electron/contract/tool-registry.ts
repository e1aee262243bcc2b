import { z } from 'zod'
import { DangerClass, JsonSchema, SpeechHints, ToolName, ToolOrigin, ToolVersion } from './tool.ts'

/** What a draft holds and a published version freezes: everything but its number and its life cycle. */
export const ToolContent = z.object({
  description: z.string().max(2000),
  arguments: JsonSchema,
  result: JsonSchema.nullable(),
  danger: DangerClass,
  idempotent: z.boolean(),
  timeoutMs: z.number().int().min(100).max(60_000),
  speech: SpeechHints,
})
export type ToolContent = z.infer<typeof ToolContent>

/**
 * A person's unpublished text. Each person has an own draft of a tool; `revision` grows with every save, and a save
 * that names an older one is refused (`tool-draft-changed`). `basedOn`: the published version it was opened from.
 */
export const ToolDraft = z.object({
  id: z.string(),
  name: ToolName,
  author: z.string(),
  basedOn: z.number().int().nullable(),
  revision: z.number().int(),
  content: ToolContent,
  updatedAt: z.number(),
})
export type ToolDraft = z.infer<typeof ToolDraft>

/** How a version came to be and to whom it is given; the version itself never changes. */
export const ToolRelease = z.object({
  name: ToolName,
  version: z.number().int(),
  author: z.string(),
  note: z.string().max(500),
  basedOn: z.number().int().nullable(),
  publishedAt: z.number(),
  /** Not empty: only these devices get it, all others the newest version that is for everybody. */
  canary: z.array(z.string()).max(64),
  replacement: ToolName.nullable(),
})
export type ToolRelease = z.infer<typeof ToolRelease>

export const ChangeLevel = z.enum(['breaking', 'risky', 'safe'])
export type ChangeLevel = z.infer<typeof ChangeLevel>

/** One difference in meaning. `path` is a JSON Pointer into the content; `code` names the rule, in both languages. */
export const ToolChange = z.object({
  level: ChangeLevel,
  path: z.string(),
  code: z.string(),
  before: z.unknown(),
  after: z.unknown(),
})
export type ToolChange = z.infer<typeof ToolChange>

/** `error` stops a publish; `warning` and `hint` do not. `detail` fills the message of `code`. */
export const ToolLint = z.object({
  severity: z.enum(['error', 'warning', 'hint']),
  code: z.string(),
  path: z.string(),
  detail: z.record(z.string(), z.union([z.string(), z.number()])),
})
export type ToolLint = z.infer<typeof ToolLint>

/** What a publish would do. `theirs` is set when another version was published since `basedOn`: nothing is overwritten. */
export const ToolReview = z.object({
  changes: z.array(ToolChange),
  lints: z.array(ToolLint),
  /** Tokens that the tool costs a model in every turn, estimated, and of all tools of the busiest device. */
  tokens: z.object({ tool: z.number().int(), all: z.number().int() }),
  conflict: z
    .object({ base: ToolContent.nullable(), theirs: ToolContent, theirVersion: z.number().int(), author: z.string() })
    .nullable(),
})
export type ToolReview = z.infer<typeof ToolReview>

/** A saved test call: run against the stub at each publish. `expect` null: the call must be accepted. */
export const ToolCase = z.object({
  title: z.string().min(1).max(80),
  arguments: z.record(z.string(), z.unknown()),
  expect: z.enum(['accepted', 'refused']),
})
export type ToolCase = z.infer<typeof ToolCase>
export const ToolCaseResult = z.object({ title: z.string(), passed: z.boolean(), message: z.string() })
export type ToolCaseResult = z.infer<typeof ToolCaseResult>

/** One row of the tool list. `published`: what devices are given; `canary`: some get a newer one. `calls`, `failed`: of the last 7 days. */
export const ToolSummary = z.object({
  name: ToolName,
  description: z.string(),
  origin: ToolOrigin,
  danger: DangerClass,
  published: z.number().int().nullable(),
  versions: z.number().int(),
  drafts: z.number().int(),
  canary: z.boolean(),
  deprecated: z.boolean(),
  enabled: z.boolean(),
  provider: z.string().nullable(),
  calls: z.number().int(),
  failed: z.number().int(),
})
export type ToolSummary = z.infer<typeof ToolSummary>

export const ToolDetail = z.object({
  name: ToolName,
  enabled: z.boolean(),
  /** The version that devices are given, trials apart. Not always the newest: a trial may have been withdrawn. */
  current: z.number().int().nullable().optional(),
  versions: z.array(ToolVersion),
  releases: z.array(ToolRelease),
  drafts: z.array(ToolDraft),
  cases: z.array(ToolCase),
  usage: z.array(z.object({ version: z.number().int(), calls: z.number().int(), ok: z.number().int() })),
})
export type ToolDetail = z.infer<typeof ToolDetail>

/** Who asked for a call. `client`: an outside AI program; `clock`: a timer that came due. */
export const Caller = z.object({
  kind: z.enum(['turn', 'person', 'client', 'clock', 'uart', 'test']),
  /** Turn id, account name, client id or timer id. */
  id: z.string(),
  /** What a person calls it, where that is another word: the name of a client's token. */
  name: z.string().optional(),
})
export type Caller = z.infer<typeof Caller>

/** One line of the audit: every call, whoever made it. `result` is cut at 8 KiB. */
export const ToolAudit = z.object({
  id: z.string(),
  at: z.number(),
  durationMs: z.number(),
  deviceId: z.string(),
  ref: z.string(),
  caller: Caller,
  arguments: z.record(z.string(), z.unknown()),
  outcome: z.enum(['ok', 'refused', 'failed', 'timeout', 'cancelled']),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  result: z.unknown(),
  consentId: z.string().nullable(),
})
export type ToolAudit = z.infer<typeof ToolAudit>

/** A destructive call that waits for a person: bound to device, tool, version and arguments; once, for 60 s. */
export const ConsentRequest = z.object({
  id: z.string(),
  deviceId: z.string(),
  deviceName: z.string(),
  ref: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  caller: Caller,
  askedAt: z.number(),
  expiresAt: z.number(),
  state: z.enum(['waiting', 'granted', 'refused', 'expired', 'used']),
  /** Account name, or `voice`. */
  answeredBy: z.string().nullable(),
})
export type ConsentRequest = z.infer<typeof ConsentRequest>

/** What "five phrasings" came to: which tool each would call. */
export const MatcherAnswer = z.object({
  phrase: z.string(),
  language: z.enum(['en', 'zh']),
  chosen: z.string().nullable(),
  arguments: z.record(z.string(), z.unknown()).nullable(),
  confidence: z.number(),
  /** It chose the tool that was asked about. */
  hit: z.boolean(),
})
export type MatcherAnswer = z.infer<typeof MatcherAnswer>

/** A tool found in a file or at a server, not yet in the registry. `problem`: an error code when it cannot be taken. */
export const ImportCandidate = z.object({
  name: z.string(),
  content: ToolContent.nullable(),
  problem: z.string().nullable(),
  /** A tool of this name exists: importing opens a draft of its next version. */
  known: z.boolean(),
})
export type ImportCandidate = z.infer<typeof ImportCandidate>
