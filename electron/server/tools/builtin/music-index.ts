import { open, readdir, stat } from 'node:fs/promises'
import { basename, extname, isAbsolute, join } from 'node:path'
import { AppError } from '../../../base/app-error.ts'
import { soundTags } from './sound-tags.ts'

export interface Track {
  readonly path: string
  readonly title: string
  readonly artist: string
}

const endings = new Set(['.mp3', '.wav', '.ogg', '.opus'])
const maxTracks = 5_000
const maxDepth = 8
const headBytes = 64 * 1024

/** The sound files below a folder, by title; links are not followed. Rejects helper-bad-folder. */
export async function indexMusic(folder: string): Promise<Track[]> {
  const found = isAbsolute(folder) ? await stat(folder).catch(() => undefined) : undefined
  if (!found?.isDirectory())
    throw new AppError('helper-bad-folder', `${folder.slice(0, 200)} is no folder of this computer`)
  const tracks: Track[] = []
  await walk(folder, 0, tracks)
  return tracks.sort((a, b) => a.title.localeCompare(b.title))
}

async function walk(folder: string, depth: number, tracks: Track[]): Promise<void> {
  // A folder that may not be read is passed over; the others are still of use.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (tracks.length >= maxTracks) return
    const path = join(folder, entry.name)
    if (entry.isDirectory() && depth < maxDepth && !entry.name.startsWith('.')) await walk(path, depth + 1, tracks)
    if (entry.isFile() && endings.has(extname(entry.name).toLowerCase())) tracks.push(await trackOf(path))
  }
}

async function trackOf(path: string): Promise<Track> {
  const name = basename(path, extname(path)).replace(/^\d{1,3}[\s._-]+/, '')
  const [first = '', second] = name.split(/\s+-\s+/, 2)
  const named = second === undefined ? { title: first, artist: '' } : { title: second, artist: first }
  const file = await open(path).catch(() => undefined)
  if (!file) return { path, ...named }
  try {
    const { size } = await file.stat()
    const head = new Uint8Array(Math.min(headBytes, size))
    const tail = new Uint8Array(Math.min(128, size))
    await file.read(head, 0, head.length, 0)
    await file.read(tail, 0, tail.length, size - tail.length)
    const tags = soundTags(head, tail)
    return { path, title: tags.title ?? named.title, artist: tags.artist ?? named.artist }
  } catch {
    return { path, ...named }
  } finally {
    await file.close()
  }
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
