import type { Log } from '../../base/log.ts'
import type { Device } from '../../contract/device.ts'
import type { CredentialStore, DeviceRow, DeviceStore } from '../store/store.ts'
import { type DeviceAccess, createDeviceAccess } from './device-access.ts'
import { type DeviceChannels, createDeviceChannels } from './device-channels.ts'
import { type AccessEnded, createDeviceEvents } from './device-events.ts'
import { type DeviceRecords, openDeviceRecords } from './device-records.ts'
import { createExpiryWatch } from './expiry-watch.ts'
import { type LiveDevice, noteTelemetry } from './live-device.ts'

export interface Devices extends Omit<DeviceAccess, 'end'>, DeviceChannels {
  list(): Device[]
  get(id: string): Device | undefined
  row(id: string): DeviceRow | undefined
  /** A device that has no token of its own: the server itself speaks for it (a microcontroller on a serial port). */
  adopt(row: DeviceRow): Promise<void>
  rename(id: string, name: string): Promise<void>
  noteTelemetry(id: string, metrics: Readonly<Record<string, number>>, address: string): void
  noteProvision(id: string, address: string): void
  /** An error code to show on the device, or null. */
  setNotice(id: string, notice: string | null): void
  onAccessEnded(listener: (ended: AccessEnded) => void): void
  onTokenExpiring(listener: (deviceId: string) => void): void
  onForgotten(listener: (deviceId: string) => void): void
  onChange(listener: (id: string) => void): void
  close(): void
}

export interface DevicesOptions {
  readonly store: { readonly devices: DeviceStore; readonly credentials: CredentialStore }
  readonly log: Log
  readonly now?: () => number
  readonly monotonic?: () => number
}

/** A device that enrolled in no way of its own: a microcontroller on a serial port. */
async function takeIn(row: DeviceRow, store: DeviceStore, records: DeviceRecords): Promise<void> {
  await store.put(row)
  records.put(row)
}

/** The device registry: who is known, who may speak, who is here. */
export async function createDevices(options: DevicesOptions): Promise<Devices> {
  const { store, log, now = Date.now, monotonic = () => performance.now() } = options
  const { credentials, devices } = store
  const events = createDeviceEvents()
  const records = await openDeviceRecords({ devices, events, log, now, monotonic })
  const access = createDeviceAccess({ credentials, records, events, log, now })
  const expiry = createExpiryWatch({
    credentials,
    now,
    busy: (id) => isBusy(records.find(id)),
    onExpiring(id) {
      setNotice(id, 'iotta-token-expiring')
      events.emit('tokenExpiring', id)
    },
    onExpired: (id) => access.end({ deviceId: id, tokenHashes: 'all', reason: 'expired' }),
    onFault: (error) => log.error('token expiry was not checked', { error }),
  })
  const channels = createDeviceChannels({ records, events, expiry, now, monotonic })

  function setNotice(id: string, notice: string | null): void {
    const device = records.find(id)
    if (!device || device.notice === notice) return
    device.notice = notice
    events.emit('changed', id)
  }

  return {
    ...access,
    ...channels,
    async issue(issue) {
      await access.issue(issue)
      setNotice(issue.device.id, null)
      const device = records.find(issue.device.id)
      if (device?.session ?? device?.tools) expiry.follow(issue.device.id)
    },
    list: () => records.list(),
    get: (id) => records.describe(id),
    row: (id) => records.find(id)?.row,
    adopt: (row) => takeIn(row, devices, records),
    async rename(id, name) {
      records.known(id)
      await records.update(id, { name })
    },
    noteTelemetry(id, metrics, address) {
      const device = records.find(id)
      if (device) noteTelemetry(device, metrics, monotonic())
      records.sighted(id, address)
    },
    noteProvision(id, address) {
      const device = records.find(id)
      if (device) device.provisionAt = monotonic()
      records.sighted(id, address)
    },
    setNotice,
    onAccessEnded: (listener) => events.on('accessEnded', listener),
    onTokenExpiring: (listener) => events.on('tokenExpiring', listener),
    onForgotten: (listener) => events.on('forgotten', listener),
    onChange: (listener) => events.on('changed', listener),
    close: () => expiry.close(),
  }
}

function isBusy(device: LiveDevice | undefined): boolean {
  const phase = device?.session?.phase
  return phase === 'listening' || phase === 'thinking' || phase === 'speaking'
}
