import { expect, test } from 'vitest'
import { createLineSplitter } from '../../contract/uart-bytes.ts'
import { type McuCommand, mcuLine } from '../../contract/uart-wire.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { createBoardSide } from './board-side.ts'

const acSwitch = {
  name: 'ACSwitch',
  description: '空调开关',
  properties: { enabled: { type: 'boolean', description: '' } },
}

function benchBoard() {
  const clock = createManualClock()
  const sent: string[] = []
  const late: string[] = []
  const board = createBoardSide({
    clock,
    baud: 115_200,
    send: (text) => void sent.push(text),
    setBaud: (baud) => void sent.push(`speed ${baud}`),
    onLate: (status) => void late.push(status),
    onChange: () => undefined,
  })
  const splitter = createLineSplitter()
  return {
    board,
    clock,
    late,
    lines: () => sent.splice(0),
    /** The `status` of what was sent since the last look, or the line itself. */
    said: () => sent.splice(0).map((line) => /"status":"([^"]*)"/.exec(line)?.[1] ?? line.trimEnd()),
    raw: (text: string) => splitter.push(new TextEncoder().encode(text)).forEach((line) => board.receive(line)),
    hears: (command: McuCommand) =>
      splitter.push(new TextEncoder().encode(mcuLine(command))).forEach((line) => board.receive(line)),
  }
}
const answer = (status: string): McuCommand => ({ type: 'mcp-responsive', status })
const call = (args: object) =>
  `{"role":"AI board","msgType":"MCP","MCP":{"params":{"name":"ACSwitch","arguments":${JSON.stringify(args)}}}}`

// uart-mcp.md §5, the numbers of its traces.
test('trace 1: power up, wake word, no tools, and the whole set', () => {
  const { board, said, hears } = benchBoard()
  board.power()
  board.wake()
  expect(said()).toEqual([
    'AI Start',
    'WIFI_CONNECTED',
    'WIFI_GOT_IP',
    '1.WiFi connect OK',
    '2.WakeUP',
    'ERROR:Tools NULL',
  ])
  hears({ type: 'mcp-tool', tools: [acSwitch] })
  expect(said()).toEqual(['OK'])
  board.sleep()
  board.wake()
  expect(said()).toEqual(['3.Sleep', '2.WakeUP'])
})

test('trace 2 and 3: a control call, its answer, subtitles, sleep, and a query', async () => {
  const { board, said, hears } = benchBoard()
  hears({ type: 'mcp-tool', tools: [acSwitch] })
  board.wake()
  said()
  const on = board.call({ name: 'ACSwitch', arguments: { enabled: true }, turnId: 'turn-1' })
  expect(said()).toEqual([call({ enabled: true })])
  hears(answer('true'))
  expect(await on).toBe('true')
  board.say({ type: 'subtitle', text: '好的', emoji: '😊', emotion: 'happy' })
  board.say({ type: 'subtitle-end' })
  board.sleep()
  expect(said()).toEqual([
    'OK',
    '{"role":"AI board","msgType":"MCP Text","MCP Text":{"state":true,"emoji":"😊","emotion":"happy","text":"好的"}}',
    '{"role":"AI board","msgType":"MCP Text","MCP Text":{"state":false}}',
    '3.Sleep',
  ])
  const query = board.call({ name: 'ACSwitch', arguments: {}, turnId: null })
  expect(said()).toEqual([call({})])
  hears(answer('false'))
  expect(await query).toBe('false')
})

test('trace 4: after 5 s the time-out is reported, and a late answer answers nothing', async () => {
  const { board, clock, said, hears, late } = benchBoard()
  hears({ type: 'mcp-tool', tools: [acSwitch] })
  said()
  const lost = board.call({ name: 'ACSwitch', arguments: { enabled: true }, turnId: null })
  const failed = expect(lost).rejects.toMatchObject({ code: 'uart-answer-timeout' })
  await clock.advance(4_999)
  expect(said()).toHaveLength(1)
  await clock.advance(1)
  await failed
  expect(said()).toEqual(['ERROR:MCP command timeout: ACSwitch'])
  hears(answer('true'))
  expect({ said: said(), late }).toEqual({ said: [], late: ['true'] })
})

test('a late answer is not taken for that of the next call, which waits for it', async () => {
  const { board, clock, said, hears, late } = benchBoard()
  hears({ type: 'mcp-tool', tools: [acSwitch] })
  said()
  const first = board.call({ name: 'ACSwitch', arguments: { enabled: true }, turnId: null })
  const second = board.call({ name: 'ACSwitch', arguments: {}, turnId: null })
  const failed = expect(first).rejects.toMatchObject({ code: 'uart-answer-timeout' })
  await clock.advance(5_000)
  await failed
  expect(said()).toEqual([call({ enabled: true }), 'ERROR:MCP command timeout: ACSwitch'])
  hears(answer('late'))
  expect(said()).toEqual([call({})])
  hears(answer('mine'))
  expect({ second: await second, late }).toEqual({ second: 'mine', late: ['late'] })
})

test('when no late answer comes the next call goes out after a short quiet', async () => {
  const { board, clock, said, hears } = benchBoard()
  hears({ type: 'mcp-tool', tools: [acSwitch] })
  const first = board.call({ name: 'ACSwitch', arguments: { enabled: true }, turnId: null })
  const failed = expect(first).rejects.toMatchObject({ code: 'uart-answer-timeout' })
  await clock.advance(5_000)
  await failed
  said()
  const second = board.call({ name: 'ACSwitch', arguments: {}, turnId: null })
  expect(said()).toEqual([])
  await clock.advance(2_000)
  expect(said()).toEqual([call({})])
  hears(answer('true'))
  expect(await second).toBe('true')
})

test('one call is in flight at a time; the next one goes out with the answer', async () => {
  const { board, said, hears } = benchBoard()
  hears({ type: 'mcp-tool', tools: [acSwitch] })
  said()
  const calls = [1, 2, 3].map((n) => board.call({ name: 'ACSwitch', arguments: { n }, turnId: null }))
  for (const n of [1, 2, 3]) {
    expect(said().filter((line) => line !== 'OK')).toEqual([call({ n })])
    hears(answer(String(n)))
  }
  expect(await Promise.all(calls)).toEqual(['1', '2', '3'])
})

test('the answer of a cancelled call frees the line and settles nothing', async () => {
  const { board, said, hears, late } = benchBoard()
  hears({ type: 'mcp-tool', tools: [acSwitch] })
  const stop = new AbortController()
  const first = board.call({ name: 'ACSwitch', arguments: { n: 1 }, turnId: null, signal: stop.signal })
  const second = board.call({ name: 'ACSwitch', arguments: { n: 2 }, turnId: null })
  stop.abort()
  await expect(first).rejects.toMatchObject({ code: 'tool-cancelled' })
  said()
  hears(answer('one'))
  expect(said()).toEqual(['OK', call({ n: 2 })])
  hears(answer('two'))
  expect({ second: await second, late }).toEqual({ second: 'two', late: ['one'] })
})

test('trace 5: OK goes out at the old speed, then the board switches', () => {
  const { board, said, hears } = benchBoard()
  hears({ type: 'baudrate-set', baud: 921_600 })
  expect({ said: said(), baud: board.state.baud }).toEqual({ said: ['OK', 'speed 921600'], baud: 921_600 })
})

test('trace 6: each fault of the microcontroller is told or ignored, and the session goes on', () => {
  const { board, said, raw, hears } = benchBoard()
  raw('volume-set {"role":"MCU","msgType":"status","status":5}\n')
  expect({ said: said(), volume: board.state.volume }).toEqual({ said: [], volume: 70 })
  raw('volume-check {"role":"MCU", "msgType":"status"}\r\n')
  raw('volume-set {"role":"MCU","msgType":"status","status":101}\r\n')
  raw('baudrate-set {"role":"MCU","msgType":"status","status":200}\r\n')
  hears({ type: 'mcp-tool', tools: [acSwitch, acSwitch] })
  hears({ type: 'mcp-tool', tools: [{ ...acSwitch, name: 'SetVolume' }] })
  const errors = said()
  expect(errors).toHaveLength(5)
  expect(errors.every((line) => line.startsWith('ERROR:'))).toBe(true)
  expect(board.state).toMatchObject({ volume: 70, baud: 115_200, tools: [] })
  raw('I (312) main: started\r\n')
  expect(said()).toEqual([])
  hears({ type: 'volume-set', volume: 100 })
  expect(said()).toEqual(['OK'])
  expect(board.state.volume).toBe(100)
})

test('the wake-up command holds the board awake for its seconds', async () => {
  const { clock, said, hears } = benchBoard()
  hears({ type: 'mcp-tool', tools: [acSwitch] })
  said()
  hears({ type: 'wake-up', seconds: 30 })
  await clock.advance(29_999)
  expect(said()).toEqual(['OK', '2.WakeUP'])
  await clock.advance(1)
  expect(said()).toEqual(['3.Sleep'])
})

test('the volume is answered with its value', () => {
  const { lines, hears } = benchBoard()
  hears({ type: 'volume-set', volume: 0 })
  hears({ type: 'volume-check' })
  const zero = '{"role":"AI board","msgType":"status","volume":0,"status":"OK"}\r\n'
  expect(lines()).toEqual([zero, zero])
})

test('a tool that was not declared is not called, and closing ends what is open', async () => {
  const { board, hears } = benchBoard()
  await expect(board.call({ name: 'Nope', arguments: {}, turnId: null })).rejects.toMatchObject({
    code: 'tool-unknown',
  })
  hears({ type: 'mcp-tool', tools: [acSwitch] })
  const open = board.call({ name: 'ACSwitch', arguments: {}, turnId: null })
  board.close()
  await expect(open).rejects.toMatchObject({ code: 'uart-not-open' })
})
