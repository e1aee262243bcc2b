import { parseFile } from 'music-metadata'
import { type LyricLine, parseLyrics } from './lyrics.ts'

// The door to music-metadata. What it makes of hostile bytes takes as long as it takes, so it runs in a thread that is
// ended (sound.worker.ts).

export interface SoundTags {
  readonly title: string | undefined
  readonly artist: string | undefined
  /** By time; empty when the file has none. */
  readonly lyrics: readonly LyricLine[]
}

export const noTags: SoundTags = { title: undefined, artist: undefined, lyrics: [] }

const maxLines = 2_000

/** Title, artist and timed lyrics that a sound file carries itself. What cannot be read has none. */
export async function readTags(path: string): Promise<SoundTags> {
  // It throws errors of its own for what it does not know; a file is listed by its name then.
  const found = await parseFile(path, { duration: false, skipCovers: true }).catch(() => undefined)
  if (!found) return noTags
  const { title, artist, lyrics } = found.common
  return { title: clean(title), artist: clean(artist), lyrics: (lyrics ?? []).flatMap(linesOf).slice(0, maxLines) }
}

/** One line without control characters, at most 200. */
function clean(text: string | undefined): string | undefined {
  const line = text
    ?.replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 200)
  return line === '' ? undefined : line
}

function linesOf(lyrics: {
  readonly text?: string
  readonly syncText: readonly { readonly text: string; readonly timestamp?: number }[]
}): LyricLine[] {
  const timed = lyrics.syncText.flatMap(({ text, timestamp }) => {
    const words = clean(text)
    return words === undefined || timestamp === undefined ? [] : [{ atMs: timestamp, text: words }]
  })
  return timed.length > 0 ? timed : [...parseLyrics(lyrics.text ?? '')]
}
