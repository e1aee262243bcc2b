import { AppError } from '../../../base/app-error.ts'
import { type AskedThread, startAskedThread } from './asked-thread.ts'
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

export type SoundThread = AskedThread<SoundReply>

export function startSoundThread(work: SoundWork): SoundThread {
  return startAskedThread('sound-worker', { work, patienceMs, lost: badSound })
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
    if (first.is !== 'open') throw refused(first)
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
      if (got.is === 'failed') throw refused(got)
      if (got.is !== 'pcm') return
      const skip = Math.min(left, got.pcm.length)
      left -= skip
      if (skip < got.pcm.length) yield skip === 0 ? got.pcm : got.pcm.subarray(skip)
    }
  } finally {
    await thread.end()
  }
}

/** The thread's own words, which are whole sentences. */
function refused(reply: SoundReply): AppError {
  return reply.is === 'failed' ? new AppError(reply.code, reply.message) : badSound('it did not open')
}
