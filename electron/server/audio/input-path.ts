import { AppError } from '../../base/app-error.ts'
import { type AudioFormat, checkFormat, heardRate, mixDown, samplesPerFrame } from './audio-format.ts'
import { createOpusDecoder, type OpusDecoder } from './opus.ts'
import type { OpusHeap } from './opus-heap.ts'
import type { ResamplerModule } from './resampler.ts'

/** From a board's frames to 16 kHz mono. Each call answers in proportion: 60 ms in, 960 samples out. */
export interface InputPath {
  /** voice-bad-packet for a frame that is not one of the agreed format; the path stays usable. */
  decode(frame: Uint8Array): Int16Array
  /** One lost frame. */
  conceal(): Int16Array
  /** One lost frame out of the memory of the next one; without such memory it is concealed. */
  recover(next: Uint8Array): Int16Array
  /** A new utterance. */
  reset(): void
  close(): void
}

export interface AudioParts {
  readonly heap: OpusHeap
  readonly resampler: ResamplerModule
}

export function createInputPath(format: AudioFormat, { heap, resampler }: AudioParts): InputPath {
  const { sampleRate, channels } = checkFormat(format)
  const frame = samplesPerFrame(format)
  const decoder = format.codec === 'opus' ? createOpusDecoder(format, heap) : createPcmDecoder(channels)
  const rates = { from: sampleRate, to: heardRate }
  let toHeard = resampler.create(rates)
  const heard = (pcm: Int16Array) => toHeard.process(mixDown(pcm, channels))
  return {
    decode: (bytes) => heard(decoder.decode(bytes, frame)),
    conceal: () => heard(decoder.conceal(frame)),
    recover: (next) => heard(decoder.decodeFec(next, frame)),
    reset() {
      decoder.reset()
      toHeard.close()
      toHeard = resampler.create(rates)
    },
    close() {
      decoder.close()
      toHeard.close()
    },
  }
}

/** The same shape as the Opus decoder; what is lost is silence. */
function createPcmDecoder(channels: number): OpusDecoder {
  const silence = (samples: number) => new Int16Array(samples * channels)
  return {
    decode(bytes, samples) {
      if (bytes.length !== samples * channels * 2) {
        throw new AppError('voice-bad-packet', `The PCM frame has ${bytes.length} bytes, not ${samples * channels * 2}`)
      }
      // Read by hand: the frame may begin at an odd offset, and its order is little-endian on every machine.
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      return Int16Array.from({ length: samples * channels }, (_, index) => view.getInt16(index * 2, true))
    },
    conceal: silence,
    decodeFec: (_next, samples) => silence(samples),
    reset: () => undefined,
    close: () => undefined,
  }
}
