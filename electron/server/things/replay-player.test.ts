import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { createReplayPlayer } from './replay-player.ts'

const rows = [
  { atMs: 0, values: { level: 0, power: true } },
  { atMs: 1_000, values: { level: 1 } },
  { atMs: 1_000, values: { level: 2 } },
  { atMs: 4_000, values: { level: 3 } },
]

function start() {
  const clock = createManualClock()
  const put: object[] = []
  const player = createReplayPlayer({
    file: 'a.csv',
    rows,
    clock,
    put: (values) => put.push(values),
    changed: () => {},
  })
  return { clock, put, player }
}

test('each row comes when it is due, and the last one ends the recording', async () => {
  const { clock, put, player } = start()
  player.steer({ action: 'play' })
  expect(put).toEqual([{ level: 0, power: true }])
  await clock.advance(999)
  expect(put).toHaveLength(1)
  await clock.advance(1)
  expect(put.slice(1)).toEqual([{ level: 1 }, { level: 2 }])
  expect(player.view()).toMatchObject({ atMs: 1_000, lengthMs: 4_000, rows: 4, state: 'playing' })
  await clock.advance(60_000)
  expect(put.at(-1)).toEqual({ level: 3 })
  expect(player.view()).toMatchObject({ atMs: 4_000, state: 'ended' })
  player.steer({ action: 'play' })
  expect(player.view()).toMatchObject({ atMs: 0, state: 'playing' })
})

test('ten times as fast, the rows come in a tenth of their time, also when the speed changes on the way', async () => {
  const { clock, put, player } = start()
  player.steer({ action: 'play', speed: 10 })
  await clock.advance(100)
  expect(put).toHaveLength(3)
  await clock.advance(100)
  player.steer({ action: 'play', speed: 1 })
  expect(player.view()).toMatchObject({ atMs: 2_000, speed: 1 })
  await clock.advance(1_999)
  expect(put).toHaveLength(3)
  await clock.advance(1)
  expect(put).toHaveLength(4)
})

test('a pause holds it where it is, a seek tells what the recording had said by then, and after the stop nothing comes', async () => {
  const { clock, put, player } = start()
  player.steer({ action: 'play' })
  await clock.advance(500)
  player.steer({ action: 'pause' })
  await clock.advance(10_000)
  expect(player.view()).toMatchObject({ atMs: 500, state: 'paused' })
  expect(put).toHaveLength(1)
  player.steer({ action: 'pause', atMs: 3_000 })
  expect(put.at(-1)).toEqual({ level: 2, power: true })
  player.steer({ action: 'pause', atMs: 100 })
  expect(put.at(-1)).toEqual({ level: 0, power: true })
  player.steer({ action: 'play', atMs: 99_000 })
  expect(put.at(-1)).toEqual({ level: 0, power: true })
  player.stop()
  const before = put.length
  await clock.advance(10_000)
  expect(put).toHaveLength(before)
})
