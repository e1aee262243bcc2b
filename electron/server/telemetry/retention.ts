import { toAppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'

export interface Retention {
  prune(options?: { confirmed?: boolean }): Promise<number>
  close(): void
}

export const dayMs = 24 * 3600_000
const defaultRetainMs = 30 * dayMs
/** A clock that jumped a year ahead must not empty the history (reliability.md C 51). */
const unconfirmedStepMs = 30 * dayMs

/** What ages: samples with events and logs, or turns. */
export interface Aging {
  oldest(): Promise<number | undefined>
  prune(before: number): Promise<number>
}

const hourMs = 3600_000
const beatMs = 5 * 60_000
const beatsPerHour = 12
/** So long a wall clock must have run along with the monotonic one until its date is believed. */
const provedMs = dayMs
const driftMs = hourMs

/**
 * Prunes five minutes after the start, then every hour until it is closed. What is more than 30 days overdue waits for
 * a yes, or for a clock that nobody corrected for a day: a server that was away for a season must not keep for ever.
 */
export function createRetention(options: {
  store: Aging
  now: () => number
  log: Log
  retainMs?: number
  /** Monotonic ms. */
  uptime?: () => number
}): Retention {
  const { log, now, store, uptime = () => performance.now() } = options
  let clock = { offset: now() - uptime(), since: uptime() }

  function isProved(): boolean {
    const offset = now() - uptime()
    if (Math.abs(offset - clock.offset) > driftMs) clock = { offset, since: uptime() }
    return uptime() - clock.since >= provedMs
  }

  async function prune({ confirmed = false } = {}): Promise<number> {
    const before = now() - (options.retainMs ?? defaultRetainMs)
    const oldest = await store.oldest()
    const proved = isProved()
    if (!confirmed && !proved && oldest !== undefined && before - oldest > unconfirmedStepMs) {
      log.warn('pruning waits: it would remove more than 30 days, and the clock may be wrong', { oldest, before })
      return 0
    }
    const gone = await store.prune(before)
    if (gone > 0) log.info('pruned', { rows: gone, before })
    return gone
  }

  let beats = 0
  const timer = setInterval(() => {
    if (beats++ % beatsPerHour !== 0) return
    prune().catch((error: unknown) => log.warn('pruning failed', { code: toAppError(error).code }))
  }, beatMs)
  timer.unref()
  return { prune, close: () => clearInterval(timer) }
}
