import type { Announced } from '../../../contract/conversation.ts'
import type { ToolCall, ToolVersion } from '../../../contract/tool.ts'
import type { Caller, ToolContent } from '../../../contract/tool-registry.ts'

export interface BuiltinCall {
  readonly deviceId: string
  readonly language: 'en' | 'zh'
  readonly signal: AbortSignal
  readonly caller: Caller
}

/** One built-in tool: what is said of it, and what it does. */
export interface BuiltinTool {
  readonly name: string
  readonly content: ToolContent
  /** Off in a fresh installation: a person switches it on in the tool's settings. */
  readonly startsOff?: boolean
  /** Offered on this device now; without it always. */
  readonly isOffered?: (deviceId: string) => boolean
  /** Rejects tool-… and helper-… codes; the message is told to the model. */
  readonly run: (args: Readonly<Record<string, unknown>>, call: BuiltinCall) => Promise<Record<string, unknown>>
}

/** What the tools need of the rest of the server; joined in the roots. */
export interface BuiltinPorts {
  /** Ms since epoch of the computer's clock, which people set: what "at seven" means. */
  readonly wall: () => number
  /** IANA zone of this computer now. */
  readonly zone: () => string
  /** 0 … 1, as Math.random. */
  readonly random: () => number
  /** Those that the caller may reach: an outside program can be bound to some devices. */
  readonly boards: (caller: Caller) => Promise<readonly Board[]>
  /** It has a session and would hear us. */
  readonly isPresent: (deviceId: string) => boolean
  /** Speaks on the board when it is idle. */
  readonly announce: (deviceId: string, text: string, announced: Announced) => Told
  readonly playSound: (deviceId: string, sound: Sound) => Promise<SoundEnd>
  readonly identify: (deviceId: string) => void
  readonly callTool: (request: {
    readonly deviceId: string
    readonly name: string
    readonly arguments: Readonly<Record<string, unknown>>
    readonly caller: Caller
  }) => Promise<ToolCall>
  /** The language of the turn that asked. */
  readonly languageOf: (turnId: string | null) => 'en' | 'zh'
}

/** `busy`: eight turns wait there already. */
export type Told = 'told' | 'offline' | 'busy'

export interface Board {
  readonly id: string
  readonly name: string
}

export interface Sound {
  readonly title: string
  /** Mono pieces at `sampleRate`. */
  readonly pcm: AsyncIterable<Int16Array>
  readonly sampleRate: number
  /** Aborted: nothing more of it is played. */
  readonly signal: AbortSignal
}
/** `interrupted`: somebody spoke; `stopped`: a person stopped the board, or it left. */
export type SoundEnd = 'played' | 'interrupted' | 'stopped'

export type Fields = Readonly<Record<string, Readonly<Record<string, unknown>>>>

interface Description {
  readonly name: string
  readonly description: string
  /** JSON Schema of each argument. */
  readonly takes?: Fields
  readonly required?: readonly string[]
  /** Beyond spoken_en and spoken_zh. */
  readonly gives?: Fields
  readonly danger?: ToolContent['danger']
  readonly idempotent?: boolean
  readonly timeoutMs?: number
  readonly reply: { readonly en: string; readonly zh: string }
  readonly values?: ToolContent['speech']['values']
  readonly en: readonly string[]
  readonly zh: readonly string[]
}

/** The content of a built-in tool. Every result has the sentence's filling in both languages. */
export function describe(about: Description): Pick<BuiltinTool, 'name' | 'content'> {
  const spoken = { spoken_en: { type: 'string' }, spoken_zh: { type: 'string' } }
  const content: ToolContent = {
    description: about.description,
    arguments: {
      type: 'object',
      properties: { ...about.takes },
      required: [...(about.required ?? [])],
      additionalProperties: false,
    },
    result: { type: 'object', properties: { ...spoken, ...about.gives }, required: ['spoken_en', 'spoken_zh'] },
    danger: about.danger ?? 'harmless',
    idempotent: about.idempotent ?? about.danger === 'read',
    timeoutMs: about.timeoutMs ?? 5_000,
    speech: {
      target: { en: [], zh: [] },
      parameters: {},
      values: about.values ?? {},
      reply: { ok: about.reply },
      phrases: { en: [...about.en], zh: [...about.zh] },
    },
  }
  return { name: about.name, content }
}

/** The filling alone: "{spoken_en}". */
export const asTold = { en: '{spoken_en}', zh: '{spoken_zh}' } as const

export function text(args: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

export function number(args: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = args[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export interface OfferedBuiltin {
  readonly tool: BuiltinTool
  readonly version: ToolVersion
}
