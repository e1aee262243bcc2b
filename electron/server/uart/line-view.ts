import type { UartFault, UartLine, UartSide } from '../../contract/uart.ts'
import type { WireLine } from '../../contract/uart-bytes.ts'
import { type McuReading, readMcuLine } from '../../contract/uart-lint.ts'
import { type BoardLine, type McuCommand, readBoardLine } from '../../contract/uart-wire.ts'

/** What a line is, read once: the bench, the board's side and the list all work with it. */
export interface ReadLine {
  readonly wire: WireLine
  readonly from: UartSide
  readonly kind: string
  readonly decoded: string
  readonly faults: readonly UartFault[]
  readonly reading: McuReading | null
  readonly board: BoardLine | null
}

/** Only lines to the board are judged: the board's own examples break the rules (uart-mcp.md §1). */
export function readLine(wire: WireLine, from: UartSide): ReadLine {
  if (from === 'mcu') {
    const reading = readMcuLine(wire)
    const kind = reading.name === null ? 'unknown' : mcuKinds[reading.name]
    const decoded = reading.command ? commandText(reading.command) : (reading.name ?? '')
    return { wire, from, kind, decoded, faults: reading.faults, reading, board: null }
  }
  const board = readBoardLine(wire.text) ?? null
  return {
    wire,
    from,
    kind: board ? boardKind(board) : 'unknown',
    decoded: board ? boardText(board) : '',
    faults: [],
    reading: null,
    board,
  }
}

/** Whose line it is, for one who only listens: a board's is one JSON object. */
export function sideOf(text: string): UartSide {
  return /^\s*\{/.test(text) ? 'board' : 'mcu'
}

const mcuKinds: Readonly<Record<McuCommand['type'], string>> = {
  'baudrate-set': 'baud',
  'wake-up': 'wake-up',
  'volume-set': 'volume',
  'volume-check': 'volume',
  'mcp-tool': 'tools',
  'mcp-responsive': 'answer',
}

function commandText(command: McuCommand): string {
  switch (command.type) {
    case 'baudrate-set':
      return `baudrate-set ${command.baud}`
    case 'wake-up':
      return `wake-up ${command.seconds} s`
    case 'volume-set':
      return `volume-set ${command.volume}`
    case 'volume-check':
      return 'volume-check'
    case 'mcp-tool':
      return command.tools.map(({ name }) => name).join(', ')
    case 'mcp-responsive':
      return command.status
  }
}

function boardKind(line: BoardLine): string {
  switch (line.type) {
    case 'call':
      return Object.keys(line.arguments).length === 0 ? 'query' : 'call'
    case 'subtitle':
    case 'subtitle-end':
      return 'subtitle'
    case 'volume':
      return 'volume'
    case 'ok':
    case 'error':
    case 'state':
      return 'status'
  }
}

function boardText(line: BoardLine): string {
  switch (line.type) {
    case 'call':
      return [
        line.name,
        ...Object.entries(line.arguments).map(([name, value]) => `${name}=${JSON.stringify(value)}`),
      ].join(' ')
    case 'subtitle':
      return [line.emoji, line.text].filter((part) => part !== '').join(' ')
    case 'subtitle-end':
      return ''
    case 'volume':
      return `${line.status} ${line.volume}`
    case 'ok':
      return 'OK'
    case 'error':
      return `ERROR:${line.message}`
    case 'state':
      return line.state
  }
}

/** As the console gets it. */
export function lineOf(line: ReadLine, facts: Pick<UartLine, 'seq' | 'at' | 'turnId' | 'latencyMs'>): UartLine {
  return {
    ...facts,
    from: line.from,
    raw: Buffer.from(line.wire.raw).toString('base64'),
    text: line.wire.text,
    kind: line.kind,
    decoded: line.decoded.slice(0, 400),
    faults: [...line.faults],
  }
}
