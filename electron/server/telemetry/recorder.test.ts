import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import type { TelemetryTail } from '../../contract/telemetry.ts'
import { openStore } from '../store/open-store.ts'
import { createRecorder, metricsPerDevice } from './recorder.ts'

const start = 1_800_000_000_000
const day = 24 * 3600_000

async function setUp(limits = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'roost-telemetry-'))
  const store = await openStore({ dir, log: silentLog, limits })
  const clock = { now: start }
  const recorder = createRecorder({ store, now: () => clock.now, log: silentLog })
  const tails: TelemetryTail[] = []
  const off = recorder.onTail((tail) => tails.push(tail))
  onTestFinished(async () => {
    recorder.close()
    await store.close()
    await rm(dir, { recursive: true })
  })
  return { store, recorder, clock, tails, off }
}

test('a report is heard live, kept, and drawn', async () => {
  const { recorder, tails, off } = await setUp()
  const answer = await recorder.accept('d', [
    { ts: start - 1000, metrics: { rssi_dbm: -60, Wrong: 1 } },
    { ts: start, metrics: { rssi_dbm: -70 }, events: [{ level: 'error', code: 'panic', message: 'oops' }] },
    'nothing',
  ])
  expect(answer.accepted).toBe(2)
  expect(answer.rejected.map(({ index, path }) => [index, path])).toEqual([
    [0, 'metrics.Wrong'],
    [2, undefined],
  ])
  expect(tails).toEqual([
    { deviceId: 'd', at: start - 1000, metrics: { rssi_dbm: -60 } },
    { deviceId: 'd', at: start, metrics: { rssi_dbm: -70 } },
  ])
  expect(await recorder.latest('d', 'rssi_dbm')).toEqual({ at: start, value: -70 })
  expect(await recorder.events('d', 5)).toMatchObject([{ code: 'panic', at: start }])
  const query = { deviceIds: ['d', 'e'], metric: 'rssi_dbm', from: start - 2000, to: start + 1, columns: 10 }
  const [mine, none] = await recorder.series(query)
  expect(mine?.columns.map(({ min }) => min)).toEqual([-60, -70])
  expect(none).toEqual({ deviceId: 'e', metric: 'rssi_dbm', from: start - 2000, to: start + 1, columns: [] })
  off()
  await recorder.accept('d', { metrics: { a: 1 } })
  expect(tails).toHaveLength(2)
})

test('own values join the series of the board', async () => {
  const { recorder, store, tails } = await setUp()
  recorder.own('d', 'reply_ms', { at: start, value: 840 })
  await recorder.accept('d', { metrics: { cpu_pct: 3 } })
  expect(tails.map(({ metrics }) => metrics)).toEqual([{ reply_ms: 840 }, { cpu_pct: 3 }])
  expect(await store.telemetry.metrics('d')).toEqual(['cpu_pct', 'reply_ms'])
})

test('a device that names new metrics without end is held to a number of them', async () => {
  const { recorder } = await setUp()
  const report = (from: number) => ({
    metrics: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`m${from + index}`, 1])),
  })
  const first = await recorder.accept('d', [0, 60, 120, 180, 240].map(report))
  expect(first.accepted).toBe(5)
  expect(first.rejected).toHaveLength(300 - metricsPerDevice)
  expect(await recorder.metrics('d')).toHaveLength(metricsPerDevice)
  expect(await recorder.accept('d', report(1000))).toMatchObject({ accepted: 0, rejected: [{ index: 0 }] })
  expect(await recorder.accept('d', report(0))).toEqual({ accepted: 1, rejected: [] })
  await recorder.forget('d')
  expect(await recorder.accept('d', report(1000))).toEqual({ accepted: 1, rejected: [] })
})

test('with a full disk a report is refused loudly and still heard live', async () => {
  const { recorder, tails } = await setUp({ historyMaxPages: 40 })
  const logs = Array.from({ length: 400 }, () => ({ line: 'x'.repeat(1000) }))
  await expect(recorder.accept('d', { metrics: { a: 1 }, logs })).rejects.toMatchObject({ code: 'server-disk-full' })
  expect(tails).toHaveLength(1)
})

test('old samples go, but never more than 30 days of them without a yes', async () => {
  const { recorder, clock, store } = await setUp()
  await recorder.accept('d', { metrics: { a: 1 } })
  clock.now = start + 31 * day
  await recorder.accept('d', { metrics: { a: 2 } })
  expect(await recorder.prune()).toBe(1)
  clock.now = start + 366 * day
  expect(await recorder.prune()).toBe(0)
  expect(await store.telemetry.latest('d', 'a')).toMatchObject({ value: 2 })
  expect(await recorder.prune({ confirmed: true })).toBe(1)
})
