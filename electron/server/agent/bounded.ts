import type { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'

export interface Bound {
  readonly clock: Clock
  readonly ms: number
  readonly signal: AbortSignal
  readonly failure: () => AppError
}

/** The promise, or `failure` after `ms`; undefined at once when the signal aborts. */
export async function within<T>(promise: Promise<T>, { clock, ms, signal, failure }: Bound): Promise<T | undefined> {
  const end = Promise.withResolvers<undefined>()
  const aborted = () => end.resolve(undefined)
  // A promise that loses the race may still reject: nobody waits for it any more.
  promise.catch(() => undefined)
  if (signal.aborted) return undefined
  signal.addEventListener('abort', aborted)
  const stopTimer = clock.after(ms, () => end.reject(failure()))
  try {
    return await Promise.race([promise, end.promise])
  } finally {
    stopTimer()
    signal.removeEventListener('abort', aborted)
  }
}

/** The items of an engine; ends when the signal aborts, throws `failure` when one item takes longer than `ms`. */
export async function* boundedItems<T>(items: AsyncIterable<T>, bound: Bound): AsyncGenerator<T, undefined> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await within(iterator.next(), bound)
      if (!next || next.done) return undefined
      yield next.value
    }
  } finally {
    // Not awaited: an engine that hangs would keep the turn.
    void iterator.return?.().catch(() => undefined)
  }
}
