import { expect, test } from 'vitest'
import { createManualClock, type ManualClock } from '../../../test/support/manual-clock.ts'
import { createPacer } from './pacer.ts'

function scene(options: { clock?: ManualClock; buffered?: () => number; aheadMs?: number } = {}) {
  const clock = options.clock ?? createManualClock()
  const sent: { frame: number; at: number }[] = []
  let slow = 0
  const begun = clock.now()
  const pacer = createPacer<number>({
    clock,
    frameMs: 60,
    aheadMs: options.aheadMs,
    send: (frame) => sent.push({ frame, at: clock.now() - begun }),
    buffered: options.buffered ?? (() => 0),
    onSlow: () => slow++,
  })
  return { clock, pacer, sent, slow: () => slow, now: () => clock.now() - begun }
}

/** How far sound was ahead of real time right after each frame. */
const ahead = (sent: readonly { at: number }[]) => sent.map(({ at }, index) => (index + 1) * 60 - (at - sent[0]!.at))

test('sound is never more than 300 ms ahead of real time, and never late when it was made in time', async () => {
  const { clock, pacer, sent } = scene()
  for (let frame = 0; frame < 200; frame++) pacer.frame(frame)
  await clock.advance(20_000)
  expect(sent).toHaveLength(200)
  expect(Math.max(...ahead(sent))).toBeLessThanOrEqual(300)
  expect(Math.min(...ahead(sent).slice(5))).toBeGreaterThan(239)
})

test('over ten minutes no error adds up', async () => {
  const { clock, pacer, sent } = scene()
  for (let frame = 0; frame < 10_000; frame++) pacer.frame(frame)
  await clock.advance(601_000)
  expect(sent.at(-1)!.at).toBe(10_000 * 60 - 300)
})

test('sound that was made late is not sent in a burst', async () => {
  const { clock, pacer, sent } = scene()
  for (let frame = 0; frame < 10; frame++) pacer.frame(frame)
  await clock.advance(5000)
  const resumed = sent.length
  for (let frame = 0; frame < 20; frame++) pacer.frame(frame)
  await clock.advance(0)
  expect(sent.length - resumed).toBe(5)
  await clock.advance(60)
  expect(sent.length - resumed).toBe(6)
})

test('the end comes when the last frame has had time to play', async () => {
  const { clock, pacer, now } = scene()
  for (let frame = 0; frame < 20; frame++) pacer.frame(frame)
  let ended: { ms: number | undefined; at: number } | undefined
  void pacer.played().then((ms) => (ended = { ms, at: now() }))
  await clock.advance(1199)
  expect(ended).toBeUndefined()
  await clock.advance(1)
  expect(ended).toEqual({ ms: 1200, at: 1200 })
})

test('after a stop nothing is sent, and the end says so', async () => {
  const { clock, pacer, sent } = scene()
  for (let frame = 0; frame < 50; frame++) pacer.frame(frame)
  const played = pacer.played()
  await clock.advance(100)
  const count = sent.length
  pacer.stop()
  pacer.frame(99)
  await clock.advance(10_000)
  expect(sent).toHaveLength(count)
  expect(await played).toBeUndefined()
})

test('a board that does not read is cut at 256 KiB, once', async () => {
  let buffered = 0
  const { clock, pacer, sent, slow } = scene({ buffered: () => buffered })
  for (let frame = 0; frame < 50; frame++) pacer.frame(frame)
  await clock.advance(200)
  buffered = 256 * 1024 + 1
  const count = sent.length
  await clock.advance(10_000)
  expect(sent).toHaveLength(count)
  expect(slow()).toBe(1)
})

test('marks keep their place between frames', async () => {
  const { clock, pacer, sent } = scene()
  const marks: number[] = []
  pacer.mark(() => marks.push(sent.length))
  for (let frame = 0; frame < 20; frame++) pacer.frame(frame)
  pacer.mark(() => marks.push(sent.length))
  await clock.advance(2000)
  expect(marks).toEqual([0, 20])
})

test('the maker waits for room, and is let go by a stop', async () => {
  const { clock, pacer } = scene()
  for (let frame = 0; frame < 60; frame++) pacer.frame(frame)
  let free = 0
  void pacer.room().then(() => free++)
  await clock.advance(1000)
  expect(free).toBe(0)
  await clock.advance(1000)
  expect(free).toBe(1)
  for (let frame = 0; frame < 60; frame++) pacer.frame(frame)
  void pacer.room().then(() => free++)
  pacer.stop()
  await clock.advance(0)
  expect(free).toBe(2)
})

test('the setting moves the lead', async () => {
  const { clock, pacer, sent } = scene({ aheadMs: 480 })
  for (let frame = 0; frame < 50; frame++) pacer.frame(frame)
  await clock.advance(0)
  expect(sent).toHaveLength(8)
})
