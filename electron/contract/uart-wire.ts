import { z } from 'zod'

// UART-MCP as text: what either side says, and how it is written (uart-mcp.md §2–§4). Pure, for server, virtual parts
// and page alike. Strict when writing, tolerant when reading.

export const slowestBaud = 300
export const fastestBaud = 2_000_000
export const usualBaud = 115_200
export const usualVolume = 70
/** The board waits so long for `mcp-responsive` (uart-mcp.md §2). */
export const answerLimitMs = 5_000

/** A tool as a microcontroller declares it. The board does not interpret types and descriptions. */
export interface McuTool {
  readonly name: string
  readonly description: string
  readonly properties: Readonly<Record<string, { readonly type: string; readonly description: string }>>
}

export type McuCommand =
  | { readonly type: 'baudrate-set'; readonly baud: number }
  | { readonly type: 'wake-up'; readonly seconds: number }
  | { readonly type: 'volume-set'; readonly volume: number }
  | { readonly type: 'volume-check' }
  | { readonly type: 'mcp-tool'; readonly tools: readonly McuTool[] }
  | { readonly type: 'mcp-responsive'; readonly status: string }

/** The command as a line with `\r\n`. Its JSON holds no space at all, inside texts neither (they are escaped). */
export function mcuLine(command: McuCommand): string {
  return `${command.type} ${compact(mcuJson(command))}\r\n`
}

function mcuJson(command: McuCommand): object {
  switch (command.type) {
    case 'baudrate-set':
      return { role: 'MCU', msgType: 'status', status: command.baud }
    case 'wake-up':
      return { role: 'MCU', msgType: 'wake-up', 'wake-up': command.seconds }
    case 'volume-set':
      return { role: 'MCU', msgType: 'status', status: command.volume }
    case 'volume-check':
      return { role: 'MCU', msgType: 'status' }
    case 'mcp-tool':
      return { role: 'MCU', msgType: 'MCP', MCP: { tools: command.tools.map(toolJson) } }
    case 'mcp-responsive':
      return { role: 'MCU', msgType: 'status', status: command.status }
  }
}

function toolJson({ name, description, properties }: McuTool): object {
  return {
    name,
    description,
    inputSchema: { properties: Object.fromEntries(Object.entries(properties).map(propertyJson)) },
  }
}

function propertyJson([name, { type, description }]: [string, McuTool['properties'][string]]): [string, object] {
  return [name, { description, type }]
}

/** Without white space between values; within texts a space is written as its escape, which every JSON reader knows. */
function compact(value: object): string {
  return JSON.stringify(value).replaceAll(' ', String.raw`\u0020`)
}

export const boardStates = [
  'AI Start',
  'WIFI_CONNECTED',
  'WIFI_GOT_IP',
  '1.WiFi connect OK',
  '2.WakeUP',
  '3.Sleep',
  '4.NetCFG',
  '5.NetERR',
  '6.OTAUPDATE',
  '7.OTA OK',
  '8.OTA ERR',
] as const

export type BoardLine =
  | { readonly type: 'ok' }
  | { readonly type: 'error'; readonly message: string }
  | { readonly type: 'state'; readonly state: string }
  | { readonly type: 'volume'; readonly volume: number; readonly status: string }
  | { readonly type: 'call'; readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly type: 'subtitle'; readonly text: string; readonly emoji: string; readonly emotion: string }
  | { readonly type: 'subtitle-end' }

export const toolsNull = 'Tools NULL'

/** The line with `\r\n`, as the board writes it. */
export function boardLine(line: BoardLine): string {
  return `${JSON.stringify(boardJson(line))}\r\n`
}

function boardJson(line: BoardLine): object {
  const status = { role: 'AI board', msgType: 'status' }
  switch (line.type) {
    case 'ok':
      return { ...status, status: 'OK' }
    case 'error':
      return { ...status, status: `ERROR:${line.message}` }
    case 'state':
      return { ...status, status: line.state }
    case 'volume':
      return { ...status, volume: line.volume, status: line.status }
    case 'call':
      return { role: 'AI board', msgType: 'MCP', MCP: { params: { name: line.name, arguments: line.arguments } } }
    case 'subtitle':
      return subtitleJson({ state: true, emoji: line.emoji, emotion: line.emotion, text: line.text })
    case 'subtitle-end':
      return subtitleJson({ state: false })
  }
}

function subtitleJson(content: object): object {
  return { role: 'AI board', msgType: 'MCP Text', 'MCP Text': content }
}

// Both spellings of the document (uart-mcp.md §2).
const role = z.enum(['AI board', 'AI borad'])
const Heard = z.discriminatedUnion('msgType', [
  z.object({ role, msgType: z.literal('status'), status: z.string(), volume: z.number().optional() }),
  z.object({
    role,
    msgType: z.literal('MCP'),
    MCP: z.object({
      params: z.object({ name: z.string().min(1), arguments: z.record(z.string(), z.unknown()).default({}) }),
    }),
  }),
  z.object({
    role,
    msgType: z.literal('MCP Text'),
    'MCP Text': z.object({
      state: z.boolean(),
      text: z.string().default(''),
      emoji: z.string().default(''),
      emotion: z.string().default(''),
    }),
  }),
])

/** What a board's line says; undefined when it is none. White space is accepted: the board's own examples hold some. */
export function readBoardLine(text: string): BoardLine | undefined {
  const heard = Heard.safeParse(asJson(text)).data
  if (!heard) return undefined
  switch (heard.msgType) {
    case 'MCP':
      return { type: 'call', ...heard.MCP.params }
    case 'MCP Text': {
      const { state, ...subtitle } = heard['MCP Text']
      return state ? { type: 'subtitle', ...subtitle } : { type: 'subtitle-end' }
    }
    case 'status':
      if (heard.volume !== undefined) return { type: 'volume', volume: heard.volume, status: heard.status }
      if (heard.status === 'OK') return { type: 'ok' }
      if (heard.status.startsWith('ERROR:')) return { type: 'error', message: heard.status.slice(6) }
      return { type: 'state', state: heard.status }
  }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
