import { randomUUID } from 'node:crypto'
import { AppError } from '../../base/app-error.ts'
import type { DeviceSocket } from '../../base/device-socket.ts'
import type { Announced } from '../../contract/conversation.ts'
import type { TurnSound } from '../agent/turn-sound.ts'
import { encodeToDevice } from './wire.ts'
import { createSession, type Session, type SessionParts, type SessionView } from './session.ts'

const maxWaiting = 8
const defaultMaxSessions = 500

export interface SessionsOptions extends SessionParts {
  readonly deviceName: (deviceId: string) => string
  /** One more is turned away with `busy` and 1013: nobody falls behind because too many came. Default 500. */
  readonly maxSessions?: number
}

export interface Sessions {
  /** Takes a board's session channel after the upgrade; the newer session wins, the older is closed with 4409. */
  accept(deviceId: string, socket: DeviceSocket): void
  of(deviceId: string): SessionView | undefined
  all(): SessionView[]
  /** Runs when the session is idle. Throws iotta-no-session, or iotta-busy when 8 turns wait already. */
  openTurn(
    deviceId: string,
    turn: { source: 'typed' | 'announcement'; text: string; announced?: Announced; sound?: TurnSound },
  ): { turnId: string }
  /** Stops what runs; idle stays idle. Throws iotta-no-session. */
  stop(deviceId: string): void
  /** Throws iotta-no-session. */
  control(deviceId: string, action: 'reboot' | 'identify'): void
  /** 60 s before the last token of a device ends: the board is told. */
  tokenExpiring(deviceId: string): void
  /** The last token has ended: 4401 at the end of the running turn, 60 s later at most. */
  expire(deviceId: string): void
  /** At once: 4401 for a revoked token, 1008 for a blocked device. */
  drop(deviceId: string, code: number): void
  /** A session came, went, or changed its phase or turn. */
  onChange(listener: (deviceId: string) => void): void
  /** Closes every session with 1001. */
  close(): void
}

/** The live sessions, one a device. */
export function createSessions(options: SessionsOptions): Sessions {
  const log = options.log.child('sessions')
  const sessions = new Map<string, Session>()
  const listeners = new Set<(deviceId: string) => void>()
  const changed = (deviceId: string) => listeners.forEach((listener) => listener(deviceId))

  function need(deviceId: string): Session {
    const session = sessions.get(deviceId)
    if (!session) throw new AppError('iotta-no-session', `The device ${deviceId} has no session open`)
    return session
  }

  return {
    accept(deviceId, socket) {
      const older = sessions.get(deviceId)
      if (!older && sessions.size >= (options.maxSessions ?? defaultMaxSessions)) return turnAway(socket)
      const session = createSession({
        ...options,
        deviceId,
        deviceName: () => options.deviceName(deviceId),
        socket,
        onChange: () => changed(deviceId),
        onClosed() {
          if (sessions.get(deviceId) !== session) return
          sessions.delete(deviceId)
          changed(deviceId)
        },
      })
      sessions.set(deviceId, session)
      older?.close(4409)
      log.info('session opened', { deviceId, replaced: older !== undefined, listener: socket.listener })
      changed(deviceId)
    },
    of: (deviceId) => sessions.get(deviceId)?.view(),
    all: () => [...sessions.values()].map((session) => session.view()),
    openTurn(deviceId, turn) {
      const session = need(deviceId)
      if (session.view().waiting >= maxWaiting) throw new AppError('iotta-busy', `${maxWaiting} turns wait already`)
      const turnId = randomUUID()
      session.open({ turn: turnId, ...turn })
      return { turnId }
    },
    stop: (deviceId) => need(deviceId).stop(),
    control: (deviceId, action) => need(deviceId).control(action),
    tokenExpiring: (deviceId) => sessions.get(deviceId)?.tokenExpiring(),
    expire: (deviceId) => sessions.get(deviceId)?.expire(),
    drop: (deviceId, code) => sessions.get(deviceId)?.close(code),
    onChange: (listener) => void listeners.add(listener),
    close() {
      for (const session of [...sessions.values()]) session.close(1001)
    },
  }
}

function turnAway(socket: DeviceSocket): void {
  socket.send(encodeToDevice({ type: 'error', code: 'busy', message: 'The server is at its limit', fatal: true }))
  socket.close(1013)
}
