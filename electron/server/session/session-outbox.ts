import type { Clock } from '../../base/clock.ts'
import type { DeviceSocket } from '../../base/device-socket.ts'
import { errorText, isErrorCode } from '../../contract/errors.ts'
import { createThrottle } from './input-queue.ts'
import type { TaggedFrame } from './mouth.ts'
import type { State } from './session-machine.ts'
import { encodeToDevice, type ToDevice, type WireErrorCode } from './wire.ts'

/** Even messages are not piled up for a board that reads nothing. */
const maxUnreadBytes = 1024 * 1024

/** Of one session, for the console. `tagMismatches`: frames about to leave for another board or turn; must stay 0. */
export interface Counters {
  framesIn: number
  framesOut: number
  framesDropped: number
  framesTooFast: number
  badAudio: number
  badMessages: number
  tagMismatches: number
}

/** The only way out to one board. */
export interface SessionOutbox {
  readonly counters: Counters
  send(message: ToDevice): void
  fail(code: WireErrorCode, options?: { readonly fatal?: boolean; readonly detail?: string }): void
  /** Counted each time, told at most once a second (iotta-protocol.md §3.2). */
  badAudio(): void
  frame(frame: TaggedFrame): void
}

export function createSessionOutbox(options: {
  readonly session: string
  readonly socket: DeviceSocket
  readonly clock: Clock
  readonly state: () => State
}): SessionOutbox {
  const { socket, clock } = options
  const toldBadAudio = createThrottle(1000)
  const counters: Counters = {
    framesIn: 0,
    framesOut: 0,
    framesDropped: 0,
    framesTooFast: 0,
    badAudio: 0,
    badMessages: 0,
    tagMismatches: 0,
  }

  function send(message: ToDevice): void {
    if (socket.bufferedAmount > maxUnreadBytes) socket.close(1013, 'the board does not read')
    else socket.send(encodeToDevice(message))
  }

  function fail(code: WireErrorCode, { fatal = false, detail = '' } = {}): void {
    const message = detail === '' ? headline(code) : `${headline(code)}: ${detail}`
    send({ type: 'error', code, message, fatal })
  }

  return {
    counters,
    send,
    fail,
    badAudio() {
      counters.badAudio++
      if (toldBadAudio.pass(clock.now())) fail('bad_audio')
    },
    frame({ session, turn, bytes }) {
      const state = options.state()
      if (session !== options.session || state.at !== 'speaking' || state.turn !== turn) {
        counters.tagMismatches++
        return
      }
      counters.framesOut++
      socket.send(bytes)
    },
  }
}

function headline(code: WireErrorCode): string {
  const key = `iotta-${code.replaceAll('_', '-')}`
  return isErrorCode(key) ? errorText(key, 'en').headline : code
}
