import { pause } from '../../electron/base/deadline.ts'
import { createForkLauncher } from '../../electron/base/launcher.ts'
import { silentLog } from '../../electron/base/log.ts'
import { environment } from '../../electron/cli/environment.ts'
import type { Turn } from '../../electron/contract/conversation.ts'
import { createSpeaking } from '../../electron/server/agent/speaking/speaking.ts'
import { microphoneSpeech } from '../../electron/server/spoken-sample.ts'
import { createVirtualBoard } from '../../electron/virtual/board/virtual-board.ts'
import commands from '../support/spoken-commands.json' with { type: 'json' }
import { type BenchServer, startBenchServer } from './bench-server.ts'
import { budgeted, type Figures, median, percentile, round } from './figures.ts'

type Command = (typeof commands)[number]

/** CPU ms of the server's main loop as the board saw the turn go by. */
interface TurnCost {
  /** `speech_end` heard → first frame heard. */
  readonly answer: number
  /** The whole turn, listening and speaking included. */
  readonly turn: number
}

interface Spoken {
  readonly command: Command
  readonly turn: Turn
  readonly cost: TurnCost
}

/**
 * Thirteen spoken commands through virtual board, TLS, codec, voice detection, grammar recognition, matcher, tool and
 * voice, with the server in a process of its own. Times are the turn record's; CPU is read from outside.
 */
export async function loopBench({ rounds = 3 } = {}): Promise<{ name: 'loop'; figures: Figures }> {
  const server = await startBenchServer()
  try {
    return { name: 'loop', figures: describe(await speakCommands(server, { rounds })) }
  } finally {
    await server.stop()
  }
}

/** The commands in their order, so many times; the first one is said once before, unmeasured. */
export async function speakCommands(
  server: BenchServer,
  { rounds, of = commands }: { rounds: number; of?: readonly Command[] },
): Promise<Spoken[]> {
  const speech = await recordCommands(of)
  const talker = await connectTalker(server)
  try {
    const plan = of.slice(0, 1).concat(Array.from({ length: rounds }, () => of).flat())
    const costs: TurnCost[] = []
    for (const { say } of plan) costs.push(await talker.say(speech.get(say) ?? new Int16Array(), say))
    const turns = await storedTurns(server, plan.length)
    const at = <T>(list: readonly T[], index: number): T => list[index] ?? never()
    return plan.map((command, index) => ({ command, turn: at(turns, index), cost: at(costs, index) })).slice(1)
  } finally {
    await talker.stop()
  }
}

async function recordCommands(of: readonly Command[]): Promise<Map<string, Int16Array>> {
  const speaking = await createSpeaking({ launcher: createForkLauncher(environment()), log: silentLog })
  try {
    const recorded = new Map<string, Int16Array>()
    for (const { say } of of) recorded.set(say, await microphoneSpeech(speaking, say))
    return recorded
  } finally {
    await speaking.close()
  }
}

async function connectTalker(server: BenchServer) {
  const cpu = { atEndOfSpeech: NaN, atFirstFrame: NaN }
  const board = createVirtualBoard({
    server: { url: server.boardUrl, ca: server.ca },
    deviceId: 'bench-loop',
    telemetrySeconds: 0,
    onEvent(event) {
      if (event.event === 'vad' && event.state === 'speech_end') cpu.atEndOfSpeech = server.mainThreadMs()
    },
    onSound() {
      if (Number.isNaN(cpu.atFirstFrame)) cpu.atFirstFrame = server.mainThreadMs()
    },
  })
  await board.online
  return {
    async say(pcm: Int16Array, said: string): Promise<TurnCost> {
      cpu.atFirstFrame = NaN
      const before = server.mainThreadMs()
      await board.say(pcm, said)
      return { answer: cpu.atFirstFrame - cpu.atEndOfSpeech, turn: server.mainThreadMs() - before }
    },
    stop: () => board.stop(),
  }
}

/** History is written in batches: the last turn may be on its way. */
async function storedTurns(server: BenchServer, count: number): Promise<Turn[]> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { turns } = await server.rpc.turns.list({ deviceId: 'bench-loop', limit: 200 })
    if (turns.length === count) return turns.toReversed()
    await pause(50)
  }
  throw new Error('A turn was not stored')
}

function never(): never {
  throw new Error('A turn is missing')
}

function describe(spoken: readonly Spoken[]): Figures {
  const made = spoken.filter(({ turn }) => !isFromCache(turn))
  const kept = spoken.filter(({ turn }) => isFromCache(turn))
  const wrong = spoken.filter((one) => !isRight(one))
  return {
    loop_turns: spoken.length,
    loop_tools_right: `${spoken.length - wrong.length} of ${spoken.length}`,
    loop_tools_right_meets: wrong.length === 0 ? 'yes' : 'no',
    ...(wrong.length === 0
      ? {}
      : { loop_tools_wrong: [...new Set(wrong.map(({ command }) => command.say))].join('; ') }),
    loop_cache_hit_share: round(kept.length / spoken.length, 2),
    ...budgeted('loop_endpoint_to_frame_made_p50_ms', median(made.map(endpointToFrame)), 150),
    ...budgeted('loop_endpoint_to_frame_cached_p50_ms', median(kept.map(endpointToFrame)), 50),
    loop_endpoint_to_frame_p95_ms: round(percentile(spoken.map(endpointToFrame), 95)),
    ...budgeted('loop_main_thread_cpu_p50_ms', median(spoken.map(({ cost }) => cost.answer)), 15),
    loop_main_thread_cpu_p95_ms: round(
      percentile(
        spoken.map(({ cost }) => cost.answer),
        95,
      ),
    ),
    loop_main_thread_cpu_whole_turn_p50_ms: round(median(spoken.map(({ cost }) => cost.turn))),
    ...budgeted('loop_speech_end_to_frame_p50_ms', median(spoken.map(({ turn }) => turn.replyMs ?? NaN)), 700),
    ...stageFigures(spoken.map(({ turn }) => turn)),
  }
}

/** Where the time between the decision and the first frame goes. */
function stageFigures(turns: readonly Turn[]): Figures {
  const after = (turn: Turn, name: string) => {
    const stage = turn.stages.find((each) => each.stage === name)
    return (stage?.endedAt ?? NaN) - endpointOf(turn)
  }
  const started = (turn: Turn, name: string) =>
    (turn.stages.find((each) => each.stage === name)?.startedAt ?? NaN) - endpointOf(turn)
  return {
    loop_text_final_after_p50_ms: round(median(turns.map((turn) => after(turn, 'asr')))),
    loop_thinking_after_p50_ms: round(median(turns.map((turn) => started(turn, 'llm')))),
    loop_tool_done_after_p50_ms: round(median(turns.map((turn) => after(turn, 'tool')))),
    loop_voice_asked_after_p50_ms: round(median(turns.map((turn) => started(turn, 'tts')))),
  }
}

const endpointOf = (turn: Turn): number => turn.stages.find(({ stage }) => stage === 'vad')?.endedAt ?? NaN

const endpointToFrame = ({ turn }: Spoken): number => (turn.firstFrameAt ?? NaN) - endpointOf(turn)

function isFromCache(turn: Turn): boolean {
  return turn.stages.find(({ stage }) => stage === 'tts')?.detail['cached'] === true
}

export function isRight({ command, turn }: Spoken): boolean {
  const [call] = turn.calls
  const same = JSON.stringify(sorted(call?.arguments ?? {})) === JSON.stringify(sorted(command.arguments))
  return turn.calls.length === 1 && call?.ref.split('@')[0] === command.tool && call.outcome === 'ok' && same
}

function sorted(value: object): unknown[] {
  return Object.entries(value).sort(([a], [b]) => a.localeCompare(b))
}
