import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isAppError } from '../../base/app-error.ts'
import { ThingModel } from '../../contract/thing.ts'
import { readReplay } from './replay-csv.ts'
import { thingTemplates } from './templates.ts'

const model = ThingModel.parse({
  title: { en: 'Sensor', zh: '传感器' },
  properties: [
    { name: 'temperature', type: 'number', access: 'read', minimum: -40, maximum: 80, names: { en: [], zh: ['温度'] } },
    { name: 'level', type: 'integer', access: 'read-write', minimum: 0, maximum: 5 },
    { name: 'power', type: 'boolean', access: 'read-write' },
  ],
  methods: [],
  events: [],
})
const rowsOf = (text: string) => (readReplay(text, model) as { rows: unknown }).rows
const faultsOf = (text: string) => (readReplay(text, model) as { faults: unknown }).faults

test('seconds and ISO times, spoken names, units, on and off, empty cells: each becomes rows from zero', () => {
  expect(rowsOf('time,temperature,power\n10,21.5,on\n10.5,,off\n12,22,\n')).toEqual([
    { atMs: 0, values: { temperature: 21.5, power: true } },
    { atMs: 500, values: { power: false } },
    { atMs: 2000, values: { temperature: 22 } },
  ])
  expect(rowsOf('时间;温度 (°C)\r\n2026-03-01T10:00:00+08:00;3\r\n2026-03-01T02:00:30Z;4\r\n')).toEqual([
    { atMs: 0, values: { temperature: 3 } },
    { atMs: 30_000, values: { temperature: 4 } },
  ])
  expect(rowsOf('\ufefft\tlevel\n"0"\t1\n# a note\n1\t2\n')).toHaveLength(2)
})

test('each fault is told with its line and column, and nothing is played', () => {
  expect(faultsOf('time,temperature,humidity,temperature\n0,1,2,3\n')).toMatchObject([
    { line: 1, column: 'humidity', code: 'unknown-column' },
    { line: 1, column: 'temperature', code: 'twice' },
  ])
  expect(faultsOf('time,temperature,level\n0,99,1\nx,1,2.5\n-1,1,1\n3,1,1\n2,1,1\n')).toMatchObject([
    { line: 2, column: 'temperature', code: 'bad-value', found: '99', wanted: 'must be at most 80' },
    { line: 3, column: 'time', code: 'bad-time', found: 'x' },
    { line: 3, column: 'level', code: 'bad-value', found: '2.5', wanted: 'must be a whole number' },
    { line: 4, column: 'time', code: 'bad-time', found: '-1' },
    { line: 6, column: 'time', code: 'time-back', found: '2' },
  ])
  expect(faultsOf('temperature\n1\n')).toMatchObject([{ code: 'no-time' }])
  expect(faultsOf('time\n1\n')).toMatchObject([{ code: 'no-values' }])
  expect(faultsOf(`time,level\n${'0,9\n'.repeat(100)}`)).toHaveLength(20)
})

test('what is no table, or too much of one, is refused with its code', () => {
  for (const text of [
    '',
    'time,level\n',
    '"time"x,level\n0,1',
    'x'.repeat(800_000),
    `t,level\n${'0,1\n'.repeat(20_001)}`,
  ])
    expect(() => readReplay(text, model)).toThrow(expect.objectContaining({ code: 'thing-replay-bad' }) as Error)
})

test('whatever the text, the answer is rows, faults or thing-replay-bad', () => {
  const cell = fc.oneof(
    fc.constantFrom('time', 'level', '1', '"', '\n', ',', ';', '\t', '2026-01-01T00:00'),
    fc.string(),
  )
  const models = [model, ...thingTemplates.map((template) => template.model)]
  fc.assert(
    fc.property(fc.array(cell), fc.constantFrom(...models), (cells, drawn) => {
      try {
        const read = readReplay(`time,level,power\n${cells.join('')}`, drawn)
        if ('rows' in read) for (const { atMs } of read.rows) expect(atMs).toBeGreaterThanOrEqual(0)
        else expect(read.faults.length).toBeGreaterThan(0)
      } catch (error) {
        if (!isAppError(error, 'thing-replay-bad')) throw error
      }
    }),
  )
})
