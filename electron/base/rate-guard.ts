export interface RateGuard {
  /** Counts one event at `now` (ms); true when it is the `limit`th within the window. */
  count(now: number): boolean
}

export function createRateGuard(options: { readonly limit: number; readonly windowMs: number }): RateGuard {
  const times: number[] = []
  return {
    count(now) {
      times.push(now)
      // Older ones no longer matter, and neither do more than the limit: the list stays short.
      while (times.length > options.limit || (times[0] ?? now) <= now - options.windowMs) times.shift()
      return times.length >= options.limit
    },
  }
}
