import { expect, test } from 'vitest'
import { openRawPort, startUartEnd } from '../support/uart-ends.ts'

// `roost uart board` on a pseudo-terminal, and on the other side bytes that are not ours: the traces of uart-mcp.md §5.

const status = (value: string) => `{"role":"AI board","msgType":"status","status":"${value}"}\r\n`
const acSwitch =
  'mcp-tool {"role":"MCU","msgType":"MCP","MCP":{"tools":[{"name":"ACSwitch","description":"空调开关","inputSchema":{"properties":{"enabled":{"description":"开关","type":"boolean"}}}}]}}\r\n'
const answer = (value: string) => `mcp-responsive {"role":"MCU","msgType":"status","status":"${value}"}\r\n`
const call = (args: string) =>
  `{"role":"AI board","msgType":"MCP","MCP":{"params":{"name":"ACSwitch","arguments":${args}}}}\r\n`

test('power up, wake word, Tools NULL, tools, calls, subtitles and sleep, byte for byte', async () => {
  const board = await startUartEnd('board', ['--pty'])
  const mcu = await openRawPort(board.port)
  await mcu.until(['AI Start', 'WIFI_CONNECTED', 'WIFI_GOT_IP', '1.WiFi connect OK'].map(status).join(''))
  board.write('wake\n')
  expect(await mcu.until(status('2.WakeUP') + status('ERROR:Tools NULL'))).toBe('')
  await mcu.write(acSwitch)
  expect(await mcu.until(status('OK'))).toBe('')

  board.write('call ACSwitch {"enabled":true}\n')
  expect(await mcu.until(call('{"enabled":true}'))).toBe('')
  await mcu.write(answer('true'))
  expect(await mcu.until(status('OK'))).toBe('')
  expect(await board.event('answer')).toMatchObject({ name: 'ACSwitch', status: 'true' })

  board.write('say 空调已打开\n')
  expect(await mcu.until('{"role":"AI board","msgType":"MCP Text","MCP Text":{"state":false}}\r\n')).toBe(
    '{"role":"AI board","msgType":"MCP Text","MCP Text":{"state":true,"emoji":"😊","emotion":"happy","text":"空调已打开"}}\r\n',
  )
  board.write('call ACSwitch\n')
  expect(await mcu.until(call('{}'))).toBe('')
  await mcu.write(answer('true'))
  expect(await mcu.until(status('OK'))).toBe('')
  board.write('sleep\n')
  expect(await mcu.until(status('3.Sleep'))).toBe('')
})

test('a call without an answer is a time-out after 5 s, and the late answer answers nothing', async () => {
  const board = await startUartEnd('board')
  const mcu = await openRawPort(board.port)
  await mcu.write(acSwitch)
  await mcu.until(status('OK'))
  board.write('call ACSwitch {"enabled":true}\n')
  await mcu.until(call('{"enabled":true}'))
  const asked = performance.now()
  await mcu.until('"status":"ERROR:MCP command timeout')
  expect(performance.now() - asked).toBeGreaterThan(4_900)
  expect(await board.event('failed')).toMatchObject({ code: 'uart-answer-timeout' })
  await mcu.write(answer('true'))
  expect(await board.event('late')).toEqual({ event: 'late', status: 'true' })
  await mcu.write('volume-check {"role":"MCU","msgType":"status"}\r\n')
  await mcu.until('"volume":70,"status":"OK"}\r\n')
  expect(mcu.text().split(status('OK'))).toHaveLength(2)
})

test.each([300, 9600, 921_600, 2_000_000])('both sides go on at %d baud after OK at the old speed', async (baud) => {
  const board = await startUartEnd('board')
  const mcu = await openRawPort(board.port)
  await mcu.write(`baudrate-set {"role":"MCU","msgType":"status","status":${baud}}\r\n`)
  await mcu.until(status('OK'))
  await board.event('baud')
  await mcu.setBaud(baud)
  await mcu.write('volume-set {"role":"MCU","msgType":"status","status":100}\r\n')
  await mcu.until('{"role":"AI board","msgType":"status","volume":100,"status":"OK"}\r\n')
})

test('missing CRLF, spaces in JSON, ranges and names: each named, and the session goes on', async () => {
  const board = await startUartEnd('board')
  const mcu = await openRawPort(board.port)
  await mcu.until(status('1.WiFi connect OK'))
  const bad: [string, string][] = [
    ['volume-check {"role":"MCU","msgType":"status"}\n', 'uart-no-line-end'],
    ['volume-check {"role":"MCU", "msgType":"status"}\r\n', 'uart-json-space'],
    ['volume-set {"role":"MCU","msgType":"status","status":101}\r\n', 'uart-volume-range'],
    ['baudrate-set {"role":"MCU","msgType":"status","status":200}\r\n', 'uart-baud-range'],
    ['baudrate-set {"role":"MCU","msgType":"status","status":2000001}\r\n', 'uart-baud-range'],
    [acSwitch.replace(/\[(.*)\]/, '[$1,$1]'), 'uart-double-tool'],
    [acSwitch.replace('ACSwitch', 'SetVolume'), 'uart-reserved-tool'],
    ['mcp-responsive {"role":"MCU","msgType":"status","status":true}\r\n', 'uart-status-not-text'],
  ]
  for (const [line] of bad) await mcu.write(line)
  await mcu.write('volume-check {"role":"MCU","msgType":"status"}\r\n')
  const said = await mcu.until('{"role":"AI board","msgType":"status","volume":70,"status":"OK"}\r\n')
  // The one without its line end is not carried out, and nothing is said about it.
  expect(
    said
      .trimEnd()
      .split('\r\n')
      .map((line) => line.includes('"status":"ERROR:')),
  ).toEqual(Array(7).fill(true))
  await board.event('line', bad.length + 1)
  const rules = board
    .events()
    .flatMap(({ event, faults }) => (event === 'line' ? [(faults as { rule: string }[]).map(({ rule }) => rule)] : []))
  for (const [at, [, rule]] of bad.entries()) expect(rules[at]).toContain(rule)
  expect(rules.at(-1)).toEqual([])
})

test('a second speed that nobody agreed on is garbage, and the board goes on when it is right again', async () => {
  const board = await startUartEnd('board', ['--baud', '9600'])
  const mcu = await openRawPort(board.port, 115_200)
  await mcu.write('volume-check {"role":"MCU","msgType":"status"}\r\n')
  await mcu.setBaud(9600)
  await mcu.write('\r\nvolume-check {"role":"MCU","msgType":"status"}\r\n')
  await mcu.until('"volume":70,"status":"OK"}\r\n')
})
