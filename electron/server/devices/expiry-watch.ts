import type { CredentialStore } from '../store/store.ts'

export interface ExpiryWatch {
  /** A channel opened or a token was given: looks again at when the device's last token ends. */
  follow(deviceId: string): void
  /** No channel is left. */
  unfollow(deviceId: string): void
  /** A turn ended: a device whose last token is over is closed now. */
  turnEnded(deviceId: string): void
  close(): void
}

export interface ExpiryWatchOptions {
  readonly credentials: CredentialStore
  readonly now: () => number
  readonly busy: (deviceId: string) => boolean
  readonly onExpiring: (deviceId: string) => void
  readonly onExpired: (deviceId: string) => void
  readonly onFault: (error: unknown) => void
}

const warnAheadMs = 60_000
const graceMs = 60_000
// setTimeout takes 24.8 days at most, and a clock that jumped is noticed within the hour.
const longestWaitMs = 3_600_000

interface Watched {
  timer: NodeJS.Timeout | undefined
  warnedFor: number | undefined
  overSince: number | undefined
}

/** Warns 60 s before the last token of a connected device ends, then closes at the end of its turn (iotta-protocol.md §2). */
export function createExpiryWatch(options: ExpiryWatchOptions): ExpiryWatch {
  const { credentials, now, busy, onExpiring, onExpired, onFault } = options
  const watched = new Map<string, Watched>()

  async function look(deviceId: string): Promise<void> {
    const rows = await credentials.tokensOf(deviceId)
    const entry = watched.get(deviceId)
    if (!entry) return
    const ends = Math.max(0, ...rows.filter((row) => row.revokedAt === null).map((row) => row.expiresAt))
    const left = ends - now()
    if (left <= 0) {
      over(deviceId, entry)
      return
    }
    entry.overSince = undefined
    if (left <= warnAheadMs && entry.warnedFor !== ends) {
      entry.warnedFor = ends
      onExpiring(deviceId)
    }
    wait(deviceId, entry, left > warnAheadMs ? left - warnAheadMs : left)
  }

  function over(deviceId: string, entry: Watched): void {
    entry.overSince ??= now()
    const graceLeft = entry.overSince + graceMs - now()
    if (!busy(deviceId) || graceLeft <= 0) {
      drop(deviceId)
      onExpired(deviceId)
      return
    }
    wait(deviceId, entry, graceLeft)
  }

  function wait(deviceId: string, entry: Watched, ms: number): void {
    clearTimeout(entry.timer)
    entry.timer = setTimeout(() => start(deviceId), Math.min(ms, longestWaitMs))
    entry.timer.unref()
  }

  function start(deviceId: string): void {
    look(deviceId).catch(onFault)
  }

  function drop(deviceId: string): void {
    clearTimeout(watched.get(deviceId)?.timer)
    watched.delete(deviceId)
  }

  return {
    follow(deviceId) {
      if (!watched.has(deviceId)) {
        watched.set(deviceId, { timer: undefined, warnedFor: undefined, overSince: undefined })
      }
      start(deviceId)
    },
    unfollow: drop,
    turnEnded(deviceId) {
      if (watched.get(deviceId)?.overSince !== undefined) start(deviceId)
    },
    close() {
      for (const deviceId of [...watched.keys()]) drop(deviceId)
    },
  }
}
