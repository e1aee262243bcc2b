export interface TrafficLimit {
  /** False when the peer sends more than it may. */
  message(): boolean
  /** A frame that is no call. False when there were too many of them. */
  garbage(): boolean
}

const burst = 500
const perSecond = 200
const garbageAMinute = 20

/** A bucket of messages, and a count of frames that made no sense (recipes-server-audio.md §6). `now` is monotonic ms. */
export function createTrafficLimit(now: () => number): TrafficLimit {
  let left = burst
  let filledAt = now()
  let nonsense: number[] = []
  return {
    message() {
      const at = now()
      left = Math.min(burst, left + ((at - filledAt) * perSecond) / 1000)
      filledAt = at
      left -= 1
      return left >= 0
    },
    garbage() {
      nonsense = [...nonsense.filter((at) => now() - at < 60_000), now()]
      return nonsense.length < garbageAMinute
    },
  }
}
