import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { vi } from 'vitest'
import { type Clock, systemClock } from '../../electron/base/clock.ts'
import { entryUrl } from '../../electron/base/entries.ts'
import { createDisposer } from '../../electron/base/disposer.ts'
import { silentLog } from '../../electron/base/log.ts'
import type { Turn } from '../../electron/contract/conversation.ts'
import { createAgent } from '../../electron/server/agent/agent.ts'
import type { Hearing, Speaking, Thinking } from '../../electron/server/agent/providers.ts'
import { createRuleThinking } from '../../electron/server/agent/thinking/rule-thinking.ts'
import { createTurnRecorder } from '../../electron/server/agent/turn-recorder.ts'
import { createCodecPool } from '../../electron/server/audio/codec-pool.ts'
import { endpointDefaults } from '../../electron/server/audio/endpoint-machine.ts'
import type { Vad } from '../../electron/server/audio/vad.ts'
import { createVadStream } from '../../electron/server/audio/vad-stream.ts'
import { createSessions } from '../../electron/server/session/sessions.ts'
import { openStore } from '../../electron/server/store/open-store.ts'
import { createDeviceTools } from '../../electron/server/tools/device-tools.ts'
import { createSchemaChecker } from '../../electron/server/tools/json-schema.ts'
import { createToolHost } from '../../electron/server/tools/tool-host.ts'
import { createToolRegistry } from '../../electron/server/tools/tool-registry.ts'
import { createSocketPair, type FarSocket } from './memory-socket.ts'
import { createScriptedEngines, type EngineScript } from './scripted-engines.ts'

const frameSamples = 960

/** Voice detection whose model is away: the real streams, judging by level. */
const levelVad: Vad = {
  open: (settings = {}) =>
    createVadStream({ ...endpointDefaults, ...settings }, { send: () => false, left: () => undefined }),
  alive: false,
  pid: undefined,
  close: () => undefined,
}

export type SessionBench = Awaited<ReturnType<typeof createSessionBench>>

/** Everything between the sockets and the engines is real: codec threads, store, registry, machines. */
export async function createSessionBench(
  options: {
    script?: Partial<EngineScript>
    thinking?: Thinking
    clock?: Clock
    /** In place of the scripted ones. */
    engines?: { hearing: Hearing; speaking: Speaking; vad: Vad }
  } = {},
) {
  const closing = createDisposer()
  const dir = await mkdtemp(join(tmpdir(), 'roost-session-'))
  closing.add(() => rm(dir, { recursive: true, force: true }))
  const log = silentLog
  const clock = options.clock ?? systemClock
  const store = await openStore({ dir, log })
  closing.add(() => store.close())
  const workers: Worker[] = []
  const createWorker = () => {
    const worker = new Worker(entryUrl('codec-worker'))
    workers.push(worker)
    return worker
  }
  const codecs = createCodecPool({ size: 1, log, createWorker })
  closing.add(() => codecs.close())
  const engines = createScriptedEngines(options.script)
  const checker = createSchemaChecker()
  const registry = await createToolRegistry({ store: store.tools, edits: store.toolEdits, checker, clock, log })
  const boardTools = createDeviceTools({
    registry,
    store: store.tools,
    clock,
    log,
    version: '0.0.0',
    publishes: () => true,
  })
  const tools = createToolHost({ registry, checker, clock, log, providers: [boardTools] })
  const recorder = createTurnRecorder({ store: store.turns, clock, log })
  closing.add(() => recorder.settled())
  const agent = createAgent({
    name: 'Roost',
    language: 'en',
    hearing: options.engines?.hearing ?? engines.hearing,
    speaking: options.engines?.speaking ?? engines.speaking,
    thinking: options.thinking ?? createRuleThinking(),
    tools,
    recorder,
    clock,
    log,
  })
  const sessions = createSessions({
    agent,
    codecs,
    vad: options.engines?.vad ?? levelVad,
    clock,
    log,
    deviceName: (id) => `Board ${id}`,
  })
  closing.add(() => sessions.close())
  closing.add(() => tools.close())
  closing.add(() => boardTools.close())

  return {
    ...engines,
    engines,
    codecs,
    store,
    registry,
    tools,
    boardTools,
    recorder,
    sessions,
    /** The thread ends as a crash would end it. */
    killCodec: () => workers.at(-1)?.terminate(),
    /** A session socket of a board; `hello: false` leaves it connecting. */
    async connect(deviceId = 'board', board: BoardHello & { hello?: boolean } = {}) {
      const { near, far } = createSocketPair()
      sessions.accept(deviceId, near)
      const ends = createBoardEnd(far)
      if (board.hello === false) return ends
      ends.hello(board)
      await ends.until((message) => message['type'] === 'hello')
      return ends
    },
    turns: async (): Promise<Turn[]> => {
      await recorder.settled()
      return (await store.turns.list({ limit: 50 })).turns
    },
    close: () => closing.close(),
  }
}

export interface BoardHello {
  readonly codec?: 'opus' | 'pcm'
  readonly locale?: string
  readonly output?: Message
}
export type Message = Readonly<Record<string, unknown>>
export type BoardEnd = ReturnType<typeof createBoardEnd>

function createBoardEnd(far: FarSocket) {
  const messages = () => far.received.flatMap((data) => (typeof data === 'string' ? [JSON.parse(data) as Message] : []))
  const send = (message: Message) => far.send(JSON.stringify(message))
  const frames = (ms: number, level: number) => {
    for (let at = 0; at < ms; at += 60) far.send(pcmFrame(level))
  }
  return {
    far,
    messages,
    send,
    hello: ({ codec = 'pcm', locale = 'en-US', output }: BoardHello = {}) =>
      send({
        type: 'hello',
        locale,
        output,
        audio: { codecs: [codec], sample_rate: 16_000, channels: 1, frame_duration: 60 },
      }),
    listen: (state: 'start' | 'stop') => send({ type: 'listen', state }),
    speech: (ms = 300) => frames(ms, 8000),
    silence: (ms = 600) => frames(ms, 0),
    /** A whole utterance that voice detection ends by itself. */
    utter() {
      send({ type: 'listen', state: 'start' })
      frames(300, 8000)
      frames(600, 0)
    },
    /** Everything in order: messages by their short form, runs of audio frames as one `audio`. */
    story(): string[] {
      return far.received
        .map((data) => (typeof data === 'string' ? short(JSON.parse(data) as Message) : 'audio'))
        .filter((word, index, all) => word !== 'audio' || all[index - 1] !== 'audio')
    },
    audioFrames: () => far.received.filter((data) => typeof data !== 'string'),
    until: (match: (message: Message) => boolean, count = 1) =>
      vi.waitFor(
        () => {
          const found = messages().filter(match)
          if (found.length < count) throw new Error(`not yet: ${JSON.stringify(messages().slice(-5))}`)
          return found[count - 1]!
        },
        { timeout: 8000, interval: 5 },
      ),
    ended: (count = 1) =>
      vi.waitFor(
        () => {
          const stops = messages().filter(({ type, state }) => type === 'tts' && state === 'stop')
          if (stops.length < count) throw new Error(`not yet: ${JSON.stringify(messages().slice(-5))}`)
        },
        { timeout: 8000, interval: 5 },
      ),
  }
}

function short(message: Message): string {
  const { type, state, stage, text, code } = message
  const rest = [state, stage, code, text].filter((word) => typeof word === 'string')
  return [type, ...rest].join(' ')
}

/** One frame of a 400 Hz tone, 16 kHz mono, 60 ms. */
export function pcmFrame(level: number): Uint8Array {
  const bytes = new Uint8Array(frameSamples * 2)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < frameSamples; i++) {
    view.setInt16(i * 2, Math.round(level * Math.sin((2 * Math.PI * 400 * i) / 16_000)), true)
  }
  return bytes
}

/** A board's tool channel that answers by script; `hear` sees every request. */
export interface ToolBoard {
  readonly far: FarSocket
  readonly requests: readonly Message[]
  answer(id: unknown, result: unknown): void
}

export function connectToolBoard(
  bench: Pick<SessionBench, 'boardTools'>,
  deviceId: string,
  handle: (request: Message, board: ToolBoard) => void,
): ToolBoard {
  const { near, far } = createSocketPair()
  const requests: Message[] = []
  const board: ToolBoard = {
    far,
    requests,
    answer: (id, result) => far.send(JSON.stringify({ jsonrpc: '2.0', id, result })),
  }
  far.onMessage((data) => {
    const request = JSON.parse(data as string) as Message
    requests.push(request)
    handle(request, board)
  })
  bench.boardTools.accept(deviceId, near)
  return board
}

/** A small board: no MCP server, names its tools, does what it is told. */
export function plainToolBoard(names: readonly string[]) {
  return (request: Message, board: ToolBoard): void => {
    const { id, method, params } = request as { id: number; method: string; params?: { name?: string } }
    if (method === 'initialize') {
      board.far.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }))
    } else if (params?.name === 'declare_capabilities') {
      board.answer(id, { tools: names.map((name) => ({ name })) })
    } else if (method === 'tools/call') {
      board.answer(id, { status: 'ok' })
    }
  }
}
