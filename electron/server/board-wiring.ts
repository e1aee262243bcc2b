import type { DeviceSocket } from '../base/device-socket.ts'
import type { Devices } from './devices/devices.ts'
import type { SessionLease } from './devices/live-device.ts'
import type { Sessions } from './session/sessions.ts'
import type { DeviceRow } from './store/store.ts'
import type { DeviceTools } from './tools/device-tools.ts'
import type { TurnRecorder } from './agent/turn-recorder.ts'

interface Parts {
  readonly devices: Devices
  readonly sessions: Sessions
  readonly boardTools: DeviceTools
  readonly turns: TurnRecorder
  /** A value that the server measured itself. */
  readonly onReply: (deviceId: string, replyMs: number, at: number) => void
}

export interface BoardWiring {
  onSession(socket: DeviceSocket, device: DeviceRow): void
  onTools(socket: DeviceSocket, device: DeviceRow): void
  close(): void
}

/** Joins what a socket brings with the device registry: presence, phase, counters and the end of its rights. */
export function wireBoards(parts: Parts): BoardWiring {
  const { devices, sessions, boardTools } = parts
  const leases = new Map<string, SessionLease>()
  const stopping = new AbortController()

  sessions.onChange((id) => {
    const view = sessions.of(id)
    const lease = leases.get(id)
    if (!view || !lease) return
    lease.setPhase(view.phase)
    lease.setCounters({ ...view.counters })
  })
  void followTurns(parts, leases, stopping.signal)

  return {
    onSession(socket, device) {
      // First the lease: an older session is closed by its own handle before the new one takes the id.
      const lease = devices.attachSession(
        device.id,
        {
          close: (code, reason) => socket.close(code, reason),
          warnTokenExpiring: () => sessions.tokenExpiring(device.id),
          control: (action) => sessions.control(device.id, action),
        },
        socket,
      )
      leases.set(device.id, lease)
      socket.onClose(() => {
        lease.detach()
        if (leases.get(device.id) === lease) leases.delete(device.id)
      })
      sessions.accept(device.id, socket)
    },
    onTools(socket, device) {
      const lease = devices.attachTools(device.id, { close: (code, reason) => socket.close(code, reason) }, socket)
      socket.onClose(() => lease.detach())
      boardTools.accept(device.id, socket)
    },
    close: () => stopping.abort(),
  }
}

async function followTurns(parts: Parts, leases: Map<string, SessionLease>, signal: AbortSignal): Promise<void> {
  const known = new Set<string>()
  for await (const { turn } of parts.turns.feed.subscribe(signal, { key: ({ turn }) => turn.id, max: 10_000 })) {
    if (turn.replyMs === null || known.has(turn.id)) continue
    known.add(turn.id)
    if (known.size > 1_000) known.delete(known.values().next().value ?? '')
    leases.get(turn.deviceId)?.setReplyMs(turn.replyMs)
    parts.onReply(turn.deviceId, turn.replyMs, turn.firstFrameAt ?? turn.startedAt)
  }
}
