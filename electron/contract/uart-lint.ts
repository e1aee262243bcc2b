import type { UartFault } from './uart.ts'
import type { WireLine } from './uart-bytes.ts'
import { type JsonNode, memberOf, plainValue, scanJson } from './uart-json.ts'
import type { Judge, UartRule } from './uart-rules.ts'
import { readTools } from './uart-tools.ts'
import { fastestBaud, type McuCommand, slowestBaud } from './uart-wire.ts'

export interface McuReading {
  /** Null: a board does not carry it out. */
  readonly command: McuCommand | null
  /** The command's name in its first spelling, when the line begins with one. */
  readonly name: McuCommand['type'] | null
  readonly faults: readonly UartFault[]
}

// Second spellings of the document are accepted and never sent (uart-mcp.md §2).
const names: ReadonlyMap<string, McuCommand['type']> = new Map([
  ['baudrate-set', 'baudrate-set'],
  ['wake-up', 'wake-up'],
  ['volume-set', 'volume-set'],
  ['volume_set', 'volume-set'],
  ['volume-check', 'volume-check'],
  ['vvolume_check', 'volume-check'],
  ['mcp-tool', 'mcp-tool'],
  ['mcp-responsive', 'mcp-responsive'],
])

const longestWakeSeconds = 86_400

/** Judges a line from a microcontroller as a board does, and names each broken rule with its byte. Never throws. */
export function readMcuLine(line: WireLine): McuReading {
  const faults: UartFault[] = []
  const { text } = line
  const note = (severity: UartFault['severity']) => (rule: UartRule, at: number, message: string) =>
    void faults.push({ rule, byte: byteOf(text, at), severity, message })
  const judge: Judge = { error: note('error'), warn: note('warning') }
  const name = readName(text, judge)
  const command = name === null ? null : readCommand(text, name, judge)
  if (line.badByte !== null) faults.push(fault('uart-bad-utf8', line.badByte, 'the bytes are no UTF-8 from here on'))
  if (line.cut) faults.push(fault('uart-line-too-long', line.raw.length, `no line end in ${line.raw.length} bytes`))
  else if (line.end !== 'crlf')
    faults.push(fault('uart-no-line-end', lastByte(line), `the line ends with ${endName(line)}`))
  faults.sort((a, b) => a.byte - b.byte)
  const refused = faults.some(({ severity }) => severity === 'error')
  return { command: refused ? null : command, name, faults }
}

function fault(rule: UartRule, byte: number, message: string): UartFault {
  return { rule, byte, severity: 'error', message }
}

function lastByte({ raw, end }: WireLine): number {
  return raw.length - (end === 'lf' ? 1 : 0)
}

function endName({ end }: WireLine): string {
  return end === 'lf' ? String.raw`\n alone instead of \r\n` : String.raw`no \r\n`
}

/** Offset in UTF-8. */
function byteOf(text: string, at: number): number {
  return new TextEncoder().encode(text.slice(0, at)).length
}

function readName(text: string, judge: Judge): McuCommand['type'] | null {
  const word = /^[A-Za-z_-]*/.exec(text)?.[0] ?? ''
  const name = names.get(word) ?? null
  if (name === null) judge.error('uart-unknown-command', 0, `"${(word || text).slice(0, 24)}" is no command`)
  else if (text[word.length] !== ' ') judge.error('uart-no-json', word.length, 'one space and JSON follow the command')
  return name
}

function readCommand(text: string, name: McuCommand['type'], judge: Judge): McuCommand | null {
  const start = text.indexOf(' ') + 1
  if (start === 0) return null
  if (start === text.length) {
    judge.error('uart-no-json', start, 'nothing follows the command')
    return null
  }
  const scan = scanJson(text.slice(start))
  const [space] = scan.spaces
  if (space !== undefined) judge.error('uart-json-space', start + space, 'white space between the values of the JSON')
  if (scan.textSpace !== null)
    judge.warn('uart-text-space', start + scan.textSpace, String.raw`a space within a text: write it as \u0020`)
  if (scan.brokenAt !== null) judge.error('uart-bad-json', start + scan.brokenAt, 'this is no JSON from here on')
  if (scan.root === null) return null
  return readers[name](scan.root, shifted(judge, start))
}

function shifted(judge: Judge, by: number): Judge {
  return {
    error: (rule, at, message) => judge.error(rule, at + by, message),
    warn: (rule, at, message) => judge.warn(rule, at + by, message),
  }
}

type Reader = (root: JsonNode, judge: Judge) => McuCommand | null

const readers: Readonly<Record<McuCommand['type'], Reader>> = {
  'baudrate-set': (root, judge) => {
    envelope(root, 'status', judge)
    const baud = numberIn(root, 'status', judge)
    if (baud === null) return null
    if (outside(baud.value, slowestBaud, fastestBaud))
      judge.error('uart-baud-range', baud.at, `${baud.value} is no whole number in ${slowestBaud} … ${fastestBaud}`)
    return { type: 'baudrate-set', baud: baud.value }
  },
  'wake-up': (root, judge) => {
    envelope(root, 'wake-up', judge)
    const seconds = numberIn(root, 'wake-up', judge)
    if (seconds === null) return null
    if (outside(seconds.value, 1, longestWakeSeconds))
      judge.error(
        'uart-bad-value',
        seconds.at,
        `${seconds.value} is no whole number of seconds in 1 … ${longestWakeSeconds}`,
      )
    return { type: 'wake-up', seconds: seconds.value }
  },
  'volume-set': (root, judge) => {
    envelope(root, 'status', judge)
    const volume = numberIn(root, 'status', judge)
    if (volume === null) return null
    if (outside(volume.value, 0, 100))
      judge.error('uart-volume-range', volume.at, `${volume.value} is no whole number in 0 … 100`)
    return { type: 'volume-set', volume: volume.value }
  },
  'volume-check': (root, judge) => {
    envelope(root, 'status', judge)
    return { type: 'volume-check' }
  },
  'mcp-tool': (root, judge) => {
    envelope(root, 'MCP', judge)
    const tools = memberOf(memberOf(root, 'MCP')?.value, 'tools')?.value
    if (tools?.kind === 'array') return { type: 'mcp-tool', tools: readTools(tools.items, judge) }
    judge.error('uart-bad-value', tools?.at ?? root.at, '"MCP":{"tools":[…]} is missing')
    return null
  },
  'mcp-responsive': (root, judge) => {
    envelope(root, 'status', judge)
    const status = memberOf(root, 'status')
    if (!status) {
      judge.error('uart-bad-value', root.at, '"status" is missing')
      return null
    }
    const value = plainValue(status.value)
    if (typeof value === 'string') return { type: 'mcp-responsive', status: value }
    judge.error(
      'uart-status-not-text',
      status.value.at,
      `"status" is always a text, not ${JSON.stringify(value).slice(0, 40)}`,
    )
    return null
  },
}

function outside(value: number, min: number, max: number): boolean {
  return !Number.isInteger(value) || value < min || value > max
}

function envelope(root: JsonNode, msgType: string, judge: Judge): void {
  const role = memberOf(root, 'role')?.value
  if (!role || plainValue(role) !== 'MCU') judge.error('uart-bad-role', role?.at ?? root.at, '"role" is "MCU"')
  const type = memberOf(root, 'msgType')?.value
  if (!type || plainValue(type) !== msgType)
    judge.error('uart-bad-msgtype', type?.at ?? root.at, `"msgType" of this command is "${msgType}"`)
}

function numberIn(root: JsonNode, key: string, judge: Judge): { value: number; at: number } | null {
  const node = memberOf(root, key)?.value
  const value = node && plainValue(node)
  if (node && typeof value === 'number') return { value, at: node.at }
  judge.error('uart-bad-value', node?.at ?? root.at, `"${key}" is a number`)
  return null
}
