/** Each outside client has an own one, apart from what voices and the console use (T12). */
export interface ClientBudget {
  /** Takes one; false = none is left now. */
  take(what: 'request' | 'call', now: number): boolean
}

const perMinute = { request: 600, call: 60 } as const
const burst = { request: 200, call: 20 } as const

/** A bucket each: a burst at once, then what the minute allows. */
export function createClientBudget(): ClientBudget {
  const buckets = { request: { left: burst.request as number, at: 0 }, call: { left: burst.call as number, at: 0 } }
  return {
    take(what, now) {
      const bucket = buckets[what]
      const refilled = bucket.left + ((now - bucket.at) * perMinute[what]) / 60_000
      bucket.left = Math.min(burst[what], refilled)
      bucket.at = now
      if (bucket.left < 1) return false
      bucket.left -= 1
      return true
    },
  }
}
