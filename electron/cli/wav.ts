import { AppError } from '../base/app-error.ts'

export interface Wav {
  readonly sampleRate: number
  readonly channels: number
  readonly pcm: Int16Array
}

const largestBytes = 64 * 1024 * 1024

/** RIFF PCM 16 bit; chunks in any order. Throws server-bad-usage for anything else. */
export function readWav(bytes: Uint8Array): Wav {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const tag = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4))
  if (bytes.length < 44 || bytes.length > largestBytes || tag(0) !== 'RIFF' || tag(8) !== 'WAVE')
    throw notWav('no RIFF header')
  let format: { channels: number; sampleRate: number } | undefined
  for (let at = 12; at + 8 <= bytes.length;) {
    const size = view.getUint32(at + 4, true)
    const body = at + 8
    if (tag(at) === 'fmt ' && size >= 16 && body + 16 <= bytes.length) {
      if (view.getUint16(body, true) !== 1 || view.getUint16(body + 14, true) !== 16) throw notWav('not 16-bit PCM')
      format = { channels: view.getUint16(body + 2, true), sampleRate: view.getUint32(body + 4, true) }
    }
    if (tag(at) === 'data') {
      if (!format) throw notWav('samples before their format')
      // A program that writes to a pipe cannot know the length: what is there counts.
      const end = Math.min(body + size, bytes.length)
      return { ...format, pcm: new Int16Array(bytes.slice(body, end - ((end - body) % 2)).buffer) }
    }
    at = body + size + (size % 2)
  }
  throw notWav('no samples')
}

function notWav(reason: string): AppError {
  return new AppError('server-bad-usage', `This is no usable WAV file: ${reason}. 16-bit PCM is needed`)
}
