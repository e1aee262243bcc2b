import type { ErrorCode } from '../../contract/errors.ts'
import type { ToolCall, ToolVersion } from '../../contract/tool.ts'

export type SpokenLanguage = 'en' | 'zh'

/** Hear: one utterance in, partial texts on the way, one final text out. PCM is 16 kHz mono. */
export interface HearingStream {
  push(pcm: Int16Array): void
  /** Ends the utterance. `text` is empty when nothing was recognised (also when chat was rejected: then `rejected`). */
  finish(): Promise<{ text: string; confidence?: number; rejected?: string }>
  /** Drops the utterance; nothing follows. Idempotent. */
  cancel(): void
}

export interface Hearing {
  readonly id: string
  readonly languages: readonly SpokenLanguage[]
  /** `vocabulary`: the tools known for the device, reachable or not. Rejects voice-recogniser-missing / -stopped. */
  open(options: {
    vocabulary: readonly ToolVersion[]
    /** Whole English sentences that may be said just now beside the tools' own: the yes to a waiting call. */
    phrases?: readonly string[]
    language: SpokenLanguage
    /** Partial texts may vanish again; `complete` when the partial already is a whole command. */
    onPartial(text: string, complete: boolean): void
  }): Promise<HearingStream>
  /** Undefined when it can hear; else the code that says why not. */
  unavailable(): 'voice-recogniser-missing' | 'voice-recogniser-stopped' | undefined
  close(): Promise<void>
}

export interface ThinkingInput {
  readonly text: string
  readonly language: SpokenLanguage
  readonly tools: readonly ToolVersion[]
  /** Those that a rule leaves out here: no thinker is offered them, but who asks for one is told that it may not be. */
  withheld?(): Promise<readonly ToolVersion[]>
  call(tool: ToolVersion, args: Readonly<Record<string, unknown>>): Promise<ToolCall>
  /** What the board wants known (iotta-protocol.md §3, `context`): data, never an instruction. */
  readonly context?: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  /** Whose turn it is; absent: nothing of it is remembered for the next one. */
  readonly deviceId?: string
  readonly report?: ThinkingReport
}

/** What a thinker tells of itself, for the record of the turn. */
export interface ThinkingReport {
  /** Which of several thinkers answers now. */
  answeredBy(thinker: string): void
  /** What went wrong on the way: why another one answers, or that a claim had no call. */
  note(code: ErrorCode): void
}

/** Think: text and tools in, calls made through `call`, sentences out as they are ready. */
export interface Thinking {
  readonly id: string
  /** Claims nothing that no call did: its sentences are spoken unchecked (features.md D2). */
  readonly isHonest?: boolean
  think(input: ThinkingInput): AsyncIterable<{ text: string; cacheable: boolean }>
}

/** Speak: one sentence in, PCM pieces out as they are made. */
export interface Voice {
  readonly id: string
  readonly language: SpokenLanguage
  readonly sampleRate: number
  /** Yields mono PCM at `sampleRate`. `cacheable` sentences (fixed phrases) may be kept. Rejects voice-synthesis-failed. */
  speak(
    text: string,
    options: { signal: AbortSignal; cacheable: boolean },
  ): AsyncIterable<{ pcm: Int16Array; cached: boolean }>
}

export interface Speaking {
  /** The first installed voice of the language, or undefined: the caller plays a tone and the turn says why. */
  voiceFor(language: SpokenLanguage): Voice | undefined
  /** Makes the engines ready and fills the cache, before the first turn. */
  warm(phrases: readonly { text: string; language: SpokenLanguage }[]): Promise<void>
  close(): Promise<void>
}
