import { z } from 'zod'

/** A JSON Schema 2020-12 document; ajv on the server is what reads it. */
export const JsonSchema = z.record(z.string(), z.unknown())
export type JsonSchema = z.infer<typeof JsonSchema>

/** `read` changes nothing; `harmless` is undone by a word; `physical` moves something; `destructive` needs a human yes. */
export const DangerClass = z.enum(['read', 'harmless', 'physical', 'destructive'])
export type DangerClass = z.infer<typeof DangerClass>

/** What a person may call the tool or one of its parameters or enum values, per language. First = the name to show. */
export const SpokenNames = z.object({
  en: z.array(z.string().min(1).max(60)).max(20).default([]),
  zh: z.array(z.string().min(1).max(60)).max(20).default([]),
})
export type SpokenNames = z.infer<typeof SpokenNames>

/**
 * What a voice needs to know about a tool. `target`: the thing acted on ("lamp", 灯). `parameters.<name>`: names of the
 * parameter. `values.<name>.<enum value>`: names of an enum value. `reply`: sentences that are spoken after a good
 * call, with {name} filled from arguments and result. A string parameter's JSON Schema `format` says what a gap of
 * `phrases` takes: `duration` (ISO 8601), `time`, `date`, `date-time` (local wall times without a zone), `arithmetic`,
 * `tool-call` (an object: another command of the same device); without a format it is free text.
 */
export const SpeechHints = z.object({
  target: SpokenNames.default({ en: [], zh: [] }),
  parameters: z.record(z.string(), SpokenNames).default({}),
  values: z.record(z.string(), z.record(z.string(), SpokenNames)).default({}),
  reply: z.record(z.string(), z.object({ en: z.string(), zh: z.string() })).default({}),
  /**
   * Whole sentences that mean this tool, with `{parameter}` gaps: "set a timer for {duration}". Notation of the
   * sentence table: words, `(a | b)`, `[optional]`. The first two of English without a free text are also heard.
   */
  phrases: z
    .object({
      en: z.array(z.string().min(1).max(300)).max(40),
      zh: z.array(z.string().min(1).max(300)).max(40),
    })
    .optional(),
})
export type SpeechHints = z.infer<typeof SpeechHints>

export const ToolName = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/)

/** Who brought a version. `thing`: made from a Thing's model. `mcp`: told by an outside MCP server. */
export const ToolOrigin = z.enum(['born', 'board', 'person', 'thing', 'uart', 'builtin', 'mcp'])
export type ToolOrigin = z.infer<typeof ToolOrigin>

/** One immutable published version, or a draft. */
export const ToolVersion = z.object({
  name: ToolName,
  version: z.number().int().min(1),
  status: z.enum(['draft', 'published', 'deprecated']),
  description: z.string().max(2000),
  arguments: JsonSchema,
  result: JsonSchema.nullable(),
  danger: DangerClass,
  idempotent: z.boolean(),
  timeoutMs: z.number().int().min(100).max(120_000),
  speech: SpeechHints,
  createdAt: z.number(),
  origin: ToolOrigin,
})
export type ToolVersion = z.infer<typeof ToolVersion>

/** How `name@version` is written everywhere: turns, logs, the console. */
export function toolRef(tool: Pick<ToolVersion, 'name' | 'version'>): string {
  return `${tool.name}@${tool.version}`
}

/** A Thing that is tried before it is published has tools of versions from here on; no other number gets so high. */
export const draftToolVersions = 1_000_000

/** A ref as people read it: `set_lamp@3`, and `set_lamp (draft)` of what is only being tried. */
export function refLabel(ref: string): string {
  const at = ref.lastIndexOf('@')
  return at > 0 && Number(ref.slice(at + 1)) > draftToolVersions ? `${ref.slice(0, at)} (draft)` : ref
}

/** Where a call goes: `declared` and `listed` are the board itself, named in one of two ways (iotta-protocol.md §4). */
export const ToolSource = z.enum(['declared', 'listed', 'thing', 'uart', 'builtin', 'mcp'])
export type ToolSource = z.infer<typeof ToolSource>

/**
 * A tool as one device offers it. Callable = `reachable`, with a published `tool`, and `withheld` null. `withheld` says
 * why no voice may call it here: switched off, not on a list of its agent, class or device, its name is taken by
 * another, or it is for people alone (firmware, pairing, tokens, deletion; reliability.md C 44).
 */
export const DeviceTool = z.object({
  name: z.string(),
  tool: ToolVersion.nullable(),
  reachable: z.boolean(),
  source: ToolSource,
  /** Which Thing, MCP server or serial port, as a person knows it; null for the board and for built-ins. */
  provider: z.string().nullable(),
  /** Answers of this board that nobody waited for since the server began (late, doubled, invented); absent: none. */
  lateAnswers: z.number().int().min(1).optional(),
  withheld: z.enum(['disabled', 'agent', 'class', 'device', 'name-taken', 'people']).nullable(),
})
export type DeviceTool = z.infer<typeof DeviceTool>

export const ToolOutcome = z.enum(['ok', 'refused', 'failed', 'timeout', 'cancelled'])
export type ToolOutcome = z.infer<typeof ToolOutcome>

/** One call, as a turn or a person made it. Times are ms since epoch. */
export const ToolCall = z.object({
  ref: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  outcome: ToolOutcome,
  result: z.unknown().optional(),
  errorCode: z.string().optional(),
  errorMessage: z.string().optional(),
  /** The request that waits for a person's yes, or that gave it. */
  consentId: z.string().optional(),
  startedAt: z.number(),
  endedAt: z.number(),
})
export type ToolCall = z.infer<typeof ToolCall>
