import { expect, test } from 'vitest'
import { createInputQueue, createThrottle } from './input-queue.ts'
import { createRateGuard } from '../../base/rate-guard.ts'

test('frames faster than real time are kept up to 2 s, the rest is dropped', () => {
  const queue = createInputQueue({ startedAt: 0, frameMs: 60 })
  const admitted = Array.from({ length: 100 }, () => queue.admit(0)).filter(Boolean)
  expect(admitted).toHaveLength(33)
  expect(queue.admit(59)).toBe(true)
  expect(queue.admit(60)).toBe(false)
})

test('what a stalled network held back is not too fast', () => {
  const queue = createInputQueue({ startedAt: 0, frameMs: 60 })
  expect(Array.from({ length: 80 }, () => queue.admit(5000)).every(Boolean)).toBe(true)
})

test('twenty in a minute are too many, spread out they are not', () => {
  const guard = createRateGuard({ limit: 20, windowMs: 60_000 })
  expect(Array.from({ length: 20 }, (_, index) => guard.count(index)).indexOf(true)).toBe(19)
  const slow = createRateGuard({ limit: 20, windowMs: 60_000 })
  expect(Array.from({ length: 100 }, (_, index) => slow.count(index * 3200)).includes(true)).toBe(false)
})

test('a throttle passes once a second', () => {
  const throttle = createThrottle(1000)
  expect([0, 1, 999, 1000, 1500, 2100].map((at) => throttle.pass(at))).toEqual([true, false, false, true, false, true])
})
