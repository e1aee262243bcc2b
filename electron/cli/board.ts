import { readFile } from 'node:fs/promises'
import manifest from '../../package.json' with { type: 'json' }
import { AppError } from '../base/app-error.ts'
import type { BoardEvent, BoardTurn } from '../virtual/board/board-events.ts'
import { isAllowedServer } from '../virtual/board/provisioning.ts'
import { type BoardTool, scriptedTools, thingBoardTools, ThingFile, ToolFile } from '../virtual/board/board-tools.ts'
import { createVirtualBoard, type VirtualBoard, type VirtualBoardOptions } from '../virtual/board/virtual-board.ts'
import type { Command, CommandIo } from './command.ts'
import { readOptions, wholeNumber } from './options.ts'
import { recordedSpeech, spokenText } from './speech.ts'

const help = `Usage: roost board --server URL [options]

Virtual boards: they provision, open their session and tool channel, talk with real Opus and report telemetry.

  --server URL         https URL without path (http only on loopback)
  --ca FILE            the server's CA certificate, PEM
  --count N            how many boards (1 to 1000, default 1)
  --id PREFIX          device id; with --count, PREFIX-1 and so on (default virtual)
  --token T            the newest token of the board (better: ROOST_BOARD_TOKEN)
  --claim C            a one-time claim (better: ROOST_BOARD_CLAIM)
  --say TEXT           speak this (made by the embedded voice), then end
  --wav FILE           speak this recording (16-bit PCM), then end
  --turns N            how often it is said (default 1)
  --tools FILE         JSON array of tools [{name, description?, inputSchema?, result?, error?, delayMs?}],
                       or a Thing that the board plays {thing: MODEL, tools?: {MEMBER: NAME}}
  --telemetry SECONDS  0 = none (default 10)
  --loss PCT           share of uplink frames that are lost
  --jitter MS          the most that an uplink frame is held back
  --protocol iotta     the native protocol

Prints JSON lines {"event":…} and at the end {"summary":{…}}. Exit 1 when a turn failed.
`

const options = {
  server: { type: 'string' },
  ca: { type: 'string' },
  protocol: { type: 'string' },
  count: { type: 'string' },
  id: { type: 'string' },
  token: { type: 'string' },
  claim: { type: 'string' },
  say: { type: 'string' },
  wav: { type: 'string' },
  turns: { type: 'string' },
  tools: { type: 'string' },
  telemetry: { type: 'string' },
  loss: { type: 'string' },
  jitter: { type: 'string' },
  json: { type: 'boolean' },
} as const

type Values = ReturnType<typeof readOptions<{ args: string[]; options: typeof options }>>['values']

export const boardCommand: Command = {
  name: 'board',
  summary: 'virtual boards that talk to a server',
  help,
  async run(args, io) {
    const { values } = readOptions({ args: [...args], options })
    checkServer(values.server)
    if (values.protocol !== undefined && values.protocol !== 'iotta') {
      throw new AppError('server-bad-usage', `--protocol ${values.protocol} is not known; iotta is`)
    }
    const count = wholeNumber('count', values.count, { min: 1, max: 1000, fallback: 1 })
    const turns = wholeNumber('turns', values.turns, { min: 1, max: 100_000, fallback: 1 })
    const speech = await readSpeech(values)
    const tally = createTally(io)
    const common = await boardOptions(values, io)
    const prefix = values.id ?? 'virtual'
    const boards = Array.from({ length: count }, (_, index) =>
      createVirtualBoard({
        ...common,
        deviceId: count === 1 ? prefix : `${prefix}-${index + 1}`,
        onEvent: (event) => tally.event(event),
      }),
    )
    if (speech) await Promise.all(boards.map((board) => talk(board, { speech, turns, io, tally })))
    else await aborted(io.signal)
    const counters = boards.map((board) => board.counters())
    await Promise.all(boards.map((board) => board.stop()))
    io.stdout(`${JSON.stringify({ summary: tally.summary(count, counters) })}\n`)
    return tally.failed() === 0 ? 0 : 1
  },
}

function checkServer(url: string | undefined): void {
  if (url === undefined) throw new AppError('server-bad-usage', '--server is needed')
  if (!URL.canParse(url) || !isAllowedServer(url)) {
    throw new AppError('server-bad-usage', `--server takes an https URL, or http on this machine, not "${url}"`)
  }
}

interface Speech {
  readonly text: string
  readonly pcm: Int16Array
}

async function readSpeech(values: Values): Promise<Speech | undefined> {
  if (values.say !== undefined && values.wav !== undefined)
    throw new AppError('server-bad-usage', '--say or --wav, not both')
  if (values.say !== undefined) return { text: values.say, pcm: await spokenText(values.say) }
  if (values.wav !== undefined) return { text: values.wav, pcm: await recordedSpeech(values.wav) }
  return undefined
}

async function boardOptions(values: Values, io: CommandIo): Promise<Omit<VirtualBoardOptions, 'deviceId'>> {
  const claim = values.claim ?? io.env['ROOST_BOARD_CLAIM']
  const token = values.token ?? io.env['ROOST_BOARD_TOKEN']
  const loss = wholeNumber('loss', values.loss, { min: 0, max: 90, fallback: 0 }) / 100
  return {
    server: { url: values.server ?? '', ...(values.ca === undefined ? {} : { ca: await readText(values.ca) }) },
    firmware: { name: 'roost-virtual', version: manifest.version },
    ...(claim === undefined ? {} : { claim }),
    ...(token === undefined ? {} : { token }),
    ...(values.tools === undefined ? {} : { tools: await readTools(values.tools) }),
    telemetrySeconds: wholeNumber('telemetry', values.telemetry, { min: 0, max: 86_400, fallback: 10 }),
    loss,
    fec: loss > 0,
    jitterMs: wholeNumber('jitter', values.jitter, { min: 0, max: 2_000, fallback: 0 }),
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new AppError('server-bad-usage', `${file} cannot be read`, { cause })
  }
}

async function readTools(file: string): Promise<BoardTool[]> {
  try {
    const read: unknown = JSON.parse(await readText(file))
    return Array.isArray(read) ? scriptedTools(ToolFile.parse(read)) : thingBoardTools(ThingFile.parse(read))
  } catch (cause) {
    throw new AppError('server-bad-usage', `${file} holds neither tools nor a Thing: ${String(cause)}`, { cause })
  }
}

interface Talk {
  readonly speech: Speech
  readonly turns: number
  readonly io: CommandIo
  readonly tally: Tally
}

async function talk(board: VirtualBoard, { speech, turns, io, tally }: Talk): Promise<void> {
  const online = await Promise.race([
    board.online.then(() => true),
    tally.givenUp(board.id).then(() => false),
    aborted(io.signal).then(() => false),
  ])
  if (!online && !io.signal.aborted) {
    io.stderr(`${board.id}: the server was not reached in ${mostTries} tries. Check --server and --ca.\n`)
    return tally.turn(undefined)
  }
  for (let turn = 0; turn < turns && !io.signal.aborted; turn += 1) {
    try {
      tally.turn(await Promise.race([board.say(speech.pcm, speech.text), aborted(io.signal)]))
    } catch (error) {
      io.stderr(`${board.id}: ${error instanceof Error ? error.message : String(error)}\n`)
      tally.turn(undefined)
    }
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
}

function createTries() {
  const boards = new Map<string, { count: number; over: PromiseWithResolvers<undefined> }>()
  const of = (id: string) => {
    const known = boards.get(id) ?? { count: 0, over: Promise.withResolvers<undefined>() }
    boards.set(id, known)
    return known
  }
  return {
    failed(id: string) {
      const board = of(id)
      board.count += 1
      if (board.count >= mostTries) board.over.resolve(undefined)
    },
    exhausted: (id: string) => of(id).over.promise,
  }
}

type Tally = ReturnType<typeof createTally>

/** A board itself never stops trying; a command that was asked to say something does. */
const mostTries = 5

function createTally(io: CommandIo) {
  const finished: BoardTurn[] = []
  const tries = createTries()
  let failures = 0
  return {
    event(event: BoardEvent) {
      io.stdout(`${JSON.stringify(event)}\n`)
      if (event.event === 'unreachable' || event.event === 'refused') tries.failed(event.id)
    },
    givenUp: (id: string) => tries.exhausted(id),
    /** Undefined, or a reply that nobody could hear, is a failure. */
    turn(result: BoardTurn | undefined) {
      if (result === undefined || result.frames === 0) failures += 1
      if (result) finished.push(result)
    },
    failed: () => failures,
    summary(boards: number, counters: readonly { framesIn: number; framesOut: number; bytes: number }[]) {
      const first = finished
        .flatMap((turn) => (turn.first_audio_ms === null ? [] : [turn.first_audio_ms]))
        .sort((a, b) => a - b)
      const at = (share: number) => first[Math.min(first.length - 1, Math.floor(first.length * share))] ?? null
      const frames = finished.reduce((sum, turn) => sum + turn.frames, 0)
      const late = finished.reduce((sum, turn) => sum + turn.late, 0)
      const total = (pick: (row: (typeof counters)[number]) => number) =>
        counters.reduce((sum, row) => sum + pick(row), 0)
      return {
        boards,
        turns: finished.length,
        failed: failures,
        first_audio_ms: { p50: at(0.5), p95: at(0.95), max: first.at(-1) ?? null },
        frames_in: total((row) => row.framesIn),
        frames_out: total((row) => row.framesOut),
        late_pct: frames === 0 ? 0 : Math.round((late / frames) * 10_000) / 100,
        bytes: total((row) => row.bytes),
      }
    },
  }
}
