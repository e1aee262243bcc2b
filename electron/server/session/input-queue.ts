/** Sound may be this far ahead of the clock (iotta-protocol.md §3.2). */
export const maxAheadMs = 2000

export interface InputQueue {
  /** Takes one frame that arrived at `now`; false = it came too far ahead of real time and is dropped. */
  admit(now: number): boolean
}

/**
 * One utterance: at any moment at most 2 s more sound than time since its start. A network that stalls and then
 * delivers what it held back loses nothing by this.
 */
export function createInputQueue(options: { readonly startedAt: number; readonly frameMs: number }): InputQueue {
  let admittedMs = 0
  return {
    admit(now) {
      if (admittedMs + options.frameMs - (now - options.startedAt) > maxAheadMs) return false
      admittedMs += options.frameMs
      return true
    },
  }
}

export interface Throttle {
  /** True when the last true was at least `everyMs` ago. */
  pass(now: number): boolean
}

export function createThrottle(everyMs: number): Throttle {
  let last = -Infinity
  return {
    pass(now) {
      if (now - last < everyMs) return false
      last = now
      return true
    },
  }
}
