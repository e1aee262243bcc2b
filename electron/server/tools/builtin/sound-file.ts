import { Worker } from 'node:worker_threads'
import { entryUrl } from '../../../base/entries.ts'
import { badSound } from './sound-reader.ts'
import type { SoundTags } from './sound-tags.ts'

/** What a sound thread is started for. */
export type SoundWork = { readonly is: 'decode'; readonly path: string } | { readonly is: 'tags' }

export type SoundReply =
  | { readonly is: 'open'; readonly sampleRate: number }
  | { readonly is: 'pcm'; readonly pcm: Int16Array }
  | { readonly is: 'end' }
  | { readonly is: 'tags'; readonly tags: SoundTags }
  | { readonly is: 'failed'; readonly code: 'helper-bad-sound'; readonly message: string }

/** A decoder that is busy for so long with a tenth of a second is not coming back. */
const patienceMs = 5_000
const maxHeapMb = 256

/** A thread that answers one request at a time. */
export interface SoundThread {
  /** The next message. Rejects helper-bad-sound when none comes, or the thread dies. */
  answer(): Promise<SoundReply>
  ask(request: string): Promise<SoundReply>
  end(): Promise<void>
}

export function startSoundThread(work: SoundWork): SoundThread {
  const worker = new Worker(entryUrl('sound-worker'), {
    workerData: work,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  let isGone = false
  // Out of memory between two requests: the next one finds it gone.
  worker.on('error', () => undefined).once('exit', () => (isGone = true))
  let ended: Promise<unknown> | undefined
  const answer = () => (isGone ? Promise.reject(badSound('its thread has ended')) : reply(worker))
  return {
    answer,
    ask(request) {
      const got = answer()
      worker.postMessage(request)
      return got
    },
    async end() {
      await (ended ??= worker.terminate())
    },
  }
}

export interface SoundFile {
  readonly sampleRate: number
  /** Mono pieces; read once. Rejects helper-bad-sound. Leaving the loop ends the thread. */
  readonly pcm: AsyncIterable<Int16Array>
  close(): Promise<void>
}

/** Opens an MP3, WAV, FLAC, Ogg Vorbis or Ogg Opus file in a thread of its own. Rejects helper-bad-sound. */
export async function openSound(path: string, skipSamples = 0): Promise<SoundFile> {
  const thread = startSoundThread({ is: 'decode', path })
  try {
    const first = await thread.answer()
    if (first.is !== 'open') throw badSound(first.is === 'failed' ? first.message : 'it did not open')
    return { sampleRate: first.sampleRate, pcm: pieces(thread, skipSamples), close: () => thread.end() }
  } catch (error) {
    await thread.end()
    throw error
  }
}

async function* pieces(thread: SoundThread, skipSamples: number): AsyncGenerator<Int16Array, void, undefined> {
  let left = skipSamples
  try {
    for (;;) {
      const got = await thread.ask('next')
      if (got.is === 'failed') throw badSound(got.message)
      if (got.is !== 'pcm') return
      const skip = Math.min(left, got.pcm.length)
      left -= skip
      if (skip < got.pcm.length) yield skip === 0 ? got.pcm : got.pcm.subarray(skip)
    }
  } finally {
    await thread.end()
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
