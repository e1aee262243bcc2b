import { expect, test } from 'vitest'
import type { Series } from '../../electron/contract/telemetry.ts'
import { fleetBand, onGrid, summaryOf } from './fleet-series.ts'

const grid = { from: 0, to: 400, columns: 4 }
const series = (deviceId: string, points: readonly (readonly [number, number])[]): Series => ({
  deviceId,
  metric: 'rssi_dbm',
  from: 0,
  to: 400,
  columns: points.map(([at, mean]) => ({ at, mean, min: mean - 10, max: mean + 10, count: 3 })),
})

test('a time without a report stays a gap', () => {
  expect(
    onGrid(
      series('a', [
        [50, -40],
        [350, -60],
      ]),
      grid,
    ),
  ).toEqual([-40, null, null, -60])
})

test('the band is made of boards that reported at that time', () => {
  const band = fleetBand(
    [
      series('a', [[50, -40]]),
      series('b', [
        [50, -80],
        [150, -70],
      ]),
      series('c', [[50, -60]]),
    ],
    grid,
  )

  expect(band.p50).toEqual([-60, -70, null, null])
  expect(band.p5[0]).toBe(-80)
  expect(band.p95[0]).toBe(-40)
  expect(band.times).toEqual([50, 150, 250, 350])
})

test('points outside the range are left out', () => {
  expect(
    onGrid(
      series('a', [
        [-5, 1],
        [400, 2],
      ]),
      grid,
    ),
  ).toEqual([null, null, null, null])
})

test('a board is summed up by its last value and its true extremes', () => {
  expect(
    summaryOf(
      series('a', [
        [50, -40],
        [150, -50],
      ]),
    ),
  ).toEqual({ latest: -50, min: -60, max: -30 })
  expect(summaryOf(series('a', []))).toBeNull()
})
