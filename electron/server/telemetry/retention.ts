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

/** Prunes by itself every hour until it is closed. */
export function createRetention(options: { store: Aging; now: () => number; log: Log; retainMs?: number }): Retention {
  const { log, now, store } = options

  async function prune({ confirmed = false } = {}): Promise<number> {
    const before = now() - (options.retainMs ?? defaultRetainMs)
    const oldest = await store.oldest()
    if (!confirmed && oldest !== undefined && before - oldest > unconfirmedStepMs) {
      log.warn('pruning waits for a yes: it would remove more than 30 days', { oldest, before })
      return 0
    }
    const gone = await store.prune(before)
    if (gone > 0) log.info('pruned', { rows: gone, before })
    return gone
  }

  const timer = setInterval(() => {
    prune().catch((error: unknown) => log.warn('pruning failed', { code: toAppError(error).code }))
  }, 3600_000)
  timer.unref()
  return { prune, close: () => clearInterval(timer) }
}
