import { AppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import type { Device } from '../../contract/device.ts'
import type { DeviceRow, DeviceStore } from '../store/store.ts'
import type { DeviceEvents } from './device-events.ts'
import { type LiveDevice, describeDevice, liveDevice } from './live-device.ts'

export interface Clocks {
  /** Wall clock, ms since epoch. */
  readonly now: () => number
  /** Never jumps, ms. */
  readonly monotonic: () => number
}

/** Every known device in memory, in step with the store. */
export interface DeviceRecords {
  list(): Device[]
  describe(id: string): Device | undefined
  find(id: string): LiveDevice | undefined
  /** Throws 'server-not-found'. */
  known(id: string): LiveDevice
  put(row: DeviceRow): void
  update(id: string, change: Partial<Omit<DeviceRow, 'id'>>): Promise<void>
  remove(id: string): Promise<void>
  /** Stamps `lastSeenAt`, not awaited: presence is not worth a wait, and the next sighting writes again. */
  sighted(id: string, address: string | null): void
}

export interface RecordsOptions extends Clocks {
  readonly devices: DeviceStore
  readonly events: DeviceEvents
  readonly log: Log
}

export async function openDeviceRecords(options: RecordsOptions): Promise<DeviceRecords> {
  const { devices, events, log, now, monotonic } = options
  const live = new Map<string, LiveDevice>()
  for (const row of await devices.all()) live.set(row.id, liveDevice(row))

  const describe = (device: LiveDevice) => describeDevice(device, { monotonic: monotonic(), wall: now() })

  async function update(id: string, change: Partial<Omit<DeviceRow, 'id'>>): Promise<void> {
    await devices.update(id, change)
    const device = live.get(id)
    if (device) device.row = { ...device.row, ...change }
    events.emit('changed', id)
  }

  return {
    list: () => [...live.values()].map(describe),
    describe(id) {
      const device = live.get(id)
      return device && describe(device)
    },
    find: (id) => live.get(id),
    known(id) {
      const device = live.get(id)
      if (!device) throw new AppError('server-not-found', `No device has the id "${id}"`)
      return device
    },
    put(row) {
      const device = live.get(row.id)
      if (device) device.row = row
      else live.set(row.id, liveDevice(row))
      events.emit('changed', row.id)
    },
    update,
    async remove(id) {
      await devices.remove(id)
      live.delete(id)
    },
    sighted(id, address) {
      if (!live.has(id)) return
      update(id, { lastSeenAt: now(), ...(address === null ? {} : { lastAddress: address }) }).catch((error: unknown) =>
        log.warn('last sighting was not stored', { deviceId: id, error }),
      )
    },
  }
}
