import type { Clock } from '../../base/clock.ts'
import type { ReplayOrder, ThingReplay } from '../../contract/thing-replay.ts'
import type { ThingValue } from '../../contract/thing.ts'
import type { ReplayRow } from './replay-csv.ts'

export interface ReplayPlayer {
  view(): ThingReplay
  steer(order: ReplayOrder): void
  /** No more values come. Idempotent. */
  stop(): void
}

interface Options {
  readonly file: string
  /** At least one; times do not go back. */
  readonly rows: readonly ReplayRow[]
  readonly clock: Clock
  /** The values of one time, as if the device had measured them. */
  readonly put: (values: Readonly<Record<string, ThingValue>>) => void
  /** Position, speed or state is another. */
  readonly changed: () => void
}

/** Plays a recording from its first row, at its own pace times `speed`. */
export function createReplayPlayer({ file, rows, clock, put, changed }: Options): ReplayPlayer {
  const lengthMs = rows.at(-1)?.atMs ?? 0
  let next = 0
  let speed = 1
  /** Where the recording stood at `since`; playing goes on from there. */
  let position = 0
  let since: number | undefined
  let stopTimer: () => void = () => undefined

  const now = () => Math.min(lengthMs, since === undefined ? position : position + (clock.now() - since) * speed)

  function hold(): void {
    position = now()
    since = undefined
    stopTimer()
  }

  /** Puts what is due and waits for what comes next. */
  function advance(): void {
    const at = now()
    for (let row = rows[next]; row && row.atMs <= at; row = rows[next]) {
      put(row.values)
      next += 1
    }
    const coming = rows[next]
    if (!coming) hold()
    else if (since !== undefined) stopTimer = clock.after((coming.atMs - at) / speed, advance)
    changed()
  }

  /** What the recording had said by then, at once: rows that change nothing more are not told one by one. */
  function seek(to: number): void {
    position = Math.min(lengthMs, to)
    next = rows.findIndex(({ atMs }) => atMs > position)
    if (next < 0) next = rows.length
    put(Object.assign({}, ...rows.slice(0, next).map(({ values }) => values)) as Record<string, ThingValue>)
  }

  function play(): void {
    if (next >= rows.length) {
      next = 0
      position = 0
    }
    since = clock.now()
    advance()
  }

  return {
    view: () => ({
      file,
      rows: rows.length,
      lengthMs,
      atMs: Math.round(now()),
      speed,
      state: since !== undefined ? 'playing' : next >= rows.length ? 'ended' : 'paused',
    }),
    steer({ action, atMs, speed: faster }) {
      hold()
      if (faster !== undefined) speed = faster
      if (atMs !== undefined) seek(atMs)
      if (action === 'play') play()
      else changed()
    },
    stop: hold,
  }
}
