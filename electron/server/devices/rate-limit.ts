import { isIP } from 'node:net'

export interface Attempt {
  readonly address: string
  readonly deviceId: string
}

export interface RateLimit {
  /** Seconds to wait (1 or more) when this peer has failed too often, else undefined. */
  retryAfter(attempt: Attempt): number | undefined
  /** Counts one failed credential. */
  fail(attempt: Attempt): void
}

export interface RateLimitOptions {
  readonly perPair?: number
  readonly perAddress?: number
  readonly windowMs?: number
  /** Keys kept at most: a flood of made-up ids forgets the oldest instead of growing. */
  readonly maxKeys?: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** Sliding windows of failures (iotta-protocol.md §1.1). The limit by address spares loopback, the one by pair does not. */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { perPair = 10, perAddress = 100, windowMs = 60_000, maxKeys = 10_000, now } = options
  const failures = new Map<string, number[]>()

  function recent(key: string): number[] {
    return (failures.get(key) ?? []).filter((at) => now() - at < windowMs)
  }

  function record(key: string, limit: number): void {
    const times = [...recent(key), now()].slice(-limit)
    // Re-inserted at the end, so that the first key is always the one that was quiet for longest.
    failures.delete(key)
    failures.set(key, times)
    for (const oldest of failures.keys()) {
      if (failures.size <= maxKeys) break
      failures.delete(oldest)
    }
  }

  function wait(key: string, limit: number): number {
    const times = recent(key)
    const first = times.at(-limit)
    return first === undefined ? 0 : Math.max(1, Math.ceil((first + windowMs - now()) / 1000))
  }

  return {
    retryAfter({ address, deviceId }) {
      const byPair = wait(pairKey(address, deviceId), perPair)
      const byAddress = isLoopbackAddress(address) ? 0 : wait(address, perAddress)
      const seconds = Math.max(byPair, byAddress)
      return seconds === 0 ? undefined : seconds
    },
    fail({ address, deviceId }) {
      record(pairKey(address, deviceId), perPair)
      if (!isLoopbackAddress(address)) record(address, perAddress)
    },
  }
}

function pairKey(address: string, deviceId: string): string {
  return `${address} ${deviceId}`
}

export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}
