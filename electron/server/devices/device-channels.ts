import { AppError } from '../../base/app-error.ts'
import type { DeviceEvents } from './device-events.ts'
import type { Clocks, DeviceRecords } from './device-records.ts'
import type { ExpiryWatch } from './expiry-watch.ts'
import type {
  ChannelFacts,
  LiveDevice,
  OpenSession,
  SessionHandle,
  SessionLease,
  ToolsHandle,
  ToolsLease,
} from './live-device.ts'

export interface DeviceChannels {
  /** A newer session of the same device closes the older with 4409. Throws 'server-not-found' for an unknown id. */
  attachSession(id: string, handle: SessionHandle, facts: ChannelFacts): SessionLease
  attachTools(id: string, handle: ToolsHandle, facts: ChannelFacts): ToolsLease
  session(id: string): SessionHandle | undefined
  /** Reboot or identify, asked for by a person. Throws 'server-not-found' without a session. */
  control(id: string, action: 'reboot' | 'identify'): void
}

export interface ChannelsOptions extends Clocks {
  readonly records: DeviceRecords
  readonly events: DeviceEvents
  readonly expiry: ExpiryWatch
}

export function createDeviceChannels(options: ChannelsOptions): DeviceChannels {
  const { records, events, expiry, now, monotonic } = options

  events.on('accessEnded', ({ deviceId, tokenHashes, reason }) => {
    if (tokenHashes !== 'all') return
    const device = records.find(deviceId)
    device?.session?.handle.close(4401, reason)
    device?.tools?.handle.close(4401, reason)
  })
  events.on('tokenExpiring', (id) => records.find(id)?.session?.handle.warnTokenExpiring())

  function opened(id: string, facts: ChannelFacts): void {
    records.sighted(id, facts.address)
    if (!facts.tokenless) expiry.follow(id)
  }

  function ended(device: LiveDevice): void {
    if (!device.session && !device.tools) expiry.unfollow(device.row.id)
    records.sighted(device.row.id, null)
    events.emit('changed', device.row.id)
  }

  return {
    attachSession(id, handle, facts) {
      const device = records.known(id)
      const session: OpenSession = { ...facts, handle, since: now(), phase: 'connecting', counters: {} }
      const older = device.session
      device.session = session
      device.sessionChannel = { open: true, lastAt: monotonic() }
      older?.handle.close(4409, 'replaced by a newer session')
      opened(id, facts)
      return sessionLease({ device, session, events, expiry, monotonic, ended: () => ended(device) })
    },
    attachTools(id, handle, facts) {
      const device = records.known(id)
      const tools = { handle }
      const older = device.tools
      device.tools = tools
      device.toolsChannel = { open: true, lastAt: monotonic() }
      older?.handle.close(4409, 'replaced by a newer tool channel')
      opened(id, facts)
      return {
        seen() {
          if (device.tools === tools) device.toolsChannel = { open: true, lastAt: monotonic() }
        },
        detach() {
          if (device.tools !== tools) return
          device.tools = undefined
          device.toolsChannel = { open: false, endedAt: monotonic() }
          ended(device)
        },
      }
    },
    session: (id) => records.find(id)?.session?.handle,
    control(id, action) {
      const session = records.known(id).session
      if (!session) throw new AppError('server-not-found', `The device "${id}" has no session`)
      session.handle.control(action)
    },
  }
}

interface LeaseOptions {
  readonly device: LiveDevice
  readonly session: OpenSession
  readonly events: DeviceEvents
  readonly expiry: ExpiryWatch
  readonly monotonic: () => number
  readonly ended: () => void
}

function sessionLease({ device, session, events, expiry, monotonic, ended }: LeaseOptions): SessionLease {
  const id = device.row.id
  const mine = () => device.session === session
  return {
    setPhase(phase) {
      if (!mine() || session.phase === phase) return
      session.phase = phase
      if (phase === 'idle') expiry.turnEnded(id)
      events.emit('changed', id)
    },
    setCounters(counters) {
      if (!mine()) return
      session.counters = { ...counters }
      events.emit('changed', id)
    },
    setReplyMs(ms) {
      if (!mine()) return
      device.replyMs = ms
      events.emit('changed', id)
    },
    seen() {
      if (mine()) device.sessionChannel = { open: true, lastAt: monotonic() }
    },
    detach() {
      if (!mine()) return
      device.session = undefined
      device.sessionChannel = { open: false, endedAt: monotonic() }
      ended()
    },
  }
}
