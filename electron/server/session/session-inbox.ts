import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { DeviceSocket } from '../../base/device-socket.ts'
import type { Log } from '../../base/log.ts'
import { createRateGuard } from '../../base/rate-guard.ts'
import type { Agreement } from './negotiation.ts'
import type { Input, State } from './session-machine.ts'
import type { SessionOutbox } from './session-outbox.ts'
import { type FromDevice, type Hello, maxOpusBytes, maxPcmBytes, parseFromDevice } from './wire.ts'

export interface SessionInboxOptions {
  readonly socket: DeviceSocket
  readonly outbox: SessionOutbox
  readonly clock: Clock
  readonly log: Log
  readonly state: () => State
  readonly agreement: () => Agreement | undefined
  readonly dispatch: (input: Input) => void
  readonly onHello: (hello: Hello) => void
  readonly onContext: (data: Readonly<Record<string, unknown>>) => void
}

/** The only way in from one board: checks, counts, and makes inputs of what is left. */
export function createSessionInbox(options: SessionInboxOptions): (data: string | Uint8Array) => void {
  const { socket, outbox, clock, log, dispatch } = options
  const broken = createRateGuard({ limit: 20, windowMs: 60_000 })
  const unknownTypes = new Set<string>()

  function text(data: string): void {
    const verdict = parseFromDevice(data)
    if (verdict.ok) return message(verdict.message)
    if (verdict.reason === 'bad-message') return refuse(verdict.detail)
    outbox.fail('bad_message', { fatal: true, detail: verdict.detail })
    socket.close(1009, verdict.detail)
  }

  function refuse(detail: string): void {
    outbox.counters.badMessages++
    const tooMany = broken.count(clock.now())
    outbox.fail('bad_message', { fatal: tooMany, detail })
    if (tooMany) socket.close(4422, 'messages break the schema')
  }

  function message(from: FromDevice): void {
    const greeting = options.state().at === 'connecting'
    switch (from.type) {
      case 'hello':
        return greeting ? options.onHello(from) : refuse('hello was said already')
      case 'unknown':
        return noteUnknown(from.name)
      case 'context':
        return options.onContext(from.data)
      case 'abort':
        return greeting ? refuse('hello comes first') : dispatch({ type: 'abort' })
      case 'listen':
        if (greeting) return refuse('hello comes first')
        if (from.context) options.onContext(from.context)
        return dispatch(from.state === 'start' ? { type: 'listen-start', turn: randomUUID() } : { type: 'listen-stop' })
    }
  }

  /** Newer boards may say more than we know; once a session is enough to log it. */
  function noteUnknown(name: string): void {
    if (unknownTypes.has(name) || unknownTypes.size >= 32) return
    unknownTypes.add(name)
    log.info('unknown message type ignored', { type: name })
  }

  function frame(bytes: Uint8Array): void {
    const codec = options.agreement()?.input.codec
    if (bytes.length > (codec === 'opus' ? maxOpusBytes : maxPcmBytes)) return socket.close(1009, 'frame too large')
    outbox.counters.framesIn++
    // Before the hello nothing was agreed that it could be decoded by.
    if (!codec) outbox.badAudio()
    dispatch({ type: 'frame', bytes })
  }

  return (data) => (typeof data === 'string' ? text(data) : frame(data))
}
