import { pause } from '../../base/deadline.ts'

export interface WirePace {
  /** Resolves when the last of `bytes` has come over the wire at `baud` (8N1: ten bits a byte). */
  pass(bytes: number, baud: number): Promise<void>
}

/** Keeps the time at which the line is free, so that the rounding of timers does not add up. */
export function createWirePace(now: () => number = () => performance.now()): WirePace {
  let freeAt = 0
  return {
    async pass(bytes, baud) {
      freeAt = Math.max(freeAt, now()) + (bytes * 10_000) / baud
      const waitMs = freeAt - now()
      if (waitMs >= 1) await pause(waitMs)
    },
  }
}
