export interface SignInLimit {
  /** Seconds to wait before this peer may try again, or 0. */
  wait(peer: string): number
  fail(peer: string): void
  succeed(peer: string): void
}

const freeTries = 3
const longestWaitMs = 60_000
const forgottenAfterMs = 15 * 60_000
const globalPerMinute = 100
const peersKept = 10_000

interface Record {
  failures: number
  lastAt: number
}

/**
 * A delay that doubles with each failure of one peer, and a budget for all together that stops only peers which failed
 * before: the owner's first try from another address always counts (reliability.md T5). `now` is monotonic ms.
 */
export function createSignInLimit(now: () => number): SignInLimit {
  const peers = new Map<string, Record>()
  let recent: number[] = []

  function known(peer: string): Record | undefined {
    const record = peers.get(peer)
    return record && now() - record.lastAt < forgottenAfterMs ? record : undefined
  }

  return {
    wait(peer) {
      const record = known(peer)
      if (!record) return 0
      recent = recent.filter((at) => now() - at < 60_000)
      const delay = record.failures < freeTries ? 0 : Math.min(longestWaitMs, 1000 * 2 ** (record.failures - freeTries))
      const spent = recent.length >= globalPerMinute ? longestWaitMs : 0
      return Math.max(0, Math.ceil((record.lastAt + Math.max(delay, spent) - now()) / 1000))
    },
    fail(peer) {
      const failures = (known(peer)?.failures ?? 0) + 1
      peers.delete(peer)
      peers.set(peer, { failures, lastAt: now() })
      recent = [...recent, now()].slice(-globalPerMinute)
      for (const oldest of peers.keys()) {
        if (peers.size <= peersKept) break
        peers.delete(oldest)
      }
    },
    succeed: (peer) => void peers.delete(peer),
  }
}
