import { pause } from '../../base/deadline.ts'
import { createDisposer, type Disposer } from '../../base/disposer.ts'
import { createBackoff } from './backoff.ts'
import type { BoardEvent, BoardTurn } from './board-events.ts'
import { type BoardState, type BoardTool, bornBoardTools, initialBoardState } from './board-tools.ts'
import { type Channel, openChannel } from './channel.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { createEnrolment, type Enrolment, type Life } from './enrolment.ts'
import { type BoardServer, postAsBoard } from './provisioning.ts'
import { createTelemetry } from './telemetry.ts'
import { createToolServer } from './tool-server.ts'

export interface VirtualBoardOptions {
  readonly server: BoardServer
  /** 1–64 of `[A-Za-z0-9:_-]`; a MAC with colons for a booted chip. */
  readonly deviceId: string
  readonly board?: string
  readonly firmware?: { name: string; version: string }
  readonly claim?: string
  /** The newest token of an earlier life, from non-volatile memory. */
  readonly token?: string
  /** Instead of the six born tools. */
  readonly tools?: readonly BoardTool[]
  readonly codecs?: readonly ('opus' | 'pcm')[]
  readonly frameDuration?: 20 | 40 | 60
  /** 0 = no telemetry. Default 10 s. */
  readonly telemetrySeconds?: number
  /** Share of uplink frames lost, 0–1, and jitter in ms. */
  readonly loss?: number
  readonly jitterMs?: number
  readonly fec?: boolean
  readonly random?: () => number
  readonly onEvent?: (event: BoardEvent) => void
  readonly onSound?: (pcm: Int16Array, sampleRate: number) => void
  readonly onToken?: (token: string) => void
  readonly onStateChanged?: (state: BoardState) => void
}

export interface VirtualBoard {
  readonly id: string
  readonly state: BoardState
  /**
   * Resolves once the session is open and the server has asked for the tools (or did not for 2 s): what is said from
   * now on can use them. It never rejects: a board keeps trying.
   */
  readonly online: Promise<void>
  say(pcm16k: Int16Array, said: string): Promise<BoardTurn>
  abort(): void
  counters(): { framesIn: number; framesOut: number; bytes: number }
  /** Closes both channels with 1000. Idempotent. */
  stop(): Promise<void>
}

interface Inner {
  readonly options: VirtualBoardOptions
  readonly life: Life
  readonly random: () => number
  readonly emit: (event: BoardEvent) => void
  readonly stopping: AbortSignal
  readonly conversation: Conversation
  readonly enrolment: Enrolment
  readonly tools: readonly BoardTool[]
  readonly disposer: Disposer
  readonly seen: Assembly['seen']
  session: Channel | undefined
}

const toolsPatienceMs = 2_000

/** A board that speaks iotta over the real network with real Opus: a product part, and the far end of our tests. */
export function createVirtualBoard(options: VirtualBoardOptions): VirtualBoard {
  const state = initialBoardState()
  const online = Promise.withResolvers<void>()
  const stopping = new AbortController()
  const signs = { session: false, tools: false }
  const seen = (sign: keyof typeof signs) => {
    signs[sign] = true
    if (signs.session && signs.tools) online.resolve()
    else if (sign === 'session') void pause(toolsPatienceMs, stopping.signal).then(() => online.resolve())
  }
  const it = assemble({ options, state, stopping: stopping.signal, seen })
  const finished = live(it)
  return {
    id: options.deviceId,
    state,
    online: online.promise,
    say: (pcm, said) => it.conversation.say(pcm, said),
    abort: () => it.conversation.abort(),
    counters: () => ({
      framesIn: it.conversation.framesIn,
      framesOut: it.conversation.framesOut,
      bytes: it.conversation.bytes,
    }),
    async stop() {
      stopping.abort()
      await finished
      await it.disposer.close()
    },
  }
}

interface Assembly {
  readonly options: VirtualBoardOptions
  readonly state: BoardState
  readonly stopping: AbortSignal
  readonly seen: (sign: 'session' | 'tools') => void
}

function assemble({ options, state, stopping, seen }: Assembly): Inner {
  const id = options.deviceId
  const random = options.random ?? Math.random
  const emit = (event: BoardEvent) => {
    if (event.event === 'session') seen('session')
    options.onEvent?.(event)
  }
  const life: Life = { reply: undefined, token: options.token, claim: options.claim }
  const codecs = options.codecs ?? (['opus', 'pcm'] as const)
  const frameDuration = options.frameDuration ?? 60
  const disposer = createDisposer()
  const conversation = createConversation({
    id,
    frameDuration,
    codecs,
    link: { loss: options.loss ?? 0, jitterMs: options.jitterMs ?? 0, fec: options.fec ?? false, random },
    send: (data) => it.session?.send(data),
    emit,
    ...(options.onSound ? { onSound: options.onSound } : {}),
  })
  disposer.add(() => conversation.close())
  const facts = {
    device_id: id,
    board: options.board ?? 'virtual-s3',
    fw: options.firmware ?? { name: 'roost-virtual', version: '0.0.0' },
    audio: { codecs, sample_rate: 16_000, channels: 1, frame_duration: frameDuration },
    features: { tools: true, speaker: true },
  }
  const onToken = (token: string) => options.onToken?.(token)
  const enrolment = createEnrolment({ id, server: options.server, life, facts, stopping, emit, onToken, random })
  const tools = options.tools ?? bornBoardTools(state, () => options.onStateChanged?.(state))
  const it: Inner = {
    seen,
    options,
    life,
    random,
    emit,
    stopping,
    conversation,
    enrolment,
    tools,
    disposer,
    session: undefined,
  }
  return it
}

async function live(it: Inner): Promise<void> {
  if (!(await it.enrolment.renew())) return
  openSession(it)
  openTools(it)
  void it.enrolment.keepFresh()
  void reportTelemetry(it)
}

function channelBasics(it: Inner, address: 'session_url' | 'tools_url') {
  return {
    server: it.options.server,
    deviceId: it.options.deviceId,
    renew: () => it.enrolment.renew(),
    backoff: createBackoff(it.random),
    credentials: () => ({ url: it.life.reply?.[address] ?? '', token: it.life.reply?.token ?? '' }),
  }
}

function openSession(it: Inner): void {
  const channel = openChannel({
    ...channelBasics(it, 'session_url'),
    onOpen: () => it.conversation.opened(),
    onMessage: (data) => it.conversation.receive(data),
    onClosed: (close) => {
      it.conversation.closed()
      it.emit({ event: 'closed', id: it.options.deviceId, channel: 'session', ...close })
    },
  })
  it.session = channel
  it.disposer.add(() => channel.close())
}

function openTools(it: Inner): void {
  const id = it.options.deviceId
  const server = createToolServer({
    tools: it.tools,
    send: (message) => channel.send(message),
    onDeclared: () => it.seen('tools'),
    onCall: (call) => it.emit({ event: 'tool', id, ...call }),
  })
  const channel: Channel = openChannel({
    ...channelBasics(it, 'tools_url'),
    onOpen: () => it.emit({ event: 'tools', id }),
    onMessage: (data) => {
      if (typeof data === 'string') server.receive(data)
    },
    onClosed: (close) => it.emit({ event: 'closed', id, channel: 'tools', ...close }),
  })
  it.disposer.add(() => channel.close())
}

async function reportTelemetry(it: Inner): Promise<void> {
  const seconds = it.options.telemetrySeconds ?? 10
  const telemetry = createTelemetry({ random: it.random })
  while (seconds > 0 && !it.stopping.aborted) {
    const post = { url: it.life.reply?.telemetry_url ?? '', body: telemetry.report(), token: it.life.reply?.token }
    const answer = await postAsBoard(it.options.server, post).catch(() => undefined)
    it.emit({ event: 'telemetry', id: it.options.deviceId, status: answer?.status ?? 0 })
    await pause(seconds * 1000, it.stopping)
  }
}
