import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { DeviceSocket } from '../../base/device-socket.ts'
import type { Log } from '../../base/log.ts'
import type { AudioFormat, SessionPhase } from '../../contract/device.ts'
import type { Agent } from '../agent/agent.ts'
import type { CodecPool } from '../audio/codec-pool.ts'
import type { Vad } from '../audio/vad.ts'
import type { TaggedFrame } from './mouth.ts'
import { type Agreement, negotiate } from './negotiation.ts'
import { createSessionCodec, type SessionCodec } from './session-codec.ts'
import { createSessionInbox } from './session-inbox.ts'
import type { Effect, Input, Opening, State } from './session-machine.ts'
import { type Counters, createSessionOutbox, type SessionOutbox } from './session-outbox.ts'
import { createSessionRunner, turnOf } from './session-runner.ts'
import { createSessionTimers, type SessionTimers } from './session-timers.ts'
import { createSessionTurn, type SessionTurn } from './session-turn.ts'
import { type Hello, type ToDevice, wireAudio } from './wire.ts'

/** A turn may outlive the last token by so much (iotta-protocol.md §2). */
const graceMs = 60_000

export interface SessionView {
  readonly id: string
  readonly deviceId: string
  readonly phase: SessionPhase
  readonly turnId: string | null
  /** How many turns wait for idle. */
  readonly waiting: number
  readonly since: number
  readonly address: string
  readonly security: DeviceSocket['listener']
  /** Null until the hello. */
  readonly input: AudioFormat | null
  readonly output: AudioFormat | null
  readonly counters: Readonly<Counters>
}

export interface Session {
  view(): SessionView
  /** A turn of the server's own; it waits until the session is idle. */
  open(opening: Opening): void
  /** A person stops what runs, as the board's own abort. */
  stop(): void
  control(action: 'reboot' | 'identify'): void
  /** Tells the board that its last token ends soon. */
  tokenExpiring(): void
  /** Closes with 4401 at the end of the running turn, 60 s later at most. */
  expire(): void
  close(code: number): void
}

export interface SessionParts {
  readonly agent: Agent
  readonly codecs: Pick<CodecPool, 'open'>
  readonly vad: Vad
  readonly clock: Clock
  readonly log: Log
  /** How far sound may be ahead of real time, at most 500 ms. Default 300. */
  readonly aheadMs?: number | undefined
}

export interface SessionOptions extends SessionParts {
  readonly deviceId: string
  readonly deviceName: () => string
  readonly socket: DeviceSocket
  /** Another phase or turn. */
  readonly onChange: () => void
  readonly onClosed: (code: number) => void
}

/** What was agreed in the hello. */
interface Agreed {
  readonly agreement: Agreement
  readonly codec: SessionCodec
  readonly language: 'en' | 'zh' | undefined
}

/** Runs the machine for one DeviceSocket (iotta-protocol.md §3). */
export function createSession(options: SessionOptions): Session {
  const { socket, clock, deviceId } = options
  const id = randomUUID()
  const since = clock.now()
  const log = options.log.child('session', { deviceId, session: id })
  const outbox = createSessionOutbox({ session: id, socket, clock, state: () => runner.state })
  const timers = createSessionTimers(clock, (input) => runner.dispatch(input))
  const turns = createTurns({ ...options, log, id, outbox, dispatch: (input) => runner.dispatch(input) })
  let expiring = false
  let stopGrace: () => void = () => undefined

  const runner = createSessionRunner({
    log,
    perform: (effect, input) => perform(effect, input, { outbox, timers, turns, socket }),
    onChange(state) {
      options.onChange()
      if (expiring && state.at === 'idle') socket.close(4401)
    },
  })

  socket.onMessage(
    createSessionInbox({
      socket,
      outbox,
      clock,
      log,
      state: () => runner.state,
      agreement: () => turns.agreed?.agreement,
      dispatch: (input) => runner.dispatch(input),
      onHello: (hello) => runner.dispatch(turns.greet(hello)),
      onContext: (data) => turns.know(data),
    }),
  )
  function end(code: number): void {
    runner.dispatch({ type: 'closed' })
    timers.clear()
    stopGrace()
    turns.close()
    log.info('session closed', { code, counters: outbox.counters })
    options.onClosed(code)
  }
  // Later: a socket that is closed already calls back at once, and our owner does not know us yet.
  queueMicrotask(() => socket.onClose(end))
  runner.dispatch({ type: 'opened' })

  return {
    view: () => viewOf(runner.state, { id, deviceId, since, socket, agreed: turns.agreed, counters: outbox.counters }),
    open: (opening) => runner.dispatch({ type: 'open', opening }),
    stop: () => runner.dispatch({ type: 'abort' }),
    control: (action) => outbox.send({ type: 'control', action }),
    tokenExpiring: () => outbox.fail('token_expiring'),
    expire() {
      if (runner.state.at === 'idle' || runner.state.at === 'connecting') return socket.close(4401)
      expiring = true
      stopGrace = clock.after(graceMs, () => socket.close(4401))
    },
    close: (code) => socket.close(code),
  }
}

interface EffectParts {
  readonly outbox: SessionOutbox
  readonly timers: SessionTimers
  readonly turns: Turns
  readonly socket: DeviceSocket
}

function perform(effect: Effect, input: Input, { outbox, timers, turns, socket }: EffectParts): void {
  switch (effect.do) {
    case 'send':
      return outbox.send(effect.message)
    case 'fail':
      return outbox.fail(effect.code, effect)
    case 'close':
      return socket.close(effect.code)
    case 'timer':
      return timers.set(effect)
    case 'drop':
      outbox.counters.framesDropped++
      return
    case 'hear':
      return turns.current?.frame(effect.bytes)
    case 'drain':
      return turns.current?.drain()
    case 'answer':
      return turns.current?.answer(effect.by)
    case 'mute':
      return turns.current?.mute()
    case 'cancel':
      return turns.current?.cancel(input.type === 'cut' ? 'iotta-slow-consumer' : undefined)
    case 'listen':
      return turns.begin(effect.turn)
    case 'open':
      return turns.begin(effect.opening.turn, effect.opening)
    case 'forget':
      return turns.forget(effect.opening)
  }
}

/** What the effects work on: the formats, what the board wants known, and the one turn that runs. */
interface Turns {
  readonly agreed: Agreed | undefined
  readonly current: SessionTurn | undefined
  greet(hello: Hello): Input
  know(data: Readonly<Record<string, unknown>>): void
  begin(id: string, opening?: Opening): void
  /** Recorded as aborted: it waited, and the board left. */
  forget(opening: Opening): void
  close(): void
}

interface TurnsOptions extends SessionOptions {
  readonly id: string
  readonly outbox: SessionOutbox
  readonly dispatch: (input: Input) => void
}

function createTurns(options: TurnsOptions): Turns {
  const { clock, log, id, deviceId, outbox } = options
  let agreed: Agreed | undefined
  let current: SessionTurn | undefined
  let context: Readonly<Record<string, unknown>> = {}

  function onTrouble(event: 'bad-audio' | 'too-fast'): void {
    if (event === 'too-fast') outbox.counters.framesTooFast++
    else outbox.badAudio()
  }

  function make(turnId: string, opening?: Opening): SessionTurn | undefined {
    if (!agreed) return undefined
    const who = { sessionId: id, deviceId, deviceName: options.deviceName() }
    const parts = {
      ...options,
      ...agreed,
      who,
      context,
      onTrouble,
      sendFrame: (frame: TaggedFrame) => outbox.frame(frame),
    }
    return createSessionTurn(turnId, parts, opening)
  }

  return {
    get agreed() {
      return agreed
    },
    get current() {
      return current
    },
    greet(hello) {
      const agreement = negotiate(hello.audio, hello.output)
      if (!agreement) return { type: 'disagreed' }
      const codec = createSessionCodec({ pool: options.codecs, formats: agreement, clock, log })
      agreed = { agreement, codec, language: languageOf(hello.locale) }
      return { type: 'agreed', hello: helloOf(id, agreement, clock.now()) }
    },
    know: (data) => (context = data),
    begin: (turnId, opening) => (current = make(turnId, opening)),
    forget: (opening) => make(opening.turn, opening)?.cancel(),
    close: () => agreed?.codec.close(),
  }
}

function helloOf(id: string, { input, output }: Agreement, now: number): Extract<ToDevice, { type: 'hello' }> {
  return {
    type: 'hello',
    session_id: id,
    input_audio: wireAudio(input),
    output_audio: wireAudio(output),
    server_time: Math.round(now),
  }
}

function languageOf(locale: string | undefined): 'en' | 'zh' | undefined {
  return (['en', 'zh'] as const).find((language) => locale?.toLowerCase().startsWith(language))
}

function viewOf(
  state: State,
  session: {
    id: string
    deviceId: string
    since: number
    socket: DeviceSocket
    agreed: Agreed | undefined
    counters: Counters
  },
): SessionView {
  const { socket, agreed, counters, ...rest } = session
  return {
    ...rest,
    phase: state.at,
    turnId: turnOf(state),
    waiting: state.waiting.length,
    address: socket.address,
    security: socket.listener,
    input: agreed?.agreement.input ?? null,
    output: agreed?.agreement.output ?? null,
    counters: { ...counters },
  }
}
