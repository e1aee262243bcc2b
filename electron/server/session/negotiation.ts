import { AudioFormat } from '../../contract/device.ts'

/** What a board said about one direction, unchecked in its values (iotta-protocol.md §3). */
export interface AudioOffer {
  readonly codecs: readonly string[]
  readonly sampleRate: number
  readonly channels: number
  readonly frameDuration: number
}

export interface Agreement {
  readonly input: AudioFormat
  readonly output: AudioFormat
}

const defaultOutput: AudioFormat = { codec: 'opus', sampleRate: 24_000, channels: 1, frameDuration: 60 }

/**
 * One round: the server picks and the board obeys (iotta-protocol.md §3). Opus where it is offered; the board's own
 * rate, channels and duration; without `output`, opus 24 kHz mono 60 ms for a board that knows opus, else pcm with the
 * values of `audio`. Undefined when there is no format in common.
 */
export function negotiate(audio: AudioOffer, output?: AudioOffer): Agreement | undefined {
  const input = pick(audio)
  if (!input) return undefined
  if (output) {
    const picked = pick(output)
    return picked && { input, output: picked }
  }
  return { input, output: input.codec === 'opus' ? defaultOutput : input }
}

function pick({ codecs, sampleRate, channels, frameDuration }: AudioOffer): AudioFormat | undefined {
  const codec = ['opus', 'pcm'].find((name) => codecs.includes(name))
  return AudioFormat.safeParse({ codec, sampleRate, channels, frameDuration }).data
}
