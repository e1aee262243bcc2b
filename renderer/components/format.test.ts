import { expect, test } from 'vitest'
import { formatAge, formatBytes, formatDuration, formatElapsed } from './format.ts'

test('an age is said in the unit a person would choose', () => {
  expect(formatAge(400, 'en')).toBe('now')
  expect(formatAge(3_900, 'en')).toBe('3s ago')
  expect(formatAge(59_999, 'en')).toBe('59s ago')
  expect(formatAge(60_000, 'en')).toBe('1m ago')
  expect(formatAge(7_300_000, 'en')).toBe('2h ago')
  expect(formatAge(3 * 86_400_000, 'zh-CN')).toBe('3天前')
})

test('an age never lies in the future', () => {
  expect(formatAge(-5_000, 'en')).toBe('now')
})

test('a reply time keeps its milliseconds, a long one its minutes', () => {
  expect(formatDuration(180, 'en')).toBe('180 ms')
  expect(formatDuration(1_213, 'en')).toBe('1.21 s')
  expect(formatDuration(134_000, 'en')).toBe('2m 14s')
  expect(formatDuration(7_500_000, 'en')).toBe('2h 5m')
})

test('what goes on is counted in whole seconds, in the words of its age', () => {
  expect(formatElapsed(6_690, 'en')).toBe('6s')
  expect(formatElapsed(16_900, 'zh-CN')).toBe('16秒')
  expect(formatElapsed(-5, 'en')).toBe('0s')
  expect(formatElapsed(134_000, 'en')).toBe('2m 14s')
})

test('bytes are counted in powers of 1024', () => {
  expect(formatBytes(0, 'en')).toBe('0 B')
  expect(formatBytes(98_304, 'en')).toBe('96 KiB')
  expect(formatBytes(4_404_019, 'en')).toBe('4.2 MiB')
})
