import { createInterface } from 'node:readline'
import { AppError, toAppError } from '../base/app-error.ts'
import type { ByteWire } from '../base/byte-wire.ts'
import { systemClock } from '../base/clock.ts'
import type { UartEvent } from '../contract/uart.ts'
import { createLineSplitter } from '../contract/uart-bytes.ts'
import { fastestBaud, type McuCommand, slowestBaud, usualBaud } from '../contract/uart-wire.ts'
import { openSerialLink } from '../server/flash/serial-link.ts'
import { connectRpc, fromWire } from '../server/rpc/rpc-client.ts'
import { createBoardSide } from '../server/uart/board-side.ts'
import { readLine } from '../server/uart/line-view.ts'
import { playLesson } from '../virtual/mcu/lesson-program.ts'
import type { McuFaults } from '../virtual/mcu/mcu.ts'
import { openPtyWire } from '../virtual/mcu/pty-wire.ts'
import { startMcu } from '../virtual/mcu/wire-mcu.ts'
import type { Command, CommandIo } from './command.ts'
import { readOptions, wholeNumber } from './options.ts'
import { findServer } from './server-access.ts'

const help = `Usage: roost uart bridge --port P [--baud N] [--device ID] [options]
       roost uart mcu [--pty | --port P] [--baud N]
       roost uart board [--pty | --port P] [--baud N]

bridge  A microcontroller on a serial port becomes a device of the running server; its tools are called by voice.
          --device ID      only by the voice of this board (default: of every board)
          --data DIR       the running server of this data directory
          --server URL     or this server, with --token-file FILE or ROOST_TOKEN
mcu     A virtual microcontroller: the air conditioner of the lesson. Lines on standard input:
          tools | wake SECONDS | volume [N] | baud N | delay MS | silent on|off | noend on|off | spaces on|off
board   The voice board's side. Lines on standard input:
          wake | sleep | call NAME [JSON] | say TEXT

  --baud N         ${slowestBaud} to ${fastestBaud} (default ${usualBaud})
  --pty            on a pseudo-terminal of its own (the default without --port)

Prints {"ready":true,…} first, then JSON lines {"event":…}. SIGTERM and Ctrl-C end it.
`

const options = {
  port: { type: 'string' },
  baud: { type: 'string' },
  device: { type: 'string' },
  pty: { type: 'boolean' },
  data: { type: 'string' },
  server: { type: 'string' },
  'token-file': { type: 'string' },
  json: { type: 'boolean' },
} as const

interface UartOptions {
  readonly port?: string | undefined
  readonly baud: number
  readonly device?: string | undefined
  readonly data?: string | undefined
  readonly server?: string | undefined
  readonly 'token-file'?: string | undefined
}

export const uartCommand: Command = {
  name: 'uart',
  summary: 'microcontrollers that speak UART-MCP',
  help,
  async run(args, io) {
    const { values, positionals } = readOptions({ args: [...args], options, allowPositionals: true })
    const limits = { min: slowestBaud, max: fastestBaud, fallback: usualBaud }
    const chosen: UartOptions = { ...values, baud: wholeNumber('baud', values.baud, limits) }
    if (values.pty && values.port !== undefined) throw new AppError('server-bad-usage', '--pty or --port, not both')
    if (positionals.length === 1 && positionals[0] === 'bridge') return bridge(chosen, io)
    if (positionals.length === 1 && positionals[0] === 'mcu') return mcu(chosen, io)
    if (positionals.length === 1 && positionals[0] === 'board') return board(chosen, io)
    throw new AppError('server-bad-usage', 'roost uart is followed by bridge, mcu or board')
  },
}

async function bridge(chosen: UartOptions, io: CommandIo): Promise<number> {
  const { port, baud, device } = chosen
  if (port === undefined) throw new AppError('server-bad-usage', '--port is needed')
  const { url, secret } = await findServer(chosen, io)
  const rpc = await connectRpc({ url, token: secret })
  try {
    const order = { port, baud, role: 'bridge', ...(device === undefined ? {} : { deviceId: device }) } as const
    const session = await rpc.client.uart.open(order)
    print(io, { ready: true, port, session: session.id, device: session.deviceId })
    const events = await rpc.client.uart.watch({ id: session.id }, { signal: io.signal })
    const ended = await showLines(events, session.id, io).catch((error: unknown) => {
      // Being asked to end is how this command ends well.
      if (!io.signal.aborted) throw error
    })
    if (ended !== undefined) {
      io.stderr(`roost uart: ${port} was closed (${ended})\n`)
      return 1
    }
    await rpc.client.uart.close({ id: session.id })
    return 0
  } catch (error) {
    throw fromWire(error)
  } finally {
    rpc.close()
  }
}

/** Prints what crosses the wire. Why the session is over; undefined when the stream ended first. */
async function showLines(events: AsyncIterable<UartEvent>, id: string, io: CommandIo): Promise<string | undefined> {
  for await (const event of events) {
    if (event.type === 'lines') event.lines.forEach((line) => print(io, { event: 'line', ...line }))
    else {
      const own = event.sessions.find((session) => session.id === id)
      // Pulled out and looked for: it goes on when the same device is back.
      if (own?.state === 'opening') print(io, { event: 'away', code: own.errorCode })
      else if (own?.state !== 'open') return own?.errorCode ?? 'by the console'
    }
  }
  return undefined
}

async function mcu(chosen: UartOptions, io: CommandIo): Promise<number> {
  const wire = await openWire(chosen)
  const made = startMcu(wire, {
    program: playLesson(),
    clock: systemClock,
    onEvent: (event) => print(io, event),
  })
  print(io, { ready: true, port: wire.path })
  await follow(wire, io, (word, rest) => {
    const fault = mcuFault(word, rest)
    if (fault) return made.setFaults(fault)
    if (word === 'tools') return made.sendTools()
    made.command(mcuCommand(word, rest))
  })
  await made.close()
  return 0
}

/** Out of range is sent too: that is what the other side is tried with. */
function mcuCommand(word: string, rest: string): McuCommand {
  if (word === 'wake') return { type: 'wake-up', seconds: Number(rest) }
  if (word === 'volume') return rest === '' ? { type: 'volume-check' } : { type: 'volume-set', volume: Number(rest) }
  if (word === 'baud') return { type: 'baudrate-set', baud: Number(rest) }
  throw new AppError('server-bad-usage', `no line "${word}"; see roost uart --help`)
}

function mcuFault(word: string, rest: string): Partial<McuFaults> | undefined {
  const on = rest === 'on'
  if (word === 'delay') return { delayMs: Number(rest) }
  if (word === 'silent') return { silent: on }
  if (word === 'noend') return { noLineEnd: on }
  return word === 'spaces' ? { spaces: on } : undefined
}

async function board(chosen: UartOptions, io: CommandIo): Promise<number> {
  const wire = await openWire(chosen)
  const splitter = createLineSplitter()
  let sending: Promise<unknown> = Promise.resolve()
  const inTurn = (task: () => Promise<void>) => void (sending = sending.then(task).catch(() => undefined))
  const side = createBoardSide({
    clock: systemClock,
    baud: chosen.baud,
    send: (text) => inTurn(() => wire.write(new TextEncoder().encode(text))),
    setBaud: (baud) =>
      inTurn(async () => {
        await wire.drain()
        await wire.setBaud(baud)
        print(io, { event: 'baud', baud })
      }),
    onLate: (status) => print(io, { event: 'late', status }),
    onChange: ({ awake, volume, tools }) =>
      print(io, { event: 'state', awake, volume, tools: tools.map(({ name }) => name) }),
  })
  wire.onData((bytes) => {
    for (const line of splitter.push(bytes)) {
      const { kind, decoded, faults } = readLine(line, 'mcu')
      print(io, { event: 'line', text: line.text, kind, decoded, faults })
      side.receive(line)
    }
  })
  print(io, { ready: true, port: wire.path })
  // Whoever opens the port sees a board that was just switched on.
  if ('onPeer' in wire) wire.onPeer((there) => (there ? side.power() : undefined))
  else side.power()
  await follow(wire, io, (word, rest) => {
    if (word === 'wake') return side.wake()
    if (word === 'sleep') return side.sleep()
    if (word === 'say') {
      side.say({ type: 'subtitle', text: rest, emoji: '😊', emotion: 'happy' })
      return side.say({ type: 'subtitle-end' })
    }
    if (word !== 'call') throw new AppError('server-bad-usage', `no line "${word}"; see roost uart --help`)
    const [name = '', ...json] = rest.split(' ')
    side.call({ name, arguments: argumentsOf(json.join(' ')), turnId: null }).then(
      (status) => print(io, { event: 'answer', name, status }),
      (error: unknown) => print(io, { event: 'failed', name, code: toAppError(error).code }),
    )
  })
  side.close()
  await wire.close()
  return 0
}

function argumentsOf(text: string): Record<string, unknown> {
  const value: unknown = text === '' ? {} : JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('server-bad-usage', 'the arguments of a call are a JSON object')
  return { ...value }
}

function openWire({ port, baud }: UartOptions): Promise<ByteWire> | ReturnType<typeof openPtyWire> {
  return port === undefined ? openPtyWire(baud) : openSerialLink({ path: port, baud })
}

function print(io: CommandIo, line: object): void {
  io.stdout(`${JSON.stringify(line)}\n`)
}

/** Lines of standard input until the end is asked for or the cable is pulled. */
async function follow(wire: ByteWire, io: CommandIo, obey: (word: string, rest: string) => void): Promise<void> {
  const ended = Promise.withResolvers<undefined>()
  const lines = createInterface({ input: io.stdin })
  lines.on('line', (line) => {
    const [, word = '', rest = ''] = /^\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? []
    try {
      if (word !== '') obey(word, rest)
    } catch (error) {
      io.stderr(`roost uart: ${error instanceof Error ? error.message : String(error)}\n`)
    }
  })
  wire.onClosed(() => ended.resolve(undefined))
  if (io.signal.aborted) ended.resolve(undefined)
  io.signal.addEventListener('abort', () => ended.resolve(undefined), { once: true })
  await ended.promise
  lines.close()
}
