import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { AppError } from '../../base/app-error.ts'
import { windowSamples } from './vad-messages.ts'

// The one door to onnxruntime: Silero VAD v6 (voice.md §3). Loaded in a process of its own only: a thread that ends
// inside a call of it would end the whole server (architecture §1).

/** Samples before the window that the model must see again; without them it is quietly wrong. */
const contextSamples = 64
const stateSize = 2 * 128

/** One stream's memory. Nothing is shared between streams. */
export interface VadMemory {
  readonly context: Float32Array
  readonly state: Float32Array
}

export interface VadModel {
  /** The probability of speech, 0 to 1, in one window of 512 samples at 16 kHz, and the memory for the next. */
  hear(memory: VadMemory, window: Int16Array): Promise<{ readonly probability: number; readonly memory: VadMemory }>
}

export function beginVadMemory(): VadMemory {
  return { context: new Float32Array(contextSamples), state: new Float32Array(stateSize) }
}

/** Takes about 0.2 s. Throws voice-vad-stopped when the model cannot be loaded. */
export async function loadVadModel(): Promise<VadModel> {
  const session = await openSession()
  const rate = new Tensor('int64', BigInt64Array.of(16_000n), [])
  return {
    async hear({ context, state }, window) {
      if (window.length !== windowSamples) {
        throw new AppError('voice-bad-pcm', `A window has ${window.length} samples, not ${windowSamples}`)
      }
      const input = new Float32Array(contextSamples + windowSamples)
      input.set(context)
      for (const [index, value] of window.entries()) input[contextSamples + index] = value / 32_768
      const outputs = await session.run({
        input: new Tensor('float32', input, [1, input.length]),
        state: new Tensor('float32', state, [2, 1, 128]),
        sr: rate,
      })
      const probability = floats(outputs['output'])[0] ?? 0
      return { probability, memory: { context: input.slice(-contextSamples), state: floats(outputs['stateN']) } }
    },
  }
}

async function openSession(): Promise<InferenceSession> {
  try {
    const path = createRequire(import.meta.url).resolve('@ricky0123/vad-web/dist/silero_vad_v6.onnx')
    return await InferenceSession.create(await readFile(path), {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      logSeverityLevel: 3,
    })
  } catch (cause) {
    throw new AppError('voice-vad-stopped', 'The model of speech detection cannot be loaded', { cause })
  }
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (tensor?.data instanceof Float32Array) return tensor.data
  throw new AppError('voice-vad-stopped', 'The model of speech detection answers in another shape')
}
