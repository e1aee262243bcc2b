import { expect, test } from 'vitest'
import { garbled } from '../../contract/uart-baud.ts'
import { createLineSplitter } from '../../contract/uart-bytes.ts'
import { boardLine, mcuLine } from '../../contract/uart-wire.ts'
import { createCallPairing } from './call-pairing.ts'
import { noFaultPlan, spoil } from './fault-line.ts'
import { readLine } from './line-view.ts'
import { outcomeOf, toolContent, toolProblem } from './mcu-tool.ts'
import { createSubtitles } from './subtitles.ts'
import { createWireWatch } from './wire-watch.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string, from: 'mcu' | 'board') => readLine(createLineSplitter().push(bytes(text))[0]!, from)
const call = read(boardLine({ type: 'call', name: 'ACSwitch', arguments: { enabled: true } }), 'board')
const answer = read(mcuLine({ type: 'mcp-responsive', status: 'true' }), 'mcu')

test('an answer gets the turn and the latency of its call', () => {
  const pairing = createCallPairing()
  expect(pairing.line(call, 1_000, 'turn-1')).toEqual({ turnId: 'turn-1', latencyMs: null, late: false })
  expect(pairing.line(answer, 1_027, null)).toEqual({ turnId: 'turn-1', latencyMs: 27, late: false })
  expect(pairing.figures()).toEqual({ timeouts: 0, lateAnswers: 0, p50Ms: 27, slowestMs: null })
})

test('an answer after 5 s is late, belongs to no turn and tells how slow it was', () => {
  const pairing = createCallPairing()
  pairing.line(call, 0, 'turn-1')
  expect(pairing.expire(4_999)).toBe(false)
  expect(pairing.expire(5_000)).toBe(true)
  expect(pairing.line(answer, 6_100, null)).toEqual({ turnId: null, latencyMs: null, late: true })
  expect(pairing.figures()).toEqual({ timeouts: 1, lateAnswers: 1, p50Ms: null, slowestMs: 6_100 })
})

test('lines are decoded without markup', () => {
  expect([call, answer].map(({ kind, decoded }) => [kind, decoded])).toEqual([
    ['call', 'ACSwitch enabled=true'],
    ['answer', 'true'],
  ])
  expect(read(boardLine({ type: 'call', name: 'ACSwitch', arguments: {} }), 'board').kind).toBe('query')
  const spoken = boardLine({ type: 'subtitle', text: '你好', emoji: '😊', emotion: 'happy' })
  expect(read(spoken, 'board')).toMatchObject({ kind: 'subtitle', decoded: '😊 你好', faults: [] })
})

test('the fault plan does to a line what it says', () => {
  const line = bytes('abcdef\r\n')
  const plan = { ...noFaultPlan, dropEvery: 3, corruptEvery: 2, noLineEnd: true }
  expect(spoil(line, 3, plan).bytes).toBeNull()
  expect(Buffer.from(spoil(line, 1, plan).bytes!).toString()).toBe('abcdef')
  const corrupt = spoil(line, 2, plan).bytes!
  expect(corrupt.filter((byte, at) => byte !== line[at])).toHaveLength(1)
  expect(spoil(line, 1, { ...noFaultPlan, delayMs: 30 })).toMatchObject({ bytes: line, delayMs: 30 })
})

test('garbage after a silence tells the speed of the other side; good lines end the guess', () => {
  const watch = createWireWatch(115_200)
  const figures = createCallPairing().figures()
  watch.bytes(garbled(bytes(mcuLine({ type: 'volume-check' })), 9600, 115_200), 1_000)
  expect(watch.hints(1_001, figures)).toEqual([{ code: 'uart-baud-guess', detail: '9600' }])
  watch.understood()
  expect(watch.hints(1_002, figures)).toEqual([])
})

test('a line that stays silent after we sent is told after 5 s', () => {
  const watch = createWireWatch(115_200)
  const figures = createCallPairing().figures()
  watch.sent(1_000)
  expect(watch.hints(5_999, figures)).toEqual([])
  expect(watch.hints(7_000, figures)).toEqual([{ code: 'uart-silent-line', detail: '6' }])
  watch.bytes(bytes('x'), 7_100)
  expect(watch.hints(20_000, figures)).toEqual([])
})

const tool = {
  name: 'ACTemperature',
  description: '温度',
  properties: { temperature: { type: 'int', description: '' } },
}

test('a declared tool becomes one of the registry, and no argument is required', () => {
  expect(toolContent(tool).arguments).toEqual({
    type: 'object',
    properties: { temperature: { type: 'integer' } },
    additionalProperties: false,
  })
  expect(toolProblem(tool)).toBeNull()
  expect(toolProblem({ ...tool, name: '空调' })).toBe('uart-tool-name')
  expect(toolProblem({ ...tool, properties: { x: { type: 'matrix', description: '' } } })).toBe('tool-bad-schema')
})

test.each([
  [null, { on: true }, 'true', { ok: true, value: { status: 'ok' } }],
  [null, { on: true }, 'false', { ok: false }],
  [null, {}, 'false', { ok: true, value: { value: false } }],
  [null, {}, '22.5', { ok: true, value: { value: 22.5 } }],
  [null, {}, '007', { ok: true, value: { value: '007' } }],
  [{ properties: { value: { type: 'string' } } }, {}, '22', { ok: true, value: { value: '22' } }],
  [{ properties: { status: {} } }, {}, 'true', { ok: true, value: { status: 'ok' } }],
  [{ properties: { status: {} } }, {}, 'false', { ok: false }],
  [{ properties: { status: {} } }, { on: true }, 'maybe', { ok: false }],
])('with result %j and arguments %j the answer "%s" means %j', (...[result, args, status, outcome]) => {
  expect(outcomeOf(result, args, status)).toEqual(outcome)
})

test('each sentence starts with its words and ends with the next one or the turn', () => {
  const subtitles = createSubtitles()
  const follow = (status: 'running' | 'done', replyText: string) =>
    subtitles.follow({ id: 't', status, replyText }).map((line) => (line.type === 'subtitle' ? line.text : line.type))
  expect(follow('running', '')).toEqual([])
  expect(follow('running', 'One.')).toEqual(['One.'])
  expect(follow('running', 'One.')).toEqual([])
  expect(follow('running', 'One. Two?')).toEqual(['subtitle-end', 'Two?'])
  expect(follow('done', 'One. Two?')).toEqual(['subtitle-end'])
  expect(subtitles.follow({ id: 'u', status: 'failed', replyText: 'Sorry.' })).toEqual([
    { type: 'subtitle', text: 'Sorry.', emoji: '😔', emotion: 'sad' },
    { type: 'subtitle-end' },
  ])
})
