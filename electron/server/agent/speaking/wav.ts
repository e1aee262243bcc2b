import { AppError } from '../../../base/app-error.ts'

export interface WavHeader {
  readonly sampleRate: number
  /** Where the samples begin. */
  readonly dataAt: number
}

const broken = (why: string): AppError =>
  new AppError('voice-synthesis-failed', `The synthesiser made no usable sound: ${why}`)

/**
 * Header of a 16-bit mono PCM WAV, as far as `bytes` reach; undefined while more is needed (512 bytes at most). The
 * sizes are not read: a program that writes to a pipe cannot know them. Throws voice-synthesis-failed.
 */
export function readWavHeader(bytes: Uint8Array): WavHeader | undefined {
  if (bytes.length < 12) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
  if (name(0) !== 'RIFF' || name(8) !== 'WAVE') throw broken('no WAV header')
  let sampleRate = 0
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true)
    if (name(at) === 'data') {
      if (sampleRate === 0) throw broken('no format before the samples')
      return { sampleRate, dataAt: at + 8 }
    }
    if (name(at) === 'fmt ') {
      if (at + 24 > bytes.length) return undefined
      const isPlain =
        view.getUint16(at + 8, true) === 1 &&
        view.getUint16(at + 10, true) === 1 &&
        view.getUint16(at + 22, true) === 16
      if (!isPlain) throw broken('not 16-bit mono PCM')
      sampleRate = view.getUint32(at + 12, true)
    }
    at += 8 + length + (length % 2)
  }
  if (bytes.length > 512) throw broken('no samples in the first 512 bytes')
  return undefined
}

/** 16-bit little-endian samples in a buffer of their own; an odd last byte is left out. */
export function samplesFrom(bytes: Uint8Array): Int16Array {
  // Not bytes.slice(): that of a Buffer is a view into a shared pool.
  const copy = new Uint8Array(bytes.length - (bytes.length % 2))
  copy.set(bytes.subarray(0, copy.length))
  return new Int16Array(copy.buffer)
}
