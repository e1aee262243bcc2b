import { createForkLauncher } from '../../electron/base/launcher.ts'
import { silentLog } from '../../electron/base/log.ts'
import { pause } from '../../electron/base/deadline.ts'
import { environment } from '../../electron/cli/environment.ts'
import { createSpeaking } from '../../electron/server/agent/speaking/speaking.ts'
import { microphoneSpeech } from '../../electron/server/spoken-sample.ts'
import type { BoardTool } from '../../electron/virtual/board/board-tools.ts'
import { createVirtualBoard } from '../../electron/virtual/board/virtual-board.ts'
import type { BenchServer } from './bench-server.ts'

const question = 'what is the story'
/** About ten seconds of speech: most of what a fleet hears is replies. */
const story =
  'about a small board on a desk. It listened all day long. People asked it for the light and the fan. ' +
  'It never grew tired of them. In the evening it told them how warm it was.'

const storyTool: BoardTool = {
  name: 'get_story',
  description: 'Tells a story.',
  inputSchema: { type: 'object', properties: {} },
  call: () => ({ story }),
}

export interface Talked {
  readonly turns: number
  readonly failed: number
  readonly frames: number
  /** Frames that left the loudspeaker dry: more than 65 ms after the one before. */
  readonly late: number
  /** How long after its turn to sound each frame came, ms; 0 = in time. */
  readonly lateness: readonly number[]
}

export interface Fleet {
  /** Every talker asks so many times, one after the other, the talkers out of step. */
  talk(turns: number): Promise<Talked>
  stop(): Promise<void>
}

/** So many boards online, with telemetry each 10 s; the first few of them can tell a story. */
export async function connectFleet(
  server: BenchServer,
  { boards, talkers }: { boards: number; talkers: number },
): Promise<Fleet> {
  const pcm = await recordQuestion()
  const clocks = Array.from({ length: boards }, createPlayClock)
  const all = Array.from({ length: boards }, (_, index) =>
    createVirtualBoard({
      server: { url: server.boardUrl, ca: server.ca },
      deviceId: `bench-fleet-${index + 1}`,
      ...(index < talkers ? { tools: [storyTool] } : {}),
      onSound: (pcm, sampleRate) => clocks[index]?.frame((pcm.length / sampleRate) * 1000),
    }),
  )
  await Promise.all(all.map((board) => board.online))
  await publishStory(server)
  return {
    async talk(turns) {
      const results = await Promise.all(
        all.slice(0, talkers).map(async (board, index) => {
          await pause(index * 700)
          const said = []
          for (let turn = 0; turn < turns; turn += 1) {
            clocks[index]?.restart()
            said.push(await board.say(pcm, question))
          }
          return said
        }),
      )
      const said = results.flat()
      return {
        turns: said.length,
        failed: said.filter((turn) => !turn.reply.includes('small board')).length,
        frames: said.reduce((sum, turn) => sum + turn.frames, 0),
        late: said.reduce((sum, turn) => sum + turn.late, 0),
        lateness: clocks.flatMap((clock) => clock.take()),
      }
    },
    async stop() {
      await Promise.all(all.map((board) => board.stop()))
    },
  }
}

/** A frame is due when the one before it has sounded; the first of a reply is never late. */
function createPlayClock() {
  let due: number | undefined
  const lateness: number[] = []
  return {
    restart: () => void (due = undefined),
    frame(lengthMs: number): void {
      const now = performance.now()
      if (due !== undefined) lateness.push(Math.max(0, now - due))
      due = Math.max(now, due ?? now) + lengthMs
    },
    take: () => lateness.splice(0),
  }
}

async function recordQuestion(): Promise<Int16Array> {
  const speaking = await createSpeaking({ launcher: createForkLauncher(environment()), log: silentLog })
  try {
    return await microphoneSpeech(speaking, question)
  } finally {
    await speaking.close()
  }
}

/** What a board says of itself is a draft until a person publishes it. */
async function publishStory(server: BenchServer): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const tools = await server.rpc.tools.list()
    if (tools.some((tool) => tool.name === storyTool.name)) {
      await server.rpc.tools.publish({ name: storyTool.name, version: 1 })
      return
    }
    await pause(100)
  }
  throw new Error('The boards did not tell their tools')
}
