import { AppError } from '../../base/app-error.ts'

/** Audio as a board sends or plays it, one shape for both directions (iotta-protocol.md §3). */
export interface AudioFormat {
  readonly codec: 'opus' | 'pcm'
  /** 8000, 12000, 16000, 24000 or 48000. */
  readonly sampleRate: number
  /** 1 or 2, interleaved. */
  readonly channels: number
  /** Milliseconds: 20, 40 or 60. */
  readonly frameDuration: number
}

/** What voice detection and recognition are fed with: 16 kHz mono. */
export const heardRate = 16_000

const rates = [8_000, 12_000, 16_000, 24_000, 48_000]
const durations = [20, 40, 60]

/** Throws iotta-unsupported-codec for a value that the protocol does not allow. */
export function checkFormat(format: AudioFormat): AudioFormat {
  const legal =
    (['opus', 'pcm'] as string[]).includes(format.codec) &&
    rates.includes(format.sampleRate) &&
    [1, 2].includes(format.channels) &&
    durations.includes(format.frameDuration)
  if (!legal) throw new AppError('iotta-unsupported-codec', `No such audio format: ${describe(format)}`)
  return format
}

/** Samples of one channel in one frame. */
export function samplesPerFrame(format: Pick<AudioFormat, 'sampleRate' | 'frameDuration'>): number {
  return (format.sampleRate * format.frameDuration) / 1000
}

function describe({ codec, sampleRate, channels, frameDuration }: AudioFormat): string {
  return `${codec} ${sampleRate} Hz, ${channels} channels, ${frameDuration} ms`
}

/** Interleaved stereo to mono by the mean of both; mono is handed through. */
export function mixDown(pcm: Int16Array, channels: number): Int16Array {
  if (channels === 1) return pcm
  const mono = new Int16Array(pcm.length / 2)
  for (let i = 0; i < mono.length; i++) mono[i] = ((pcm[2 * i] ?? 0) + (pcm[2 * i + 1] ?? 0)) >> 1
  return mono
}

/** Mono to as many equal channels; mono is handed through. */
export function mixUp(mono: Int16Array, channels: number): Int16Array {
  if (channels === 1) return mono
  const pcm = new Int16Array(mono.length * 2)
  for (const [i, value] of mono.entries()) {
    pcm[2 * i] = value
    pcm[2 * i + 1] = value
  }
  return pcm
}

export function joinSamples(parts: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
