import type { Device, SessionPhase } from '../../contract/device.ts'
import type { DeviceRow } from '../store/store.ts'
import { type Channel, nextInterval, presenceOf } from './presence.ts'

/** What `devices` may ask of an open session; the session feature implements it. */
export interface SessionHandle {
  /** Iotta close codes (iotta-protocol.md §1.2). Idempotent. */
  close(code: number, reason: string): void
  /** Tells the board `error {code:"token_expiring", fatal:false}`. */
  warnTokenExpiring(): void
  control(action: 'reboot' | 'identify'): void
}

export interface ToolsHandle {
  close(code: number, reason: string): void
}

/** What a channel's owner tells about it while it lives. Every call after `detach` changes nothing. */
export interface SessionLease {
  setPhase(phase: SessionPhase): void
  setCounters(counters: Readonly<Record<string, number>>): void
  setReplyMs(ms: number): void
  /** Something came from the board. */
  seen(): void
  detach(): void
}

export interface ToolsLease {
  seen(): void
  detach(): void
}

export interface ChannelFacts {
  readonly address: string
  readonly listener: 'tls' | 'loopback'
  /** The server itself speaks for the device (Devices.adopt): no token of it can end. */
  readonly tokenless?: boolean
}

export interface OpenSession extends ChannelFacts {
  readonly handle: SessionHandle
  readonly since: number
  phase: SessionPhase
  counters: Readonly<Record<string, number>>
}

/** One device in memory: its stored row and what is known only while the server runs. */
export interface LiveDevice {
  row: DeviceRow
  session: OpenSession | undefined
  tools: { readonly handle: ToolsHandle } | undefined
  sessionChannel: Channel
  toolsChannel: Channel
  telemetryAt: number | undefined
  telemetryEveryMs: number
  provisionAt: number | undefined
  rssiDbm: number | null
  heapFreeBytes: number | null
  replyMs: number | null
  notice: string | null
}

export function liveDevice(row: DeviceRow): LiveDevice {
  return {
    row,
    session: undefined,
    tools: undefined,
    sessionChannel: { open: false, endedAt: undefined },
    toolsChannel: { open: false, endedAt: undefined },
    telemetryAt: undefined,
    telemetryEveryMs: 60_000,
    provisionAt: undefined,
    rssiDbm: null,
    heapFreeBytes: null,
    replyMs: null,
    notice: null,
  }
}

export function noteTelemetry(live: LiveDevice, metrics: Readonly<Record<string, number>>, at: number): void {
  if (live.telemetryAt !== undefined) {
    live.telemetryEveryMs = nextInterval(live.telemetryEveryMs, at - live.telemetryAt)
  }
  live.telemetryAt = at
  live.rssiDbm = metrics['rssi_dbm'] ?? live.rssiDbm
  live.heapFreeBytes = metrics['heap_free_bytes'] ?? live.heapFreeBytes
}

/** The contract's view; `monotonic` and `wall` are the two clocks now. */
export function describeDevice(live: LiveDevice, clocks: { monotonic: number; wall: number }): Device {
  const { row, session } = live
  const seen = presenceOf({ ...live, session: live.sessionChannel, tools: live.toolsChannel }, clocks.monotonic)
  // Before anything was seen in this run, the stored time is all there is.
  const stored = row.lastSeenAt === null ? null : Math.max(0, clocks.wall - row.lastSeenAt)
  return {
    id: row.id,
    name: row.name,
    board: row.board,
    firmware: row.firmware,
    state: session?.phase ?? 'offline',
    presence: seen.ageMs === null ? { ...seen, ageMs: stored } : seen,
    toolChannel: live.tools !== undefined,
    virtual: row.virtual,
    blocked: row.blocked,
    enrolledBy: row.enrolledBy,
    address: session?.address ?? row.lastAddress,
    security: session?.listener ?? null,
    sessionSince: session?.since ?? null,
    createdAt: row.createdAt,
    lastSeenAt: row.lastSeenAt,
    rssiDbm: live.rssiDbm,
    heapFreeBytes: live.heapFreeBytes,
    replyMs: live.replyMs,
    counters: { ...session?.counters },
    notice: live.notice,
  }
}
