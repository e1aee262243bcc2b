import { Worker } from 'node:worker_threads'
import { entryUrl } from '../../../base/entries.ts'
import { badSound } from './sound-reader.ts'

export type SoundReply =
  | { readonly is: 'open'; readonly sampleRate: number }
  | { readonly is: 'pcm'; readonly pcm: Int16Array }
  | { readonly is: 'end' }
  | { readonly is: 'failed'; readonly code: 'helper-bad-sound'; readonly message: string }

/** A decoder that is busy for so long with a tenth of a second is not coming back. */
const patienceMs = 5_000

export interface SoundFile {
  readonly sampleRate: number
  /** Mono pieces; read once. Rejects helper-bad-sound. Leaving the loop ends the thread. */
  readonly pcm: AsyncIterable<Int16Array>
  close(): Promise<void>
}

/** Opens an MP3, WAV or Ogg Opus file in a thread of its own. Rejects helper-bad-sound. */
export async function openSound(path: string, skipSamples = 0): Promise<SoundFile> {
  const worker = new Worker(entryUrl('sound-worker'), { workerData: { path }, env: {}, execArgv: [] })
  let ended: Promise<unknown> | undefined
  const close = async (): Promise<void> => {
    await (ended ??= worker.terminate())
  }
  const answer = (): Promise<SoundReply> => reply(worker)
  try {
    const first = await answer()
    if (first.is !== 'open') throw badSound(first.is === 'failed' ? first.message : 'it did not open')
    return { sampleRate: first.sampleRate, pcm: pieces(worker, { answer, close, skipSamples }), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function* pieces(
  worker: Worker,
  {
    answer,
    close,
    skipSamples,
  }: { answer: () => Promise<SoundReply>; close: () => Promise<void>; skipSamples: number },
): AsyncGenerator<Int16Array, void, undefined> {
  let left = skipSamples
  try {
    for (;;) {
      const next = answer()
      worker.postMessage('next')
      const got = await next
      if (got.is === 'failed') throw badSound(got.message)
      if (got.is !== 'pcm') return
      const skip = Math.min(left, got.pcm.length)
      left -= skip
      if (skip < got.pcm.length) yield skip === 0 ? got.pcm : got.pcm.subarray(skip)
    }
  } finally {
    await close()
  }
}

function reply(worker: Worker): Promise<SoundReply> {
  const { promise, resolve, reject } = Promise.withResolvers<SoundReply>()
  const timer = setTimeout(() => reject(badSound('decoding it takes too long')), patienceMs)
  const onMessage = (message: SoundReply) => resolve(message)
  const onEnd = () => reject(badSound('its thread ended'))
  worker.once('message', onMessage).once('error', onEnd).once('exit', onEnd)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd)
  })
}
