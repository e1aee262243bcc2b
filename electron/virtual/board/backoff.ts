/** iotta-protocol §1.3: first try after 0–2 s at random, then doubling to 60 s with ± 50 % jitter. */
export interface Backoff {
  /** Ms to wait before the next try; `atLeastMs` from Retry-After or a close code's rule. */
  next(atLeastMs?: number): number
  reset(): void
}

const firstSpanMs = 2_000
const longestMs = 60_000

/** `random` gives 0–1. `firstMs` 0 makes the very first try immediate: a board that was just switched on. */
export function createBackoff(random: () => number): Backoff {
  let tries = 0
  return {
    next(atLeastMs = 0) {
      const base =
        tries === 0 ? firstSpanMs * random() : Math.min(longestMs, firstSpanMs * 2 ** (tries - 1)) * (0.5 + random())
      tries += 1
      return Math.max(atLeastMs, Math.min(base, longestMs))
    },
    reset() {
      tries = 0
    },
  }
}

/** What a close code asks of the board (iotta-protocol §1.3). */
export function afterClose(code: number): { provision: boolean; atLeastMs: number } {
  if (code === 4401) return { provision: true, atLeastMs: 0 }
  if (code === 4409) return { provision: false, atLeastMs: 60_000 }
  if (code === 1013) return { provision: false, atLeastMs: 5_000 }
  return { provision: false, atLeastMs: 0 }
}
