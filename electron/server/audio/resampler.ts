// @ts-expect-error The package has no types; SpeexModule is what is called of it.
import speexFactory from '@echogarden/speex-resampler-wasm/simd'
import { AppError } from '../../base/app-error.ts'
import { joinSamples } from './audio-format.ts'

/** Pointers are numbers; lengths are of one channel and go in and out through pointers. */
interface SpeexModule {
  readonly HEAP16: Int16Array
  readonly HEAP32: Int32Array
  _malloc(bytes: number): number
  _free(pointer: number): void
  _speex_resampler_init(...call: [channels: number, from: number, to: number, quality: number, error: number]): number
  _speex_resampler_destroy(state: number): void
  _speex_resampler_reset_mem(state: number): number
  _speex_resampler_get_input_latency(state: number): number
  _speex_resampler_process_interleaved_int(
    ...call: [state: number, input: number, inputLength: number, output: number, outputLength: number]
  ): number
}
const createSpeexModule = speexFactory as () => Promise<SpeexModule>

/** Speex quality 5: SNR 120 dB at 1 kHz, 2 ms of delay, 1 ms of CPU a second (voice.md §2). */
const quality = 5
/** Input samples of one channel that are handed over at once: bounds the memory of a session. */
const blockSamples = 4096
/** Room for the few samples that rounding may add. */
const slack = 16

export interface Resampler {
  /** Any length that holds whole samples of all channels; what comes out follows in proportion, about 2 ms late. */
  process(pcm: Int16Array): Int16Array
  /** The rest of the stream; the next `process` begins a new one. */
  flush(): Int16Array
  close(): void
}

export interface ResamplerRates {
  /** Hz, 1000 to 192000. */
  readonly from: number
  readonly to: number
  /** 1 or 2, default 1. */
  readonly channels?: number
}

export interface ResamplerModule {
  /** Equal rates are handed through untouched, without delay. Throws iotta-unsupported-codec for a rate out of range. */
  create(rates: ResamplerRates): Resampler
}

let loading: Promise<ResamplerModule> | undefined

/** Once a thread. */
export function loadResampler(): Promise<ResamplerModule> {
  loading ??= createSpeexModule().then((speex) => ({ create: (rates) => createResampler(speex, rates) }))
  return loading
}

function createResampler(speex: SpeexModule, { from, to, channels = 1 }: ResamplerRates): Resampler {
  for (const rate of [from, to]) {
    if (!Number.isInteger(rate) || rate < 1_000 || rate > 192_000) {
      throw new AppError('iotta-unsupported-codec', `Cannot resample at ${rate} Hz`)
    }
  }
  if (from === to) return { process: (pcm) => pcm, flush: () => new Int16Array(), close: () => undefined }
  return createSpeexStream(speex, { from, to, channels })
}

function createSpeexStream(speex: SpeexModule, { from, to, channels }: Required<ResamplerRates>): Resampler {
  const roomSamples = Math.ceil((blockSamples * to) / from) + slack
  const lengthsAt = speex._malloc(8)
  const inputAt = speex._malloc(blockSamples * channels * 2)
  const outputAt = speex._malloc(roomSamples * channels * 2)
  const state = speex._speex_resampler_init(channels, from, to, quality, lengthsAt)
  if (state === 0 || inputAt === 0 || outputAt === 0) throw new AppError('server-overloaded', 'No memory to resample')
  let closed = false

  /** One block; answers how many input samples were taken, and what came out. */
  function step(block: Int16Array): { taken: number; output: Int16Array } {
    speex.HEAP16.set(block, inputAt / 2)
    speex.HEAP32[lengthsAt / 4] = block.length / channels
    speex.HEAP32[lengthsAt / 4 + 1] = roomSamples
    speex._speex_resampler_process_interleaved_int(state, inputAt, lengthsAt, outputAt, lengthsAt + 4)
    const taken = (speex.HEAP32[lengthsAt / 4] ?? 0) * channels
    const made = (speex.HEAP32[lengthsAt / 4 + 1] ?? 0) * channels
    return { taken, output: speex.HEAP16.slice(outputAt / 2, outputAt / 2 + made) }
  }

  function process(pcm: Int16Array): Int16Array {
    if (closed) throw new AppError('voice-codec-stopped', 'This resampler was closed')
    if (pcm.length % channels !== 0) throw new AppError('voice-bad-pcm', 'A sample of one channel is missing')
    const outputs: Int16Array[] = []
    let at = 0
    while (at < pcm.length) {
      const { taken, output } = step(pcm.subarray(at, at + blockSamples * channels))
      outputs.push(output)
      if (taken === 0 && output.length === 0) break
      at += taken
    }
    return joinSamples(outputs)
  }

  return {
    process,
    flush() {
      const rest = process(new Int16Array(speex._speex_resampler_get_input_latency(state) * channels))
      speex._speex_resampler_reset_mem(state)
      return rest
    },
    close() {
      if (closed) return
      closed = true
      speex._speex_resampler_destroy(state)
      for (const pointer of [lengthsAt, inputAt, outputAt]) speex._free(pointer)
    },
  }
}
