import { AppError, isAppError } from '../../../base/app-error.ts'
import type { SpokenLanguage, Voice } from '../providers.ts'
import { splitSpeech } from '../thinking/sentences.ts'
import type { PhraseCache } from './phrase-cache.ts'

/** One piece for the encoder: short enough that a stop is heard at once. */
const pieceMs = 120

export interface Engine {
  readonly id: string
  readonly language: SpokenLanguage
  readonly sampleRate: number
  /** How the text must be written to be read well ("LED" → "L E D"). Empty when nothing in it can be said. */
  prepare(text: string): string
  /** One prepared sentence of at most 200 characters. Throws voice-synthesis-failed; ends early after an abort. */
  synthesise(text: string, signal: AbortSignal): AsyncIterable<Int16Array>
}

/**
 * A voice from an engine: long texts are split and the next part is made while one is played, fixed phrases are kept,
 * audio comes in pieces of 120 ms. After an abort it ends without an error. Rejects voice-synthesis-failed.
 */
export function createSpokenVoice(engine: Engine, cache: PhraseCache): Voice {
  const pieceSamples = Math.round((engine.sampleRate * pieceMs) / 1000)
  return {
    id: engine.id,
    language: engine.language,
    sampleRate: engine.sampleRate,
    async *speak(text, { signal, cacheable }) {
      if (signal.aborted) return
      const key = `${engine.id}\n${text}`
      const kept = cache.get(key)
      if (kept) {
        for (const pcm of cut(kept, pieceSamples)) yield { pcm, cached: true }
        return
      }
      const made: Int16Array[] = []
      for await (const pcm of speakFresh(engine, text, signal)) {
        made.push(pcm)
        for (const piece of cut(pcm, pieceSamples)) {
          if (isAborted(signal)) return
          yield { pcm: piece, cached: false }
        }
      }
      if (cacheable && !isAborted(signal)) cache.set(key, joined(made))
    },
  }
}

const isAborted = (signal: AbortSignal): boolean => signal.aborted

async function* speakFresh(engine: Engine, text: string, signal: AbortSignal): AsyncGenerator<Int16Array> {
  const parts = splitSpeech(engine.prepare(text))
  if (parts.length === 0)
    throw new AppError('voice-synthesis-failed', `The voice "${engine.id}" can say nothing of this text`)
  // The consumer may stop early (barge-in): what was started ahead is stopped with it.
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  try {
    let ahead = eager(engine.synthesise(parts[0] ?? '', either))
    for (let at = 0; at < parts.length; at++) {
      const now = ahead
      const next = parts[at + 1]
      if (next !== undefined) ahead = eager(engine.synthesise(next, either))
      yield* now
      if (isAborted(signal)) return
    }
  } catch (error) {
    if (isAborted(signal)) return
    if (isAppError(error, 'voice-synthesis-failed')) throw error
    throw new AppError('voice-synthesis-failed', `The voice "${engine.id}" failed`, { cause: error })
  } finally {
    stop.abort()
  }
}

/** Starts at once and keeps what comes until somebody asks; a part is at most 200 characters, so this stays small. */
function eager(source: AsyncIterable<Int16Array>): AsyncIterable<Int16Array> {
  const queue: Int16Array[] = []
  let end: { error?: unknown } | undefined
  let wake = Promise.withResolvers<undefined>()
  void (async () => {
    try {
      for await (const pcm of source) {
        queue.push(pcm)
        wake.resolve(undefined)
      }
      end = {}
    } catch (error) {
      end = { error }
    }
    wake.resolve(undefined)
  })()
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const pcm = queue.shift()
        if (pcm) yield pcm
        else if (end && 'error' in end) throw end.error
        else if (end) return
        else {
          await wake.promise
          wake = Promise.withResolvers()
        }
      }
    },
  }
}

function* cut(pcm: Int16Array, samples: number): Generator<Int16Array> {
  for (let at = 0; at < pcm.length; at += samples) yield pcm.subarray(at, at + samples)
}

function joined(pcms: readonly Int16Array[]): Int16Array {
  const out = new Int16Array(pcms.reduce((sum, pcm) => sum + pcm.length, 0))
  let at = 0
  for (const pcm of pcms) {
    out.set(pcm, at)
    at += pcm.length
  }
  return out
}
