import { readdir, stat } from 'node:fs/promises'
import { basename, extname, isAbsolute, join } from 'node:path'
import { AppError } from '../../../base/app-error.ts'
import type { SoundTags } from './sound-tags.ts'
import { createTagReader } from './tag-reader.ts'

export interface Track {
  readonly path: string
  readonly title: string
  readonly artist: string
}

const endings = new Set(['.mp3', '.wav', '.flac', '.ogg', '.oga', '.opus'])
const maxTracks = 5_000
const maxDepth = 8

/** The sound files below a folder, by title; links are not followed. Rejects helper-bad-folder; cut short, it gives less. */
export async function indexMusic(folder: string, signal?: AbortSignal): Promise<Track[]> {
  const found = isAbsolute(folder) ? await stat(folder).catch(() => undefined) : undefined
  if (!found?.isDirectory())
    throw new AppError('helper-bad-folder', `${folder.slice(0, 200)} is no folder of this computer`)
  const paths: string[] = []
  await walk(folder, 0, paths)
  const tags = createTagReader()
  try {
    const tracks: Track[] = []
    for (const path of paths) {
      if (signal?.aborted) break
      tracks.push(trackOf(path, await tags.tagsOf(path)))
    }
    return tracks.sort((a, b) => a.title.localeCompare(b.title))
  } finally {
    await tags.close()
  }
}

async function walk(folder: string, depth: number, paths: string[]): Promise<void> {
  // A folder that may not be read is passed over; the others are still of use.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (paths.length >= maxTracks) return
    const path = join(folder, entry.name)
    if (entry.isDirectory() && depth < maxDepth && !entry.name.startsWith('.')) await walk(path, depth + 1, paths)
    if (entry.isFile() && endings.has(extname(entry.name).toLowerCase())) paths.push(path)
  }
}

function trackOf(path: string, tags: SoundTags): Track {
  const name = basename(path, extname(path)).replace(/^\d{1,3}[\s._-]+/, '')
  const [first = '', second] = name.split(/\s+-\s+/, 2)
  const named = second === undefined ? { title: first, artist: '' } : { title: second, artist: first }
  return { path, title: tags.title ?? named.title, artist: tags.artist ?? named.artist }
}

/** Tracks whose title or artist has all the words; exact titles first. */
export function searchMusic(tracks: readonly Track[], query: string): Track[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && word !== 'by')
  const text = (track: Track): string => `${track.title} ${track.artist}`.toLowerCase()
  const found = tracks.filter((track) => words.every((word) => text(track).includes(word)))
  const rank = (track: Track): number => (track.title.toLowerCase() === query.toLowerCase() ? 0 : 1)
  return found.sort((a, b) => rank(a) - rank(b))
}
