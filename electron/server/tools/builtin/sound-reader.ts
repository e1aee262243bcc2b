import { AppError } from '../../../base/app-error.ts'

/** A sound file that is being decoded: mono pieces of about 100 ms at one rate. */
export interface SoundReader {
  readonly sampleRate: number
  /** Undefined at the end. Throws or rejects helper-bad-sound. */
  next(): Int16Array | undefined | Promise<Int16Array | undefined>
}

/** One whose bytes need no waiting for. */
export interface PlainReader extends SoundReader {
  next(): Int16Array | undefined
}

export function badSound(why: string, cause?: unknown): AppError {
  return new AppError('helper-bad-sound', `The sound file cannot be played: ${why}`, { cause })
}

const pieceSeconds = 0.1

export function checkRate(rate: number): number {
  if (!Number.isInteger(rate) || rate < 8_000 || rate > 96_000) throw badSound(`${rate} Hz`)
  return rate
}

/** The mean of the channels. */
function mono(pcm: Int16Array, channels: number): Int16Array {
  if (channels === 1) return pcm.slice()
  const made = new Int16Array(Math.floor(pcm.length / channels))
  for (let at = 0; at < made.length; at++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += pcm[at * channels + channel] ?? 0
    made[at] = Math.round(sum / channels)
  }
  return made
}

/** RIFF WAVE with whole numbers of 8, 16, 24 or 32 bits, 1 to 8 channels. Throws helper-bad-sound. */
export function readWav(bytes: Uint8Array): PlainReader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
  if (bytes.length < 44 || name(0) !== 'RIFF' || name(8) !== 'WAVE') throw badSound('no WAV header')
  let format: { rate: number; channels: number; bytes: number } | undefined
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true)
    if (name(at) === 'fmt ' && at + 24 <= bytes.length) format = wavFormat(view, at + 8)
    if (name(at) === 'data') {
      if (!format) throw badSound('no format before the samples')
      return wavSamples(view, format, { from: at + 8, to: Math.min(bytes.length, at + 8 + length) })
    }
    at += 8 + length + (length % 2)
  }
  throw badSound('no samples')
}

function wavFormat(view: DataView, at: number) {
  const kind = view.getUint16(at, true)
  const channels = view.getUint16(at + 2, true)
  const size = view.getUint16(at + 14, true) / 8
  // 0xfffe is the extensible header of the same samples.
  if ((kind !== 1 && kind !== 0xfffe) || channels < 1 || channels > 8 || ![1, 2, 3, 4].includes(size)) {
    throw badSound('not whole-number samples')
  }
  return { rate: checkRate(view.getUint32(at + 4, true)), channels, bytes: size }
}

function wavSamples(
  view: DataView,
  { rate, channels, bytes }: { rate: number; channels: number; bytes: number },
  range: { from: number; to: number },
): PlainReader {
  let at = range.from
  const frame = channels * bytes
  const sample = (from: number): number =>
    bytes === 1 ? (view.getUint8(from) - 128) << 8 : view.getInt16(from + bytes - 2, true)
  return {
    sampleRate: rate,
    next() {
      const frames = Math.min(Math.ceil(rate * pieceSeconds), Math.floor((range.to - at) / frame))
      if (frames <= 0) return undefined
      const made = new Int16Array(frames * channels)
      for (let n = 0; n < made.length; n++) made[n] = sample(at + n * bytes)
      at += frames * frame
      return mono(made, channels)
    },
  }
}
