import { join } from 'node:path'
import { AppError } from '../base/app-error.ts'
import type { Clock } from '../base/clock.ts'
import type { Launcher } from '../base/launcher.ts'
import { createLiveFeed, type LiveFeed } from '../base/live-feed.ts'
import type { Log } from '../base/log.ts'
import type { UartEvent, UartSession } from '../contract/uart.ts'
import type { TurnRecorder } from './agent/turn-recorder.ts'
import type { Devices } from './devices/devices.ts'
import type { RpcFeatures } from './rpc/handlers.ts'
import type { Store } from './store/store.ts'
import type { ToolProvider } from './tools/tool-provider.ts'
import { createUartBench, type UartBench } from './uart/uart-bench.ts'
import { type BridgeRegistry, createUartBridges, type UartBridges } from './uart-bridges.ts'
import { createToolMemory, mcuBoard } from './uart-memory.ts'
import { createUartSessions } from './uart-sessions.ts'

export interface UartDesk extends Pick<UartBridges, 'callMcu' | 'has'> {
  readonly features: RpcFeatures['uart']
  /** Joins the host of all tools. */
  readonly provider: ToolProvider
  close(): Promise<void>
}

interface DeskOptions {
  readonly dataDir: string
  readonly launcher: Launcher
  readonly log: Log
  readonly clock: Clock
  readonly devices: Devices
  readonly registry: BridgeRegistry
  readonly store: Pick<Store, 'meta' | 'things'>
  readonly turns: Pick<TurnRecorder, 'feed'>
}

const done = { ok: true } as const

/** Serial ports that speak UART-MCP: bridges whose microcontrollers are devices, and the bench. */
export function createUartDesk(options: DeskOptions): UartDesk {
  const { devices, clock, turns } = options
  const log = options.log.child('uart')
  const feed = createLiveFeed<UartEvent>()
  const virtualPorts = new Set<string>()
  const stop = new AbortController()
  const sessions = createUartSessions({
    bench: () => bench,
    bridges: () => bridges,
    devices,
    memory: createToolMemory(options.store),
    log,
    isVirtual: (port) => virtualPorts.has(port),
    onChange: () => feed.publish({ type: 'sessions', sessions: sessions.views() }),
  })
  const bench = createUartBench({
    launcher: options.launcher,
    log,
    dir: join(options.dataDir, 'uart'),
    events: { ...sessions.events, lines: (id, lines) => feed.publish({ type: 'lines', id, lines: [...lines] }) },
  })
  const bridges = createUartBridges({
    bench,
    registry: options.registry,
    log,
    isVoice: (deviceId) => devices.row(deviceId)?.board !== mcuBoard,
    after: (ms, callback) => clock.after(ms, callback),
  })
  devices.onForgotten((deviceId) => {
    for (const { id } of sessions.views().filter((view) => view.deviceId === deviceId))
      void sessions.close(id).catch((error: unknown) => log.warn('bridge not closed', { error }))
  })
  void followTurns(turns, bridges, stop.signal).catch((error: unknown) => log.error('turns not followed', { error }))

  return {
    ...bridges,
    features: {
      ...benchRows(bench),
      open: sessions.open,
      watch: ({ id }, { signal }) => watch({ id, signal, bench, feed, views: sessions.views }),
      async startVirtualMcu({ thing }) {
        const { model, names } = await programOf(thing, options.store)
        const port = await bench.ask('startMcu', model, names)
        virtualPorts.add(port)
        return { port }
      },
      close: ({ id }) => ok(sessions.close(id)),
    },
    async close() {
      stop.abort()
      sessions.drop()
      feed.close()
      await bench.close()
    },
  }
}

/** The newest version of a Thing that is for everybody, with the tool of each of its members; none: the lesson's. */
async function programOf(thing: string | undefined, store: DeskOptions['store']) {
  if (thing === undefined) return { model: null, names: {} }
  const versions = await store.things.versions()
  const [newest] = versions
    .filter(({ name, canary }) => name === thing && canary.length === 0)
    .sort((a, b) => b.version - a.version)
  if (!newest) throw new AppError('server-not-found', `There is no Thing "${thing}"`)
  const names = Object.entries(newest.tools).map(([member, ref]) => [member, ref.replace(/@\d+$/, '')] as const)
  return { model: newest.model, names: Object.fromEntries(names) }
}

async function followTurns(turns: DeskOptions['turns'], bridges: UartBridges, signal: AbortSignal): Promise<void> {
  const changes = turns.feed.subscribe(signal, { key: ({ turn }) => turn.id, max: 10_000 })
  for await (const { turn } of changes) bridges.follow(turn)
}

async function ok(asked: Promise<unknown>): Promise<typeof done> {
  await asked
  return done
}

type BenchRows = Omit<RpcFeatures['uart'], 'open' | 'watch' | 'close' | 'startVirtualMcu'>

function benchRows(bench: UartBench): BenchRows {
  return {
    page: ({ id, before, limit }) => bench.ask('page', id, before, limit),
    send: ({ id, text, end }) => ok(bench.ask('send', id, text, end)),
    callTool: async ({ id, name, arguments: args }, { signal }) => ({
      status: await bench.call(id, { name, arguments: args, turnId: null, signal }),
    }),
    setBaud: ({ id, baud }) => ok(bench.ask('setBaud', id, baud)),
    setFaults: ({ id, plan }) => ok(bench.ask('setFaults', id, plan)),
    record: ({ id, on }) => ok(bench.ask('record', id, on)),
    recording: async ({ id }) => ({ text: await bench.ask('recording', id) }),
    replay: ({ id, text }) => ok(bench.ask('replay', id, text)),
    runScript: ({ id, steps }) => bench.ask('runScript', id, steps),
  }
}

interface WatchParts {
  readonly id: string | undefined
  readonly signal: AbortSignal
  readonly bench: UartBench
  readonly feed: LiveFeed<UartEvent>
  readonly views: () => UartSession[]
}

async function* watch({ id, signal, bench, feed, views }: WatchParts): AsyncGenerator<UartEvent> {
  const key = (event: UartEvent) => (event.type === 'sessions' ? 'sessions' : undefined)
  // Before the newest lines are asked for: what comes meanwhile waits, and is left out where it came twice.
  const changes = feed.subscribe(signal, { key, max: 2_000 })
  yield { type: 'sessions', sessions: views() }
  let last = -1
  if (id !== undefined) {
    const lines = await bench.ask('newest', id)
    last = lines.at(-1)?.seq ?? -1
    yield { type: 'lines', id, lines }
  }
  for await (const event of changes) {
    if (event.type === 'sessions') yield event
    else if (event.id === id) {
      const lines = event.lines.filter((line) => line.seq > last)
      if (lines.length > 0) yield { ...event, lines }
    }
  }
}
