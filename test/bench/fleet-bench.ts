import { type BenchServer, startBenchServer } from './bench-server.ts'
import { budgeted, type Figures, median, percentile, round } from './figures.ts'
import { connectFleet, type Fleet, type Talked } from './fleet-boards.ts'
import { type FlashTraffic, openFlashTraffic } from './flash-traffic.ts'
import { residentMib } from './process-cost.ts'

interface Options {
  readonly boards?: number
  readonly talkers?: number
  readonly lanes?: number
  /** Frames to be heard in each of the two conditions. */
  readonly frames?: number
  /** Turns of each talker in one stretch; the conditions take turns by stretches. */
  readonly turns?: number
}

interface Stretch extends Talked {
  readonly seconds: number
  readonly mainThreadMs: number
  /** p99 of the delay of the server's main loop, in each window of 2 s. */
  readonly delays: readonly number[]
}

type Condition = Omit<Stretch, 'failed' | 'turns' | 'lateness'>

/**
 * Thirty boards online, five of them in conversation, alone and while four lanes flash. The conditions alternate within
 * one run: whatever else the machine does, it does to both.
 */
export async function fleetBench({ boards = 30, talkers = 5, lanes = 4, frames = 20_000, turns = 8 }: Options = {}) {
  const server = await startBenchServer()
  const fleet = await connectFleet(server, { boards, talkers })
  const flash = await openFlashTraffic(server, lanes)
  try {
    await fleet.talk(1)
    const alone: Stretch[] = []
    const flashing: Stretch[] = []
    while (framesOf(alone) < frames || framesOf(flashing) < frames) {
      alone.push(await measure(server, fleet, turns))
      const traffic = flash.start()
      flashing.push(await measure(server, fleet, turns))
      await traffic.stop()
    }
    const memory = { main: residentMib(server.pid), all: residentMib(server.pid, { children: true }) }
    const figures = describe({ alone, flashing, memory, flash })
    return { name: 'fleet' as const, figures: { fleet_boards: boards, fleet_talking: talkers, ...figures } }
  } finally {
    await flash.close()
    await fleet.stop()
    await server.stop()
  }
}

const framesOf = (stretches: readonly Stretch[]): number => stretches.reduce((sum, { frames }) => sum + frames, 0)

async function measure(server: BenchServer, fleet: Fleet, turns: number): Promise<Stretch> {
  const watching = new AbortController()
  const delays: number[] = []
  const watch = follow(server, { delays, signal: watching.signal })
  const before = { at: performance.now(), cpu: server.mainThreadMs() }
  const talked = await fleet.talk(turns)
  const seconds = (performance.now() - before.at) / 1000
  const mainThreadMs = server.mainThreadMs() - before.cpu
  watching.abort()
  await watch
  return { ...talked, seconds, mainThreadMs, delays }
}

/** The console's own figure, once a window of 2 s; the first one is of the time before. */
async function follow(server: BenchServer, { delays, signal }: { delays: number[]; signal: AbortSignal }) {
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

function describe(run: {
  alone: readonly Stretch[]
  flashing: readonly Stretch[]
  memory: { main: number; all: number }
  flash: FlashTraffic
}): Figures {
  const [alone, flashing] = [joined(run.alone), joined(run.flashing)]
  const failed = [...run.alone, ...run.flashing].reduce((sum, stretch) => sum + stretch.failed, 0)
  const share = (of: Condition) => (of.late / of.frames) * 100
  // At most 1.2 times as many, or a thousandth of the frames, whichever is larger.
  const most = Math.max(share(alone) * 1.2, 0.1)
  return {
    fleet_turns: [...run.alone, ...run.flashing].reduce((sum, stretch) => sum + stretch.turns, 0),
    ...budgeted('fleet_turns_failed', failed, 0),
    ...conditionFigures('alone', alone),
    ...conditionFigures('flashing', flashing),
    fleet_lanes_written: run.flash.written,
    fleet_lanes_failed: run.flash.failed,
    ...budgeted('fleet_flashing_late_pct', share(flashing), round(most, 3)),
    fleet_rss_main_mib: round(run.memory.main),
    fleet_rss_with_children_mib: round(run.memory.all),
  }
}

function joined(stretches: readonly Stretch[]): Condition {
  const sum = (pick: (stretch: Stretch) => number) => stretches.reduce((total, stretch) => total + pick(stretch), 0)
  return {
    frames: sum(({ frames }) => frames),
    late: sum(({ late }) => late),
    seconds: sum(({ seconds }) => seconds),
    mainThreadMs: sum(({ mainThreadMs }) => mainThreadMs),
    delays: stretches.flatMap(({ delays }) => delays),
  }
}

function conditionFigures(name: string, condition: Condition): Figures {
  const { frames, late, seconds, mainThreadMs, delays } = condition
  return {
    [`fleet_${name}_frames`]: frames,
    [`fleet_${name}_frames_late`]: late,
    [`fleet_${name}_frames_late_pct`]: round((late / frames) * 100, 3),
    [`fleet_${name}_loop_delay_p99_ms`]: round(median(delays)),
    [`fleet_${name}_loop_delay_p99_worst_tenth_ms`]: round(percentile(delays, 90)),
    [`fleet_${name}_main_thread_cpu_pct`]: round(mainThreadMs / (seconds * 10)),
  }
}
