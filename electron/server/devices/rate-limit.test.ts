import { expect, test } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

function open(options: { maxKeys?: number } = {}) {
  const clock = { at: 1_000 }
  return { clock, limit: createRateLimit({ now: () => clock.at, ...options }) }
}

test('ten failures of one pair within a minute close the door until the first is a minute old', () => {
  const { clock, limit } = open()
  const attempt = { address: '10.0.0.1', deviceId: 'a' }
  for (let n = 0; n < 10; n++) {
    expect(limit.retryAfter(attempt)).toBeUndefined()
    limit.fail(attempt)
    clock.at += 1_000
  }
  expect(limit.retryAfter(attempt)).toBe(50)
  expect(limit.retryAfter({ ...attempt, deviceId: 'b' })).toBeUndefined()
  clock.at += 50_000
  expect(limit.retryAfter(attempt)).toBeUndefined()
})

test('a hundred failures of one address close the door for every id behind it, and for no other address', () => {
  const { limit } = open()
  for (let n = 0; n < 100; n++) limit.fail({ address: '10.0.0.1', deviceId: `id-${n}` })
  expect(limit.retryAfter({ address: '10.0.0.1', deviceId: 'new' })).toBe(60)
  expect(limit.retryAfter({ address: '10.0.0.2', deviceId: 'new' })).toBeUndefined()
})

test.each(['127.0.0.1', '127.8.9.1', '::1'])('%s has no limit by address but the one by pair', (address) => {
  const { limit } = open()
  for (let n = 0; n < 200; n++) limit.fail({ address, deviceId: `id-${n}` })
  expect(limit.retryAfter({ address, deviceId: 'new' })).toBeUndefined()
  for (let n = 0; n < 10; n++) limit.fail({ address, deviceId: 'one' })
  expect(limit.retryAfter({ address, deviceId: 'one' })).toBe(60)
})

test('a flood of made-up ids does not grow the memory, and the busiest address stays known', () => {
  const { limit } = open({ maxKeys: 50 })
  for (let n = 0; n < 1_000; n++) limit.fail({ address: '10.0.0.1', deviceId: `id-${n}` })
  expect(limit.retryAfter({ address: '10.0.0.1', deviceId: 'x' })).toBe(60)
  expect(limit.retryAfter({ address: '10.0.0.2', deviceId: 'id-1' })).toBeUndefined()
})
