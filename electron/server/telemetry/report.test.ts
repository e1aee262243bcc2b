import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isAppError } from '../../base/app-error.ts'
import { parseReports, reportLimits } from './report.ts'

const now = 1_800_000_000_000
const day = 24 * 3600_000
const parse = (body: unknown) => parseReports(body, { now, allows: () => true })

test('one object and an array of objects are read alike', () => {
  const report = { ts: now - 5, metrics: { rssi_dbm: -61, my_own: 1.5 } }
  const accepted = { at: now - 5, metrics: { rssi_dbm: -61, my_own: 1.5 }, events: [], logs: [] }
  expect(parse(report)).toEqual({ accepted: [accepted], rejected: [] })
  expect(parse([report, report])).toEqual({ accepted: [accepted, accepted], rejected: [] })
  expect(parse([])).toEqual({ accepted: [], rejected: [] })
})

test('events and log lines take their own time, else that of the report', () => {
  const { accepted, rejected } = parse({
    age_ms: 2000,
    events: [
      { ts: now - 9, level: 'warn', code: 'low-heap', message: '堆不足', extra: 1 },
      { level: 'info', code: 'boot', message: 'up' },
    ],
    logs: [{ line: 'I (12) boot' }, { ts: 5, line: 'clock not set' }],
  })
  expect(rejected).toEqual([])
  expect(accepted[0]).toEqual({
    at: now - 2000,
    metrics: {},
    events: [
      { at: now - 9, level: 'warn', code: 'low-heap', message: '堆不足' },
      { at: now - 2000, level: 'info', code: 'boot', message: 'up' },
    ],
    logs: [
      { at: now - 2000, line: 'I (12) boot' },
      { at: now - 2000, line: 'clock not set' },
    ],
  })
})

test.each([
  ['a day and a bit ago', { ts: now - day - 1 }, 'ts'],
  ['in two days', { ts: now + 2 * day }, 'ts'],
  ['in 1970', { ts: 0 }, 'ts'],
  ['an age of a month', { age_ms: 30 * day }, 'age_ms'],
  ['no number', { ts: '12' }, 'ts'],
  ['null', { ts: null }, 'ts'],
])('a report from %s gets the time of arrival and is flagged', (_name, time, path) => {
  const { accepted, rejected } = parse({ ...time, metrics: { uptime_s: 1 } })
  expect(accepted.map(({ at }) => at)).toEqual([now])
  expect(rejected).toMatchObject([{ index: 0, path }])
})

test('a time exactly a day away is believed', () => {
  expect(
    parse([
      { ts: now - day, metrics: { a: 1 } },
      { ts: now + day, metrics: { a: 1 } },
    ]),
  ).toMatchObject({
    accepted: [{ at: now - day }, { at: now + day }],
    rejected: [],
  })
})

test('what is thrown out of a report is listed and the rest is accepted', () => {
  const { accepted, rejected } = parse([
    { metrics: { ok_1: 1 } },
    {
      metrics: { good: 1, Bad: 2, _x: 3, nan: NaN, text: '4', nothing: null, inf: Infinity },
      events: [{ level: 'fatal', code: 'x', message: 'y' }, 'no'],
      logs: 'no',
    },
  ])
  expect(accepted.map(({ metrics }) => metrics)).toEqual([{ ok_1: 1 }, { good: 1 }])
  expect(rejected.map(({ index, path }) => [index, path])).toEqual([
    [1, 'metrics.Bad'],
    [1, 'metrics._x'],
    [1, 'metrics.nan'],
    [1, 'metrics.text'],
    [1, 'metrics.nothing'],
    [1, 'metrics.inf'],
    [1, 'events.0'],
    [1, 'events.1'],
    [1, 'logs'],
  ])
})

test('a report of which nothing is left is rejected in one entry', () => {
  const { accepted, rejected } = parse([
    { metrics: { 'not ok': 1, also: 'x' } },
    {},
    7,
    null,
    [],
    { metrics: { a: 1 } },
  ])
  expect(accepted).toHaveLength(1)
  expect(rejected.map(({ index, path }) => [index, path])).toEqual([0, 1, 2, 3, 4].map((index) => [index, undefined]))
  expect(rejected[0]?.reason).toContain('metrics.not ok')
})

test('limits: 64 metrics a report, 500 reports, long texts cut', () => {
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`m${index}`, index]))
  const { accepted, rejected } = parse({ metrics: many, logs: [{ line: 'x'.repeat(5000) }] })
  expect(Object.keys(accepted[0]!.metrics)).toHaveLength(64)
  expect(accepted[0]!.logs[0]!.line).toHaveLength(reportLimits.text)
  expect(rejected).toMatchObject([{ index: 0, path: 'metrics' }])
  const report = { metrics: { a: 1 } }
  expect(parse(Array(500).fill(report)).accepted).toHaveLength(500)
  expect(() => parse(Array(501).fill(report))).toThrow(expect.objectContaining({ code: 'iotta-bad-request' }))
})

test('a metric that the device may not bring is thrown out', () => {
  const { accepted, rejected } = parseReports({ metrics: { a: 1, b: 2 } }, { now, allows: (name) => name === 'a' })
  expect(accepted[0]?.metrics).toEqual({ a: 1 })
  expect(rejected).toMatchObject([{ index: 0, path: 'metrics.b' }])
})

test.each([[null], ['text'], [12], [true], [undefined]])('%s is a bad request', (body) => {
  expect(() => parse(body)).toThrow(expect.objectContaining({ code: 'iotta-bad-request' }))
})

const almost = fc.record(
  {
    ts: fc.oneof(fc.double(), fc.integer({ min: now - 2 * day, max: now + 2 * day }), fc.jsonValue()),
    age_ms: fc.oneof(fc.double(), fc.jsonValue()),
    metrics: fc.oneof(fc.dictionary(fc.string(), fc.oneof(fc.double(), fc.jsonValue())), fc.jsonValue()),
    events: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
    logs: fc.oneof(fc.array(fc.record({ line: fc.string(), ts: fc.double() })), fc.jsonValue()),
  },
  { requiredKeys: [] },
)

test('whatever comes, each report is accepted or rejected once, and every number kept is finite and near', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), almost, fc.array(fc.oneof(almost, fc.jsonValue()))), (body) => {
      let parsed
      try {
        parsed = parse(body)
      } catch (error) {
        return isAppError(error, 'iotta-bad-request')
      }
      const whole = parsed.rejected.filter(({ path }) => path === undefined).length
      const count = Array.isArray(body) ? body.length : 1
      const sound = parsed.accepted.every(
        ({ at, metrics, events, logs }) =>
          [at, ...events.map((event) => event.at), ...logs.map((log) => log.at)].every(
            (time) => Math.abs(time - now) <= day,
          ) &&
          Object.entries(metrics).every(
            ([name, value]) => /^[a-z][a-z0-9_]{0,63}$/.test(name) && Number.isFinite(value),
          ),
      )
      return sound && parsed.accepted.length + whole === count
    }),
    { numRuns: 10_000 },
  )
})
