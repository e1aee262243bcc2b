import type { WebSocket } from 'ws'
import type { DeviceSocket } from '../../base/device-socket.ts'
import type { Log } from '../../base/log.ts'
import type { Devices } from '../devices/devices.ts'
import { createBoardSocket } from './board-socket.ts'
import type { ListenerKind } from './listeners.ts'

export interface NewChannel {
  readonly socket: WebSocket
  readonly listener: ListenerKind
  readonly address: string
  readonly endpoint: 'session' | 'tools'
  readonly deviceId: string
  readonly tokenHash: string
}

/** The open sockets of boards, one of each kind a device. */
export interface BoardChannels {
  /** An older channel of the same kind and device closes with 4409. */
  add(channel: NewChannel): DeviceSocket
  has(endpoint: 'session' | 'tools', deviceId: string): boolean
  closeAll(code: number, reason: string): void
}

/** Also the place where a lost right closes what it opened, at once and without anybody's help (iotta-protocol.md §2). */
export function createBoardChannels(devices: Devices, log: Log): BoardChannels {
  const open = new Map<string, { readonly board: DeviceSocket; readonly tokenHash: string }>()
  const keyOf = (endpoint: string, deviceId: string) => `${endpoint} ${deviceId}`

  devices.onAccessEnded(({ deviceId, tokenHashes, reason }) => {
    for (const endpoint of ['session', 'tools']) {
      const channel = open.get(keyOf(endpoint, deviceId))
      if (channel && (tokenHashes === 'all' || tokenHashes.includes(channel.tokenHash))) {
        log.info('channel closed', { deviceId, endpoint, reason })
        channel.board.close(4401, reason)
      }
    }
  })

  return {
    add({ socket, listener, address, endpoint, deviceId, tokenHash }) {
      const key = keyOf(endpoint, deviceId)
      open.get(key)?.board.close(4409, 'replaced by a newer one')
      const channel = { board: createBoardSocket({ socket, listener, address }), tokenHash }
      open.set(key, channel)
      channel.board.onClose(() => {
        if (open.get(key) === channel) open.delete(key)
      })
      return channel.board
    },
    has: (endpoint, deviceId) => open.has(keyOf(endpoint, deviceId)),
    closeAll(code, reason) {
      for (const { board } of open.values()) board.close(code, reason)
    },
  }
}
