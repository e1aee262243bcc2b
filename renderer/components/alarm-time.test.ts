import { expect, test } from 'vitest'
import { countdown, nextAt } from './alarm-time.ts'

test('a countdown shows hours only when there are some', () => {
  expect([3_909_000, 299_001, 59_000, -5].map(countdown)).toEqual(['1:05:09', '5:00', '0:59', '0:00'])
})

test('a time that has passed today is tomorrow, and a weekday waits for its day', () => {
  const monday = new Date(2026, 10, 30, 8, 0).getTime()

  expect(nextAt('08:30', [], monday)).toBe(new Date(2026, 10, 30, 8, 30).getTime())
  expect(nextAt('07:00', [], monday)).toBe(new Date(2026, 11, 1, 7, 0).getTime())
  expect(nextAt('07:00', [1], monday)).toBe(new Date(2026, 11, 7, 7, 0).getTime())
  expect(nextAt('', [], monday)).toBeNull()
})
