import { expect, test } from 'vitest'
import { createLineSplitter } from './uart-bytes.ts'
import { readMcuLine } from './uart-lint.ts'
import { type BoardLine, boardLine, type McuCommand, mcuLine, readBoardLine } from './uart-wire.ts'

const acSwitch = {
  name: 'ACSwitch',
  description: '空调开关',
  properties: { power: { type: 'boolean', description: 'on or off' } },
}

// The lines of uart-mcp.md §2, letter by letter.
const commands: [McuCommand, string][] = [
  [{ type: 'baudrate-set', baud: 115200 }, 'baudrate-set {"role":"MCU","msgType":"status","status":115200}'],
  [{ type: 'wake-up', seconds: 30 }, 'wake-up {"role":"MCU","msgType":"wake-up","wake-up":30}'],
  [{ type: 'volume-set', volume: 70 }, 'volume-set {"role":"MCU","msgType":"status","status":70}'],
  [{ type: 'volume-check' }, 'volume-check {"role":"MCU","msgType":"status"}'],
  [
    { type: 'mcp-tool', tools: [acSwitch] },
    String.raw`mcp-tool {"role":"MCU","msgType":"MCP","MCP":{"tools":[{"name":"ACSwitch","description":"空调开关","inputSchema":{"properties":{"power":{"description":"on\u0020or\u0020off","type":"boolean"}}}}]}}`,
  ],
  [{ type: 'mcp-responsive', status: 'true' }, 'mcp-responsive {"role":"MCU","msgType":"status","status":"true"}'],
]

function read(text: string) {
  const splitter = createLineSplitter()
  const [line = splitter.flush()] = splitter.push(new TextEncoder().encode(text))
  return readMcuLine(line!)
}

test.each(commands)('the command %j is written exactly and read back', (command, text) => {
  expect(mcuLine(command)).toBe(`${text}\r\n`)
  expect(mcuLine(command).match(/ /g)).toHaveLength(1)
  expect(read(`${text}\r\n`)).toEqual({ command, name: command.type, faults: [] })
})

test.each([
  ['volume_set {"role":"MCU","msgType":"status","status":7}\r\n', { type: 'volume-set', volume: 7 }],
  ['vvolume_check {"role":"MCU","msgType":"status"}\r\n', { type: 'volume-check' }],
])('the second spelling of the document is accepted: %s', (text, command) => {
  expect(read(text)).toMatchObject({ command, faults: [] })
})

// uart-mcp.md §3
const boardLines: [BoardLine, string][] = [
  [{ type: 'ok' }, '{"role":"AI board","msgType":"status","status":"OK"}'],
  [{ type: 'error', message: 'Tools NULL' }, '{"role":"AI board","msgType":"status","status":"ERROR:Tools NULL"}'],
  [{ type: 'state', state: '2.WakeUP' }, '{"role":"AI board","msgType":"status","status":"2.WakeUP"}'],
  [{ type: 'volume', volume: 70, status: 'OK' }, '{"role":"AI board","msgType":"status","volume":70,"status":"OK"}'],
  [
    { type: 'call', name: 'ACSwitch', arguments: { enabled: true } },
    '{"role":"AI board","msgType":"MCP","MCP":{"params":{"name":"ACSwitch","arguments":{"enabled":true}}}}',
  ],
  [
    { type: 'subtitle', emoji: '😊', emotion: 'happy', text: 'Hello, I am XiaoZhi' },
    '{"role":"AI board","msgType":"MCP Text","MCP Text":{"state":true,"emoji":"😊","emotion":"happy","text":"Hello, I am XiaoZhi"}}',
  ],
  [{ type: 'subtitle-end' }, '{"role":"AI board","msgType":"MCP Text","MCP Text":{"state":false}}'],
]

test.each(boardLines)('the board line %j is written exactly and read back', (line, text) => {
  expect(boardLine(line)).toBe(`${text}\r\n`)
  expect(readBoardLine(text)).toEqual(line)
})

test('the second spelling of the role and a space after "params": are accepted from the board', () => {
  const text = '{"role":"AI borad","msgType":"MCP","MCP":{"params": {"name":"ACSwitch","arguments":{}}}}'
  expect(readBoardLine(text)).toEqual({ type: 'call', name: 'ACSwitch', arguments: {} })
})

test.each(['', '[]', 'null', '{"role":"MCU","msgType":"status","status":"OK"}', '{"role":"AI board"}', 'ets Jul 29'])(
  'what is no board line is none: %j',
  (text) => {
    expect(readBoardLine(text)).toBeUndefined()
  },
)
