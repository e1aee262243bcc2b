import { expect, test } from 'vitest'
import { createLineSplitter } from './uart-bytes.ts'
import { readMcuLine } from './uart-lint.ts'

function judge(text: string | Uint8Array) {
  const splitter = createLineSplitter()
  const [line = splitter.flush()] = splitter.push(typeof text === 'string' ? new TextEncoder().encode(text) : text)
  const { command, faults } = readMcuLine(line!)
  return { refused: command === null, faults: faults.map(({ rule, byte, severity }) => `${severity} ${rule} ${byte}`) }
}

/** The text without its mark `‸`, and how many bytes stand before it. */
function marked(text: string): [string, number] {
  const [before = '', ...rest] = text.split('‸')
  return [before + rest.join(''), new TextEncoder().encode(before).length]
}

const tools = (list: string) => `mcp-tool {"role":"MCU","msgType":"MCP","MCP":{"tools":[${list}]}}\r\n`
const tool = (name: string, properties = '{}', description = '"x"') =>
  `{"name":${name},"description":${description},"inputSchema":{"properties":${properties}}}`

test.each([
  ['uart-no-line-end', 'volume-check {"role":"MCU","msgType":"status"}‸'],
  ['uart-no-line-end', 'volume-check {"role":"MCU","msgType":"status"}‸\n'],
  ['uart-json-space', 'volume-check {"role":"MCU",‸ "msgType":"status"}\r\n'],
  ['uart-json-space', 'volume-check {"role":"MCU","msgType":"status"}‸ \r\n'],
  ['uart-json-space', 'volume-check ‸ {"role":"MCU","msgType":"status"}\r\n'],
  ['uart-no-json', 'volume-check‸{"role":"MCU","msgType":"status"}\r\n'],
  ['uart-no-json', 'volume-check ‸\r\n'],
  ['uart-bad-json', 'volume-check {"role":"MCU","msgType":"status"‸\r\n'],
  ['uart-bad-json', 'volume-check {"role":"MCU","msgType":"status"}‸}\r\n'],
  ['uart-bad-role', 'volume-check {"role":‸"mcu","msgType":"status"}\r\n'],
  ['uart-bad-msgtype', 'volume-check {"role":"MCU","msgType":‸"MCP"}\r\n'],
  ['uart-unknown-command', '‸volume-get {"role":"MCU","msgType":"status"}\r\n'],
  ['uart-volume-range', 'volume-set {"role":"MCU","msgType":"status","status":‸101}\r\n'],
  ['uart-volume-range', 'volume-set {"role":"MCU","msgType":"status","status":‸-1}\r\n'],
  ['uart-volume-range', 'volume-set {"role":"MCU","msgType":"status","status":‸7.5}\r\n'],
  ['uart-bad-value', 'volume-set {"role":"MCU","msgType":"status","status":‸"70"}\r\n'],
  ['uart-bad-value', 'volume-set ‸{"role":"MCU","msgType":"status"}\r\n'],
  ['uart-baud-range', 'baudrate-set {"role":"MCU","msgType":"status","status":‸200}\r\n'],
  ['uart-baud-range', 'baudrate-set {"role":"MCU","msgType":"status","status":‸299}\r\n'],
  ['uart-baud-range', 'baudrate-set {"role":"MCU","msgType":"status","status":‸2000001}\r\n'],
  ['uart-bad-value', 'wake-up {"role":"MCU","msgType":"wake-up","wake-up":‸0}\r\n'],
  ['uart-status-not-text', 'mcp-responsive {"role":"MCU","msgType":"status","status":‸true}\r\n'],
  ['uart-status-not-text', 'mcp-responsive {"role":"MCU","msgType":"status","status":‸22}\r\n'],
  ['uart-double-tool', tools(`${tool('"A"')},${tool('‸"A"')}`)],
  ['uart-double-tool', tools(`${tool('"A"', '{}', '"空调"')},${tool('‸"A"')}`)],
  ['uart-double-property', tools(tool('"A"', '{"on":{"type":"boolean"},‸"on":{"type":"boolean"}}'))],
  ['uart-double-property', tools(`${tool('"A"', '{"on":{}}')},${tool('"B"', '{‸"on":{}}')}`)],
  ['uart-reserved-tool', tools(tool('‸"SetVolume"'))],
  ['uart-reserved-tool', tools(tool('‸"SetEnabled"'))],
  ['uart-reserved-tool', tools(tool('"A"', '{}', '‸"扬声器"'))],
  [
    'uart-reserved-tool',
    tools(tool('"A"', '{}', String.raw`‸"whether\u0020to\u0020turn\u0020the\u0020light\u0020on"`)),
  ],
  ['uart-tool-name', tools(tool('‸""'))],
  ['uart-tool-name', tools('‸{"description":"x"}')],
  ['uart-bad-value', 'mcp-tool ‸{"role":"MCU","msgType":"MCP","MCP":{}}\r\n'],
])('%s is named with its byte: %s', (rule, line) => {
  const [text, byte] = marked(line)
  expect(judge(text)).toEqual({ refused: true, faults: [`error ${rule} ${byte}`] })
})

test.each([
  ['uart-reserved-property', tools(tool('"ACSwitch"', '{‸"enabled":{"description":"x","type":"boolean"}}'))],
  ['uart-text-space', 'mcp-responsive {"role":"MCU","msgType":"status","status":"two‸ words"}\r\n'],
  ['uart-reserved-word', tools(tool('"Fan"', '{}', '‸"扬声器的风扇"'))],
])('%s is a warning, and the tool is taken', (rule, line) => {
  const [text, byte] = marked(line)
  expect(judge(text)).toEqual({ refused: false, faults: [`warning ${rule} ${byte}`] })
})

test.each([
  ['baudrate-set {"role":"MCU","msgType":"status","status":300}\r\n'],
  ['baudrate-set {"role":"MCU","msgType":"status","status":2000000}\r\n'],
  ['volume-set {"role":"MCU","msgType":"status","status":0}\r\n'],
  ['volume-set {"role":"MCU","msgType":"status","status":100}\r\n'],
])('the edge of a range is inside it: %s', (text) => {
  expect(judge(text)).toEqual({ refused: false, faults: [] })
})

test('several broken rules of a line are all named, in their order', () => {
  expect(judge('volume-set {"role":"mcu", "msgType":"status","status":101}').faults).toEqual([
    'error uart-bad-role 19',
    'error uart-json-space 25',
    'error uart-volume-range 54',
    'error uart-no-line-end 58',
  ])
})

test('bytes that are no UTF-8 are named with the first of them', () => {
  const line = new TextEncoder().encode('mcp-responsive {"role":"MCU","msgType":"status","status":"_"}\r\n')
  line[58] = 0xff
  expect(judge(line)).toEqual({ refused: true, faults: ['error uart-bad-utf8 58'] })
})
