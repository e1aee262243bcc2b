import type { Clock } from '../../base/clock.ts'

/** Sound is never further ahead of real time; the protocol allows 500 ms, voice.md §9.15 asks for 300. */
export const defaultAheadMs = 300
/** More than this not yet taken by the kernel: the board reads too slowly (iotta-protocol.md §3.1). */
export const maxBufferedBytes = 256 * 1024
/** How much finished sound may wait here before its maker is asked to wait. */
const roomMs = 2000

export interface PacerOptions<T> {
  readonly clock: Clock
  readonly frameMs: number
  readonly aheadMs?: number | undefined
  readonly send: (frame: T) => void
  readonly buffered: () => number
  /** The socket is too slow: nothing more is sent. Called once. */
  readonly onSlow: () => void
}

export interface Pacer<T> {
  frame(frame: T): void
  /** Runs in its place: when the frame before it has been sent. */
  mark(callback: () => void): void
  /** Resolves when there is room for more, or when the pacer was stopped. */
  room(): Promise<void>
  /** Resolves with ms of sound once all of it has had time to play; undefined when it was stopped before. */
  played(): Promise<number | undefined>
  /** Nothing is sent any more, from this very moment. Idempotent. */
  stop(): void
}

type Item<T> = { readonly frame: T } | { readonly mark: () => void }

/** Sends frames at playing speed. */
export function createPacer<T>(options: PacerOptions<T>): Pacer<T> {
  const { clock, frameMs } = options
  const aheadMs = options.aheadMs ?? defaultAheadMs
  const player = createPlayer(frameMs)
  const backlog = createBacklog<T>(frameMs)
  const room = createWaiters<void>()
  const ends = createWaiters<number | undefined>()
  let stopped = false
  let cancelTimer: (() => void) | undefined

  function pump(): void {
    cancelTimer = undefined
    for (let item = backlog.head; item; item = backlog.head) {
      const waitMs = 'frame' in item ? player.aheadMs(clock.now()) + frameMs - aheadMs : 0
      if (waitMs > 0) {
        cancelTimer = clock.after(waitMs, pump)
        return
      }
      backlog.shift()
      if ('mark' in item) item.mark()
      else dispatch(item.frame)
      if (!backlog.full) room.release()
    }
    if (ends.size === 0 || stopped) return
    const restMs = player.aheadMs(clock.now())
    if (restMs > 0) cancelTimer = clock.after(restMs, pump)
    else ends.release(player.playedMs)
  }

  function dispatch(frame: T): void {
    // Checked each time: it rises within the tick that sends (recipes-server-audio.md §6).
    if (options.buffered() > maxBufferedBytes) {
      stop()
      return options.onSlow()
    }
    player.play(clock.now())
    options.send(frame)
  }

  function stop(): void {
    stopped = true
    backlog.clear()
    cancelTimer?.()
    room.release()
    ends.release(undefined)
  }

  function add(item: Item<T>): void {
    if (stopped) return
    backlog.push(item)
    // With a timer set, one that stands before it waits.
    if (!cancelTimer) pump()
  }

  return {
    frame: (frame) => add({ frame }),
    mark: (callback) => add({ mark: callback }),
    room: () => (backlog.full ? room.wait() : Promise.resolve()),
    async played() {
      if (stopped) return undefined
      const end = ends.wait()
      if (!cancelTimer) pump()
      return end
    },
    stop,
  }
}

function createBacklog<T>(frameMs: number) {
  const items: Item<T>[] = []
  let frames = 0
  return {
    get head() {
      return items[0]
    },
    get full() {
      return frames * frameMs >= roomMs
    },
    push(item: Item<T>): void {
      items.push(item)
      if ('frame' in item) frames++
    },
    shift(): void {
      const item = items.shift()
      if (item && 'frame' in item) frames--
    },
    clear(): void {
      items.length = 0
      frames = 0
    },
  }
}

/**
 * What the board's player must be doing. All times are counted from one base, so no error adds up; when the maker
 * falls behind, the board has fallen silent, and the base moves by what was lost: late sound is not sent in a burst.
 */
function createPlayer(frameMs: number) {
  let base = 0
  let played = 0
  return {
    get playedMs() {
      return played * frameMs
    },
    /** How much sound the board still has. */
    aheadMs: (now: number) => (played === 0 ? 0 : Math.max(0, base + played * frameMs - now)),
    play(now: number): void {
      if (played === 0 || base + played * frameMs < now) base = now - played * frameMs
      played++
    },
  }
}

function createWaiters<T>() {
  const waiters = new Set<(value: T) => void>()
  return {
    get size() {
      return waiters.size
    },
    wait: () => new Promise<T>((resolve) => waiters.add(resolve)),
    release(value: T): void {
      for (const waiter of waiters) waiter(value)
      waiters.clear()
    },
  }
}
