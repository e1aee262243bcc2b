import type { WireError } from '../../contract/errors.ts'
import type { AudioFormat } from './audio-format.ts'

// Between the main loop and its codec threads: both ends are of one build, so nothing is parsed.

export interface CodecFormats {
  /** What the board sends. */
  readonly input: AudioFormat
  /** What the board plays. */
  readonly output: AudioFormat
}

/** Work that is answered, in order within a session. */
export type CodecWork =
  | { readonly do: 'decode'; readonly frame: Uint8Array }
  | { readonly do: 'recover'; readonly next: Uint8Array }
  | { readonly do: 'conceal' }
  | { readonly do: 'encode'; readonly pcm: Int16Array }
  | { readonly do: 'end-speech' }

export type CodecRequest =
  | { readonly op: 'open'; readonly session: number; readonly formats: CodecFormats }
  | { readonly op: 'work'; readonly session: number; readonly call: number; readonly work: CodecWork }
  | { readonly op: 'start-speech'; readonly session: number; readonly sourceRate: number }
  | { readonly op: 'cancel-speech'; readonly session: number }
  | { readonly op: 'reset-input'; readonly session: number }
  | { readonly op: 'close'; readonly session: number }

export interface CodecReply {
  readonly session: number
  readonly call: number
  readonly result: CodecResult
}

export type CodecResult =
  { readonly pcm: Int16Array } | { readonly frames: readonly Uint8Array[] } | { readonly error: WireError }
