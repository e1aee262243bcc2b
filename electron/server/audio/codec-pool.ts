import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../base/app-error.ts'
import { pause } from '../../base/deadline.ts'
import { entryUrl } from '../../base/entries.ts'
import type { Log } from '../../base/log.ts'
import { checkFormat } from './audio-format.ts'
import { type CodecLane, createCodecLane } from './codec-lane.ts'
import type { CodecFormats } from './codec-messages.ts'
import type { CodecSession } from './codec-session.ts'

const watchMs = 1500
/** A thread that dies young is replaced slowly: it would die again. */
const youngMs = 1000
const slowestRestartMs = 5000

export interface CodecPool {
  /**
   * Pinned to the thread with the fewest sessions. Throws iotta-unsupported-codec for a format outside the protocol and
   * voice-codec-stopped while no thread runs.
   */
  open(formats: CodecFormats): CodecSession
  stats(): { readonly workers: number; readonly sessions: number; readonly restarts: number }
  close(): Promise<void>
}

/** Threads start at once and are replaced when they die; `createWorker` is there for tests. */
export function createCodecPool(options: {
  readonly size?: number
  readonly log: Log
  readonly createWorker?: () => Worker
}): CodecPool {
  const log = options.log.child('codec')
  const createWorker = options.createWorker ?? (() => new Worker(entryUrl('codec-worker')))
  const lanes = new Set<CodecLane>()
  const ending = new AbortController()
  let restarts = 0
  let youngDeaths = 0

  function start(): void {
    const startedAt = performance.now()
    const lane = createCodecLane(createWorker(), (error) => {
      lanes.delete(lane)
      if (ending.signal.aborted) return
      log.warn('codec thread stopped', { error })
      youngDeaths = performance.now() - startedAt < youngMs ? youngDeaths + 1 : 0
      void restart()
    })
    lanes.add(lane)
  }

  async function restart(): Promise<void> {
    restarts++
    // The first one at once: a session that is opened now must find it.
    if (youngDeaths > 1) await pause(Math.min(50 * 2 ** youngDeaths, slowestRestartMs), ending.signal)
    if (!ending.signal.aborted) start()
  }

  for (let i = 0; i < Math.max(1, options.size ?? availableParallelism()); i++) start()
  const watch = setInterval(() => lanes.forEach((lane) => lane.watch()), watchMs)
  watch.unref()

  return {
    open(formats) {
      checkFormat(formats.input)
      checkFormat(formats.output)
      const [lane] = [...lanes].sort((a, b) => a.sessions - b.sessions)
      if (!lane) throw new AppError('voice-codec-stopped', 'No codec thread runs at the moment')
      return lane.open(formats)
    },
    stats: () => ({
      workers: lanes.size,
      sessions: [...lanes].reduce((sum, lane) => sum + lane.sessions, 0),
      restarts,
    }),
    async close() {
      ending.abort()
      clearInterval(watch)
      await Promise.all([...lanes].map((lane) => lane.close()))
    },
  }
}
