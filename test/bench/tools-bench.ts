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
import { connectRpc } from '../../electron/server/rpc/rpc-client.ts'
import { createSchemaChecker } from '../../electron/server/tools/json-schema.ts'
import { createToolHost } from '../../electron/server/tools/tool-host.ts'
import type { ToolProvider } from '../../electron/server/tools/tool-provider.ts'
import { createToolRegistry, contentOf } from '../../electron/server/tools/tool-registry.ts'
import { startBenchServer } from './bench-server.ts'
import { budgeted, type Figures, percentile, round } from './figures.ts'
import { connectFleet } from './fleet-boards.ts'

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
async function callOverhead(calls: number): Promise<Figures> {
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
function matcherTimes(sentences: number): Figures {
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

/** Boards in conversation, alone and while people call their tools 200 times a second; the two take turns. */
async function callsBesideSound(size: { boards: number; talkers: number; turns: number }): Promise<Figures> {
  const server = await startBenchServer()
  const fleet = await connectFleet(server, size)
  const ids = Array.from({ length: size.boards }, (_, index) => `bench-fleet-${index + 1}`)
  const delays = { alone: [] as number[], calling: [] as number[] }
  let late = { alone: 0, calling: 0 }
  const outcomes = { ok: 0, other: 0 }
  // One console may not ask so much at once (traffic-limit.ts).
  const door = { url: server.loopback, token: server.secret }
  const consoles = await Promise.all(Array.from({ length: consolesCalling }, () => connectRpc(door)))
  const call = async (index: number) => {
    const deviceId = ids[index % ids.length] ?? ''
    const rpc = consoles[index % consoles.length]?.client ?? server.rpc
    const done = await rpc.tools.call({ deviceId, name: 'get_volume', arguments: {} }).catch(() => undefined)
    outcomes[done?.outcome === 'ok' ? 'ok' : 'other']++
  }
  try {
    await fleet.talk(1)
    for (const condition of ['alone', 'calling', 'alone', 'calling'] as const) {
      const stop = new AbortController()
      const watch = followDelays(server, delays[condition], stop.signal)
      const traffic = condition === 'calling' ? callSteadily(call, stop.signal) : Promise.resolve()
      const talked = await fleet.talk(size.turns)
      late = { ...late, [condition]: late[condition] + talked.late }
      stop.abort()
      await Promise.all([watch, traffic])
    }
    const shift = percentile(delays.calling, 99) - percentile(delays.alone, 99)
    return {
      tools_calls_ok: outcomes.ok,
      tools_calls_failed: outcomes.other,
      tools_alone_frames_late: late.alone,
      tools_calling_frames_late: late.calling,
      ...budgeted('tools_lateness_shift_p99_ms', Math.max(0, shift), 5),
    }
  } finally {
    for (const one of consoles) one.close()
    await fleet.stop()
    await server.stop()
  }
}

/** Each 50 ms a handful, whether the last ones were answered or not: a slow server is not spared. */
async function callSteadily(call: (index: number) => Promise<void>, signal: AbortSignal): Promise<void> {
  const running: Promise<void>[] = []
  let index = 0
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      for (let one = 0; one < callsASecond / 20; one++) running.push(call(index++))
    }, 50)
    signal.addEventListener('abort', () => {
      clearInterval(timer)
      resolve()
    })
  })
  await Promise.all(running)
}

/** The pacer runs on the main loop: how late the loop is, is how late a frame can be. p99 of each window of 2 s. */
async function followDelays(
  server: Awaited<ReturnType<typeof startBenchServer>>,
  delays: number[],
  signal: AbortSignal,
): Promise<void> {
  let first = true
  try {
    for await (const { loopDelayP99Ms } of await server.rpc.server.watch(undefined, { signal })) {
      if (!first) delays.push(loopDelayP99Ms)
      first = false
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
