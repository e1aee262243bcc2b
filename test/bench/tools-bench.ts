import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { systemClock } from '../../electron/base/clock.ts'
import { silentLog } from '../../electron/base/log.ts'
import { bornTools } from '../../electron/contract/born-tools.ts'
import type { ToolVersion } from '../../electron/contract/tool.ts'
import { matchIntent } from '../../electron/server/agent/thinking/intent-matcher.ts'
import { openStore } from '../../electron/server/store/open-store.ts'
import { connectRpc, fromWire } from '../../electron/server/rpc/rpc-client.ts'
import { createSchemaChecker } from '../../electron/server/tools/json-schema.ts'
import { createToolHost } from '../../electron/server/tools/tool-host.ts'
import type { ToolProvider } from '../../electron/server/tools/tool-provider.ts'
import { createToolRegistry, contentOf } from '../../electron/server/tools/tool-registry.ts'
import { type BenchServer, startBenchServer } from './bench-server.ts'
import { budgeted, type Figures, percentile, round } from './figures.ts'
import { connectFleet, type Talked } from './fleet-boards.ts'

interface Options {
  readonly calls?: number
  readonly sentences?: number
  readonly boards?: number
  readonly talkers?: number
  readonly turns?: number
}

/** What a call costs, how quickly a sentence finds its tool, and whether calls disturb the sound. */
export async function toolsBench(options: Options = {}) {
  const { calls = 5000, sentences = 5000, boards = 30, talkers = 5, turns = 8 } = options
  const figures: Figures = {
    ...(await callOverhead(calls)),
    ...matcherTimes(sentences),
    ...(await callsBesideSound({ boards, talkers, turns })),
  }
  return { name: 'tools' as const, figures }
}

/** Validate, record, route, validate: CPU time of this process, with a far end that answers at once and a real store. */
export async function callOverhead(calls: number): Promise<Figures> {
  const dir = await mkdtemp(join(tmpdir(), 'roost-bench-tools-'))
  const store = await openStore({ dir, log: silentLog })
  const parts = { checker: createSchemaChecker(), clock: systemClock, log: silentLog }
  const registry = await createToolRegistry({ store: store.tools, edits: store.toolEdits, ...parts })
  const tools = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      registry.adopt(contentOf(bornTools[0]!), { name: `tool_${index}`, origin: 'builtin', owner: 'bench' }),
    ),
  )
  const provider: ToolProvider = {
    id: 'bench',
    offers: async () =>
      tools.map((tool) => ({ name: tool.name, tool, reachable: true, source: 'builtin', provider: null })),
    call: async () => ({ status: 'ok' }),
    onChange: () => undefined,
  }
  const kept: Promise<void>[] = []
  const audit = (entry: Parameters<typeof store.toolCalls.put>[0]) => void kept.push(store.toolCalls.put(entry))
  const host = createToolHost({ registry, providers: [provider], audit, ...parts })
  const call = (index: number) =>
    host.callTool({
      deviceId: 'bench',
      name: `tool_${index % 200}`,
      arguments: { on: true, brightness: index % 100 },
      caller: { kind: 'test', id: 'bench' },
    })
  try {
    for (let index = 0; index < 500; index++) await call(index)
    await Promise.all(kept.splice(0))
    const before = process.cpuUsage()
    for (let index = 0; index < calls; index++) await call(index)
    await Promise.all(kept)
    const { user, system } = process.cpuUsage(before)
    const kinds = (await store.toolCalls.list({ limit: 1 })).length
    if (kinds === 0) throw new Error('No call was recorded')
    return budgeted('tools_call_cpu_ms', (user + system) / 1000 / calls, 1)
  } finally {
    host.close()
    await store.close()
    await rm(dir, { recursive: true, force: true })
  }
}

/** Sentences of all kinds, half of them for no tool at all, among 200 tools with names of their own. */
export function matcherTimes(sentences: number): Figures {
  const tools = Array.from({ length: 200 }, (_, index): ToolVersion => {
    const born = bornTools[index % bornTools.length]!
    const target = { en: [`device ${index}`], zh: [`设备${index}`] }
    return { ...born, name: `${born.name}_${index}`, speech: { ...born.speech, target } }
  })
  const texts = [
    ['turn on the device 12', 'en'],
    ['what a lovely day it is today', 'en'],
    ['set device 114 to 40 percent', 'en'],
    ['把设备24打开', 'zh'],
    ['今天天气真不错', 'zh'],
    ['tell me a story about the moon', 'en'],
  ] as const
  for (const [text, language] of texts) matchIntent(text, language, tools)
  const times: number[] = []
  for (let index = 0; index < sentences; index++) {
    const [text, language] = texts[index % texts.length]!
    const startedAt = performance.now()
    matchIntent(text, language, tools)
    times.push(performance.now() - startedAt)
  }
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  return { tools_match_p99_ms: round(percentile(times, 99), 3), ...budgeted('tools_match_mean_ms', mean, 0.2) }
}

const callsASecond = 200
const consolesCalling = 8

interface Size {
  readonly boards: number
  readonly talkers: number
  readonly turns: number
}

type Heard = Pick<Talked, 'failed' | 'frames' | 'late' | 'lateness'> & { readonly seconds: number }

/**
 * Boards in conversation, alone and while people call their tools 200 times a second; the two take turns within one
 * run. What counts is when the frames came to the boards.
 */
export async function callsBesideSound(size: Size): Promise<Figures> {
  const server = await startBenchServer()
  const fleet = await connectFleet(server, size)
  const callers = await openCallers(server, size)
  const heard = { alone: [] as Heard[], calling: [] as Heard[] }
  try {
    await fleet.talk(1)
    for (const condition of ['alone', 'calling', 'alone', 'calling'] as const) {
      const stop = condition === 'calling' ? callers.start() : async () => undefined
      const startedAt = performance.now()
      const talked = await fleet.talk(size.turns)
      heard[condition].push({ ...talked, seconds: (performance.now() - startedAt) / 1000 })
      await stop()
    }
    return describe(heard, callers.outcomes)
  } finally {
    callers.close()
    await fleet.stop()
    await server.stop()
  }
}

function describe(heard: Record<'alone' | 'calling', readonly Heard[]>, outcomes: Outcomes): Figures {
  const sum = (of: readonly Heard[], pick: (one: Heard) => number) => of.reduce((total, one) => total + pick(one), 0)
  const p99 = (of: readonly Heard[]) =>
    percentile(
      of.flatMap(({ lateness }) => lateness),
      99,
    )
  const [alone, calling] = [p99(heard.alone), p99(heard.calling)]
  const all = [...heard.alone, ...heard.calling]
  const perSecond = (outcomes.ok + outcomes.failed) / sum(heard.calling, ({ seconds }) => seconds)
  return {
    tools_calls_ok: outcomes.ok,
    ...budgeted('tools_calls_failed', outcomes.failed, 0),
    tools_calls_first_failure: outcomes.firstFailure,
    tools_calls_per_second: round(perSecond),
    ...budgeted(
      'tools_turns_failed',
      sum(all, ({ failed }) => failed),
      0,
    ),
    tools_alone_frames: sum(heard.alone, ({ frames }) => frames),
    tools_alone_frames_late: sum(heard.alone, ({ late }) => late),
    tools_alone_lateness_p99_ms: round(alone, 2),
    tools_calling_frames: sum(heard.calling, ({ frames }) => frames),
    tools_calling_frames_late: sum(heard.calling, ({ late }) => late),
    tools_calling_lateness_p99_ms: round(calling, 2),
    ...budgeted('tools_lateness_shift_p99_ms', Math.max(0, calling - alone), 5),
  }
}

interface Outcomes {
  ok: number
  failed: number
  firstFailure: string
}

/** One console may not ask so much at once (traffic-limit.ts): several call, each board in its turn. */
async function openCallers(server: BenchServer, { boards, talkers }: Size) {
  const outcomes: Outcomes = { ok: 0, failed: 0, firstFailure: 'none' }
  const door = { url: server.loopback, token: server.secret }
  const consoles = await Promise.all(Array.from({ length: consolesCalling }, () => connectRpc(door)))
  let index = 0

  async function call(): Promise<void> {
    index += 1
    const rpc = consoles[index % consoles.length]?.client ?? server.rpc
    const board = index % boards
    const name = board < talkers ? 'get_story' : 'get_volume'
    try {
      const done = await rpc.tools.call({ deviceId: `bench-fleet-${board + 1}`, name, arguments: {} })
      if (done.outcome === 'ok') outcomes.ok += 1
      else fail(`${done.outcome} ${done.errorCode ?? ''} ${done.errorMessage ?? ''}`)
    } catch (error) {
      fail(fromWire(error).message)
    }
  }

  function fail(why: string): void {
    outcomes.failed += 1
    if (outcomes.failed === 1) outcomes.firstFailure = why
  }

  return {
    outcomes,
    /** So many a second by the clock, whether the last ones were answered or not: a slow server is not spared. */
    start() {
      const running: Promise<void>[] = []
      const startedAt = performance.now()
      const timer = setInterval(() => {
        const due = ((performance.now() - startedAt) * callsASecond) / 1000
        while (running.length < due) running.push(call())
      }, 50)
      return async () => {
        clearInterval(timer)
        await Promise.all(running)
      }
    },
    close: () => consoles.forEach((one) => one.close()),
  }
}
