import { expect, test } from 'vitest'
import { ThingModel } from '../../contract/thing.ts'
import { createLineSplitter } from '../../contract/uart-bytes.ts'
import { readMcuLine } from '../../contract/uart-lint.ts'
import { type BoardLine, boardLine } from '../../contract/uart-wire.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { playLesson } from './lesson-program.ts'
import { createMcu, type McuEvent, type McuProgram } from './mcu.ts'
import { playThing } from './thing-program.ts'

const lineOf = (text: string) => createLineSplitter().push(new TextEncoder().encode(text))[0]!

function benchMcu(program: McuProgram = playLesson()) {
  const clock = createManualClock()
  const sent: string[] = []
  const events: McuEvent[] = []
  const mcu = createMcu({
    program,
    clock,
    send: (text) => void sent.push(text),
    setBaud: (baud) => void sent.push(`speed ${baud}`),
    onEvent: (event) => void events.push(event),
  })
  return {
    mcu,
    clock,
    events,
    said: () => sent.splice(0),
    hears: (line: BoardLine) => mcu.receive(lineOf(boardLine(line))),
  }
}

test('it declares its whole set when the board has none, and the linter finds no error in it', () => {
  const { hears, said } = benchMcu()
  hears({ type: 'error', message: 'Tools NULL' })
  const [line = ''] = said()
  const { command, faults } = readMcuLine(lineOf(line))
  expect(command).toEqual({ type: 'mcp-tool', tools: playLesson().tools })
  expect(faults.filter(({ severity }) => severity === 'error')).toEqual([])
})

test('it plays calls and queries and answers with a text', async () => {
  const { hears, said, clock } = benchMcu()
  const ask = async (args: Record<string, unknown>) => {
    hears({ type: 'call', name: 'ACTemperature', arguments: args })
    await clock.advance(0)
    return said().map((line) => /"status":(.*)\}/.exec(line)?.[1])
  }
  expect(await ask({ temperature: 22 })).toEqual(['"true"'])
  expect(await ask({})).toEqual(['"22"'])
  expect(await ask({ temperature: 31 })).toEqual(['"false"'])
})

test('a new speed counts after OK, and not after an error', () => {
  const { mcu, hears, said } = benchMcu()
  mcu.command({ type: 'baudrate-set', baud: 9600 })
  said()
  hears({ type: 'ok' })
  hears({ type: 'ok' })
  expect(said()).toEqual(['speed 9600'])
  mcu.command({ type: 'baudrate-set', baud: 200 })
  said()
  hears({ type: 'error', message: 'baud' })
  hears({ type: 'ok' })
  expect(said()).toEqual([])
})

test('each fault is one that the linter names', async () => {
  const { mcu, hears, said, clock } = benchMcu()
  const rules = async () => {
    hears({ type: 'call', name: 'ACSwitch', arguments: {} })
    await clock.advance(0)
    const line = said().join('')
    return readMcuLine(lineOf(line.endsWith('\n') ? line : `${line}\n`)).faults.map(({ rule }) => rule)
  }
  mcu.setFaults({ spaces: true })
  expect(await rules()).toContain('uart-json-space')
  mcu.setFaults({ spaces: false, wrongType: true })
  expect(await rules()).toEqual(['uart-status-not-text'])
  mcu.setFaults({ wrongType: false, noLineEnd: true })
  expect(await rules()).toEqual(['uart-no-line-end'])
  mcu.setFaults({ noLineEnd: false, delayMs: 6_000 })
  hears({ type: 'call', name: 'ACSwitch', arguments: {} })
  await clock.advance(5_999)
  expect(said()).toEqual([])
  await clock.advance(1)
  expect(said()).toHaveLength(1)
})

test('a Thing is played with its own engine; what the protocol cannot hold is told', () => {
  const model = ThingModel.parse({
    title: { en: 'Air conditioner', zh: '空调' },
    properties: [
      { name: 'power', type: 'boolean', access: 'read-write' },
      { name: 'temperature', type: 'integer', access: 'read-write', minimum: 16, maximum: 30 },
    ],
    methods: [{ name: 'heat_to', params: [{ name: 'temperature', type: 'integer' }] }],
    events: [],
  })
  const program = playThing(model)
  expect(program.left).toEqual(['call:heat_to'])
  expect(program.tools.map(({ name }) => name)).toEqual([
    'set_power',
    'get_power',
    'set_temperature',
    'get_temperature',
  ])
  expect(program.call('set_temperature', { temperature: 22 })).toBe('true')
  expect(program.call('get_temperature', {})).toBe('22')
  expect(program.call('set_temperature', { temperature: 31 })).toBe('false')
  expect(program.call('nope', {})).toBe('false')
})
