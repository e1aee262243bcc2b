import { expect, test } from 'vitest'
import { percentile } from './percentile.ts'

test('the median and the tail are values that were really measured', () => {
  const replies = [900, 100, 500, 700, 300]

  expect(percentile(replies, 50)).toBe(500)
  expect(percentile(replies, 95)).toBe(900)
  expect(percentile(replies, 0)).toBe(100)
})

test('boards that reported nothing do not count as zero', () => {
  expect(percentile([null, 800, null], 50)).toBe(800)
  expect(percentile([null, null], 95)).toBeNull()
  expect(percentile([], 50)).toBeNull()
})
