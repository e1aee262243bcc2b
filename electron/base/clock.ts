/** Time as a value, so that pacing and deadlines are tested on a clock that a test moves. */
export interface Clock {
  /** Milliseconds since the epoch, with fractions; only grows, whatever is done to the clock of the machine. */
  now(): number
  /** Calls back once after `ms`; the result cancels it. */
  after(ms: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.max(0, ms))
    return () => clearTimeout(timer)
  },
}
