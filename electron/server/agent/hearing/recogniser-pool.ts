import { AppError, toAppError } from '../../../base/app-error.ts'
import { pause } from '../../../base/deadline.ts'
import type { Launcher } from '../../../base/launcher.ts'
import type { Log } from '../../../base/log.ts'
import type { SphinxFiles } from './pocketsphinx-files.ts'
import { type RecogniserProcess, startRecogniser } from './recogniser-process.ts'

/** A process that lives shorter than this may be dying of its own: after a few of them the next start waits. */
const shortLifeMs = 5000
const shortLivesAtOnce = 3
const retryAfterMs = 5000

export interface RecogniserPool {
  /**
   * Runs `action` with a process that can take one more utterance; waits while all are full. At once, so that nobody
   * else takes the lane between. Rejects voice-recogniser-missing/-stopped.
   */
  use<T>(action: (recogniser: RecogniserProcess) => T | Promise<T>): Promise<T>
  /** A lane became free. */
  release(): void
  unavailable(): 'voice-recogniser-missing' | 'voice-recogniser-stopped' | undefined
  /** Throws the reason why nothing can be heard; notices a recogniser that was installed meanwhile. */
  requireRunning(): void
  close(): Promise<void>
}

export interface PoolOptions {
  readonly launcher: Launcher
  readonly log: Log
  readonly size: number
  /** A process that loaded so many grammars is replaced: each leaks 56 kB (recipes-server-audio.md §4). */
  readonly renewAfterSwaps: number
  find(): SphinxFiles | undefined
}

/** Keeps at least one process alive, and knows why when there is none. */
function createSupervisor(options: PoolOptions, release: () => void) {
  const pool = new Set<RecogniserProcess>()
  const closing = new AbortController()
  let state: 'missing' | 'stopped' | undefined = options.find() ? undefined : 'missing'
  let shortLives = 0

  async function watch(recogniser: RecogniserProcess): Promise<void> {
    const startedAt = performance.now()
    const failure = await recogniser.ready.then(() => undefined, toAppError)
    if (!failure) {
      state = undefined
      release()
      await recogniser.ended
    }
    // Taken out by us: renewed or closed.
    if (!pool.delete(recogniser) || closing.signal.aborted) return
    if (failure) state = failure.code === 'voice-recogniser-missing' ? 'missing' : 'stopped'
    shortLives = performance.now() - startedAt < shortLifeMs ? shortLives + 1 : 0
    options.log.warn('recogniser process ended', { state: state ?? 'restarting', error: failure })
    if (state !== 'missing' && (failure ?? shortLives > shortLivesAtOnce)) {
      if (pool.size === 0) state = 'stopped'
      await pause(retryAfterMs, closing.signal)
    }
    if (mayStart() && pool.size === 0) start()
    release()
  }
  const mayStart = (): boolean => !closing.signal.aborted && state !== 'missing'
  function start(): RecogniserProcess {
    const recogniser = startRecogniser(options.launcher)
    pool.add(recogniser)
    void watch(recogniser)
    return recogniser
  }
  return {
    pool,
    start,
    state: () => state,
    requireRunning(): void {
      if (closing.signal.aborted) throw new AppError('voice-recogniser-stopped', 'The recogniser was closed')
      if (state === 'missing' && options.find()) state = undefined
      if (state === 'missing')
        throw new AppError('voice-recogniser-missing', 'PocketSphinx or its English model is not installed')
      if (state === 'stopped') throw new AppError('voice-recogniser-stopped', 'The recogniser is being started again')
    },
    async close(): Promise<void> {
      closing.abort()
      const all = [...pool]
      for (const recogniser of all) recogniser.kill()
      await Promise.all(all.map((recogniser) => recogniser.ended))
    },
  }
}

/** Starts one process at once, more when all others are in use. Resolves when the first can hear, or cannot. */
export async function startRecogniserPool(options: PoolOptions): Promise<RecogniserPool> {
  const waiting: (() => void)[] = []
  const release = (): void => {
    renew()
    for (const next of waiting.splice(0)) next()
  }
  const supervisor = createSupervisor(options, release)
  const { pool, start } = supervisor

  const isSpent = (recogniser: RecogniserProcess): boolean => recogniser.swaps() >= options.renewAfterSwaps
  function renew(): void {
    for (const recogniser of [...pool]) {
      if (!isSpent(recogniser) || recogniser.openCount() > 0) continue
      pool.delete(recogniser)
      recogniser.kill()
      if (pool.size === 0) start()
    }
  }
  function choose(): RecogniserProcess | undefined {
    const usable = [...pool].filter((recogniser) => recogniser.hasFreeLane() && !isSpent(recogniser))
    const best = usable.sort((a, b) => a.openCount() - b.openCount())[0]
    if (pool.size >= options.size || best?.openCount() === 0) return best
    const more = start()
    return best ?? more
  }
  if (supervisor.state() === undefined) await start().ready.catch(() => undefined)
  return {
    async use(action) {
      for (;;) {
        supervisor.requireRunning()
        const found = choose()
        if (found) {
          await found.ready
          if (found.hasFreeLane()) return action(found)
        } else await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    release,
    unavailable: () => {
      const state = supervisor.state()
      return state && `voice-recogniser-${state}`
    },
    requireRunning: () => supervisor.requireRunning(),
    async close() {
      const closed = supervisor.close()
      release()
      await closed
    },
  }
}
