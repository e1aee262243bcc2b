import type { Presence } from '../../contract/device.ts'

/** What was seen of one board, in ms of one monotonic clock. A channel is `open` or has the time it ended. */
export interface Sightings {
  readonly session: Channel
  readonly tools: Channel
  readonly telemetryAt: number | undefined
  /** The usual gap between two reports of this board. */
  readonly telemetryEveryMs: number
  readonly provisionAt: number | undefined
}

export type Channel =
  { readonly open: true; readonly lastAt: number } | { readonly open: false; readonly endedAt: number | undefined }

const provisionFreshMs = 60_000

/** The strongest evidence wins; a weaker one never overrides a newer failure of a stronger one (ux.md B6). */
export function presenceOf(sightings: Sightings, now: number): Presence {
  const { session, tools, telemetryAt, telemetryEveryMs, provisionAt } = sightings
  if (session.open) return { online: true, evidence: 'session', ageMs: now - session.lastAt }
  const sessionEnded = session.endedAt ?? -Infinity
  if (tools.open) return { online: true, evidence: 'tools', ageMs: now - tools.lastAt }
  const channelsEnded = Math.max(sessionEnded, tools.endedAt ?? -Infinity)
  if (telemetryAt !== undefined && telemetryAt >= channelsEnded) {
    return { online: now - telemetryAt <= 2 * telemetryEveryMs, evidence: 'telemetry', ageMs: now - telemetryAt }
  }
  if (provisionAt !== undefined && provisionAt >= channelsEnded) {
    return { online: now - provisionAt <= provisionFreshMs, evidence: 'provision', ageMs: now - provisionAt }
  }
  return { online: false, evidence: 'none', ageMs: channelsEnded === -Infinity ? null : now - channelsEnded }
}

/** A missed report must not look like a new rhythm: the gap follows slowly and stays within 5 s to 10 min. */
export function nextInterval(everyMs: number, gapMs: number): number {
  return Math.min(600_000, Math.max(5_000, everyMs + (gapMs - everyMs) / 4))
}
