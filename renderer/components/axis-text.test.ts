import { expect, test } from 'vitest'
import { axisBytes, axisDuration, axisNumber, digitsFor, type Tick } from './axis-text.ts'

const ticks = (from: number, step: number, count = 6): Tick[] =>
  Array.from({ length: count }, (_, index) => ({ value: from + index * step, step, locale: 'en' }))
const distinct = (labels: string[]) => new Set(labels).size === labels.length

test('the decimals tell one tick from the next', () => {
  expect([1, 2.5, 0.5, 0.25, 0.02, 100].map(digitsFor)).toEqual([0, 1, 1, 2, 2, 0])
})

test('a step of nothing asks for no decimals', () => {
  expect(digitsFor(0)).toBe(0)
  expect(digitsFor(Number.NaN)).toBe(0)
})

test('no two ticks have the same label, whatever their distance', () => {
  for (const from of [0, 6, 950, 9_800, 59_000, 118_000, 3_599_000])
    for (const step of [0.25, 0.5, 1, 2.5, 20, 500])
      expect(distinct(ticks(from, step).map(axisDuration)), `${from} +${step}`).toBe(true)
  for (const from of [0, 1_000, 98_304, 4_404_019])
    for (const step of [1, 25, 500, 10_000]) expect(distinct(ticks(from, step).map(axisBytes))).toBe(true)
  expect(distinct(ticks(-51, 0.2).map(axisNumber))).toBe(true)
})

test('half milliseconds are shown as such', () => {
  expect(ticks(6, 0.5, 3).map(axisDuration)).toEqual(['6 ms', '6.5 ms', '7 ms'])
  expect(ticks(1_000, 50, 3).map(axisDuration)).toEqual(['1 s', '1.05 s', '1.1 s'])
})
