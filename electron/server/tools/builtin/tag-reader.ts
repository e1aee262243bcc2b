import { type SoundThread, startSoundThread } from './sound-file.ts'
import type { SoundTags } from './sound-tags.ts'

/** Reads the tags of one file after the other in a thread, which a bad file cannot keep. */
export interface TagReader {
  /** No tags for a file that cannot be read, or takes longer than five seconds. Never rejects. */
  tagsOf(path: string): Promise<SoundTags>
  close(): Promise<void>
}

const none: SoundTags = { title: undefined, artist: undefined, lyrics: [] }

export function createTagReader(): TagReader {
  let thread: SoundThread | undefined
  async function close(): Promise<void> {
    const old = thread
    thread = undefined
    await old?.end()
  }
  return {
    async tagsOf(path) {
      thread ??= startSoundThread({ is: 'tags' })
      try {
        const got = await thread.ask(path)
        return got.is === 'tags' ? got.tags : none
      } catch {
        // It hangs, or died of this file: the next one gets a new thread.
        await close()
        return none
      }
    },
    close,
  }
}
