import { readFile } from 'node:fs/promises'
import { AppError } from '../../../base/app-error.ts'
import type { Log } from '../../../base/log.ts'
import type { MusicState } from '../../../contract/helper-tools.ts'
import type { MetaStore } from '../../store/store.ts'
import type { BuiltinPorts } from './builtin-tool.ts'
import { type LyricLine, parseLyrics } from './lyrics.ts'
import { indexMusic, searchMusic, type Track } from './music-index.ts'
import { openSound } from './sound-file.ts'
import { createTagReader } from './tag-reader.ts'

const folderKey = 'musicFolder'

/** What a board plays: a list of tracks, where in it, and whether it goes on. */
interface Playing {
  readonly tracks: readonly Track[]
  at: number
  paused: boolean
  /** Of the current track, played so far. */
  samples: number
  sampleRate: number
  readonly cut: AbortController
}

/** Local music on the boards, one track after the other; an interruption by a voice goes on afterwards. */
export interface MusicPlayer {
  state(): MusicState
  /** Indexes the folder at once. Rejects helper-bad-folder. */
  setFolder(folder: string | null): Promise<MusicState>
  /** An empty query plays everything. Rejects helper-no-music. */
  play(deviceId: string, query: string): Promise<Track>
  pause(deviceId: string): Track | undefined
  resume(deviceId: string): Track | undefined
  next(deviceId: string): Track | undefined
  stop(deviceId: string): void
  playingOn(deviceId: string): Track | undefined
  /** The line that is sung now, when the track or an .lrc file beside it has lyrics. */
  lyric(deviceId: string): Promise<string | undefined>
  onChange(listener: (deviceId: string) => void): void
  close(): void
}

export async function createMusicPlayer(options: MusicOptions): Promise<MusicPlayer> {
  const library = await openLibrary(options)
  const decks = createDecks(options)
  const { playing, begin, stop, change, trackOn } = decks
  const state = (): MusicState => ({
    folder: library.folder(),
    tracks: library.tracks().length,
    playing: [...playing].flatMap(([deviceId, now]) => {
      const track = now.tracks[now.at]
      return track
        ? [{ deviceId, track: track.title, artist: track.artist, at: playedMs(now), paused: now.paused }]
        : []
    }),
  })
  return {
    state,
    async setFolder(chosen) {
      await library.choose(chosen)
      return state()
    },
    async play(deviceId, query) {
      const found = query === '' ? library.tracks() : searchMusic(library.tracks(), query)
      const [first] = found
      const why = query === '' ? 'There is no music yet' : `Nothing is called "${query}"`
      if (!first) throw new AppError('helper-no-music', why)
      begin(deviceId, { tracks: found, at: 0, paused: false, samples: 0, sampleRate: 0 })
      return first
    },
    pause: (deviceId) => change(deviceId, { paused: true }),
    resume: (deviceId) => change(deviceId, { paused: false }),
    next(deviceId) {
      const now = playing.get(deviceId)
      if (now && now.at + 1 < now.tracks.length) return change(deviceId, { at: now.at + 1, samples: 0, paused: false })
      stop(deviceId)
      return undefined
    },
    stop,
    playingOn: trackOn,
    async lyric(deviceId) {
      const now = playing.get(deviceId)
      const track = trackOn(deviceId)
      return now && track ? lineAt(await lyricsOf(track), playedMs(now)) : undefined
    },
    onChange: (listener) => void decks.listeners.add(listener),
    close() {
      library.close()
      for (const deviceId of [...playing.keys()]) stop(deviceId)
    },
  }
}

interface MusicOptions {
  readonly ports: Pick<BuiltinPorts, 'playSound'>
  readonly meta: MetaStore
  readonly log: Log
}

const playedMs = ({ samples, sampleRate }: Playing): number =>
  sampleRate > 0 ? Math.round((samples * 1000) / sampleRate) : 0

/** The folder that a person chose, and what is in it. A start does not wait for it. */
async function openLibrary({ meta, log }: MusicOptions) {
  let folder = (await meta.get(folderKey)) || null
  let tracks: readonly Track[] = []
  const cut = new AbortController()
  if (folder !== null)
    void indexMusic(folder, cut.signal).then(
      (found) => (tracks = found),
      (error: unknown) => log.warn('the music folder cannot be read', { error }),
    )
  return {
    folder: () => folder,
    tracks: () => tracks,
    async choose(chosen: string | null) {
      tracks = chosen === null ? [] : await indexMusic(chosen, cut.signal)
      folder = chosen
      await meta.set(folderKey, chosen ?? '')
    },
    close: () => cut.abort(),
  }
}

/** What plays on each board. */
function createDecks({ ports, log }: MusicOptions) {
  const playing = new Map<string, Playing>()
  const listeners = new Set<(deviceId: string) => void>()
  const changed = (deviceId: string) => listeners.forEach((listener) => listener(deviceId))
  const trackOn = (deviceId: string): Track | undefined => {
    const now = playing.get(deviceId)
    return now?.tracks[now.at]
  }
  function stop(deviceId: string): void {
    playing.get(deviceId)?.cut.abort()
    if (playing.delete(deviceId)) changed(deviceId)
  }
  function begin(deviceId: string, list: Omit<Playing, 'cut'>): void {
    stop(deviceId)
    const now: Playing = { ...list, cut: new AbortController() }
    playing.set(deviceId, now)
    changed(deviceId)
    if (now.paused) return
    void run(deviceId, now, ports)
      .catch((error: unknown) => log.warn('music stopped', { deviceId, error }))
      .finally(() => {
        if (playing.get(deviceId) === now) stop(deviceId)
      })
  }
  function change(deviceId: string, to: Partial<Playing>): Track | undefined {
    const now = playing.get(deviceId)
    if (!now) return undefined
    begin(deviceId, { ...now, ...to })
    return trackOn(deviceId)
  }
  return { playing, listeners, begin, stop, change, trackOn }
}

async function run(deviceId: string, now: Playing, ports: Pick<BuiltinPorts, 'playSound'>): Promise<void> {
  while (now.at < now.tracks.length && !now.cut.signal.aborted) {
    const track = now.tracks[now.at]
    if (!track) return
    const sound = await openSound(track.path, now.samples)
    now.sampleRate = sound.sampleRate
    const title = track.artist === '' ? track.title : `${track.artist} – ${track.title}`
    const pcm = counted(sound.pcm, now)
    const end = await ports
      .playSound(deviceId, { title, pcm, sampleRate: sound.sampleRate, signal: now.cut.signal })
      .finally(() => sound.close())
    if (end === 'stopped') return
    // Interrupted: the same track again from where it was, when the board is idle.
    if (end === 'interrupted') continue
    now.at++
    now.samples = 0
  }
}

async function* counted(pcm: AsyncIterable<Int16Array>, now: Playing): AsyncGenerator<Int16Array, void, undefined> {
  for await (const piece of pcm) {
    if (now.cut.signal.aborted) return
    yield piece
    now.samples += piece.length
  }
}

/** Of the .lrc file beside the track, else those that it carries itself. */
async function lyricsOf({ path }: Track): Promise<readonly LyricLine[]> {
  const lines = parseLyrics(await readFile(path.replace(/\.[^.]+$/, '.lrc'), 'utf8').catch(() => ''))
  if (lines.length > 0) return lines
  const tags = createTagReader()
  try {
    return (await tags.tagsOf(path)).lyrics
  } finally {
    await tags.close()
  }
}

function lineAt(lines: readonly LyricLine[], ms: number): string | undefined {
  return lines.filter(({ atMs }) => atMs <= ms).at(-1)?.text ?? lines[0]?.text
}
