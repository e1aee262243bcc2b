import { AppError } from '../base/app-error.ts'
import type { Turn } from '../contract/conversation.ts'
import { refLabel } from '../contract/tool.ts'
import type { Command } from './command.ts'
import { readOptions } from './options.ts'
import { withServer } from './server-access.ts'

const help = `Usage: roost say --device ID TEXT [options]

A typed utterance to a board, answered as a turn; prints the turn with its stages.

  --data DIR         the running server of this data directory
  --server URL       or this server, with --token-file FILE or ROOST_TOKEN
`

const options = {
  device: { type: 'string' },
  data: { type: 'string' },
  server: { type: 'string' },
  'token-file': { type: 'string' },
  json: { type: 'boolean' },
} as const

export const sayCommand: Command = {
  name: 'say',
  summary: 'a typed utterance to a board',
  help,
  async run(args, io) {
    const { values, positionals } = readOptions({ args: [...args], options, allowPositionals: true })
    const deviceId = values.device
    const text = positionals.join(' ').trim()
    if (deviceId === undefined || text === '') throw new AppError('server-bad-usage', '--device and a text are needed')
    return withServer(values, io, async (client) => {
      const turns = await client.turns.watch({ deviceId }, { signal: io.signal })
      const { turnId } = await client.talk.type({ deviceId, text })
      const turn = await endOf(turns, turnId)
      io.stdout(values.json ? `${JSON.stringify(turn)}\n` : describe(turn))
      return turn.status === 'done' ? 0 : 1
    })
  },
}

async function endOf(turns: AsyncIterable<{ turn: Turn }>, id: string): Promise<Turn> {
  for await (const { turn } of turns) if (turn.id === id && turn.status !== 'running') return turn
  throw new AppError('console-connection-lost', 'The server ended the stream before the turn was over')
}

function describe(turn: Turn): string {
  const stages = turn.stages.map((stage) => {
    const ms = stage.endedAt === null ? 'not reported' : `${Math.round(stage.endedAt - stage.startedAt)} ms`
    return `  ${stage.stage.padEnd(5)}${ms}${stage.error === null ? '' : `  ${stage.error}`}\n`
  })
  const calls = turn.calls.map((call) => `  ${refLabel(call.ref)} ${JSON.stringify(call.arguments)} ${call.outcome}\n`)
  return `${turn.userText}\n→ ${turn.replyText}\n${stages.join('')}${calls.join('')}`
}
