import { expect, test } from 'vitest'
import { type Axis, bytesAxis, digitsFor, durationAxis, numberAxis, secondsAxis } from './axis-text.ts'

const KIB = 1_024
/** The words of the ticks that a chart puts between two values: multiples of the step. */
function labels(axis: Axis, [from, to]: readonly [number, number], step: number): string[] {
  const first = Math.ceil(from / step)
  const ticks = Array.from({ length: Math.floor(to / step) - first + 1 }, (_, index) => (first + index) * step)
  return axis.label(ticks, step)
}

test('the decimals tell one tick from the next', () => {
  expect([1, 2.5, 0.5, 0.25, 0.02, 100].map(digitsFor)).toEqual([0, 1, 1, 2, 2, 0])
})

test('a step of nothing asks for no decimals', () => {
  expect(digitsFor(0)).toBe(0)
  expect(digitsFor(Number.NaN)).toBe(0)
})

test('bytes have ticks on round numbers of the unit that is shown', () => {
  const axis = bytesAxis('en')
  expect(labels(axis, [32 * KIB, 64 * KIB], 16 * KIB)).toEqual(['32 KiB', '48 KiB', '64 KiB'])
  expect(labels(axis, [0, 130 * KIB], 64 * KIB)).toEqual(['0 KiB', '64 KiB', '128 KiB'])
  expect(labels(axis, [0, KIB * KIB], 512 * KIB)).toEqual(['0.0 MiB', '0.5 MiB', '1.0 MiB'])
})

test('no byte axis of any size has a tick beside the round number', () => {
  const axis = bytesAxis('en')
  for (const step of axis.steps.slice(0, 40))
    for (const first of [0, 1, 7, 1_000]) {
      const shown = axis.label(
        [0, 1, 2, 3].map((index) => (first + index) * step),
        step,
      )
      expect(new Set(shown).size, shown.join()).toBe(4)
      expect(new Set(shown.map((label) => label.split(' ')[1])).size, shown.join()).toBe(1)
      for (const label of shown) expect(label).toMatch(/^[\d,]+(\.(0|5|00|25|50|75))? \w+$/)
    }
})

test('a narrow band far from zero goes down to the unit in which its steps are round', () => {
  expect(labels(bytesAxis('en'), [4_210 * KIB, 4_480 * KIB], 128 * KIB)).toEqual([
    '4,224 KiB',
    '4,352 KiB',
    '4,480 KiB',
  ])
  expect(labels(durationAxis('en'), [118 * 60_000, 119 * 60_000], 30_000)).toEqual(['118.0m', '118.5m', '119.0m'])
})

test('one axis has one unit and one number of decimals', () => {
  expect(labels(durationAxis('en'), [0, 1_200], 500)).toEqual(['0.0 s', '0.5 s', '1.0 s'])
  expect(labels(durationAxis('en'), [6, 7], 0.5)).toEqual(['6.0 ms', '6.5 ms', '7.0 ms'])
  expect(labels(durationAxis('en'), [0, 3_600_000], 1_800_000)).toEqual(['0.0h', '0.5h', '1.0h'])
  expect(labels(numberAxis('dBm', 'en'), [-51, -50], 0.5)).toEqual(['-51.0 dBm', '-50.5 dBm', '-50.0 dBm'])
})

test('both languages have the same ticks and their own words', () => {
  expect(labels(bytesAxis('zh-CN'), [32 * KIB, 64 * KIB], 16 * KIB)).toEqual(['32 KiB', '48 KiB', '64 KiB'])
  expect(labels(durationAxis('zh-CN'), [0, 120_000], 60_000)).toEqual(['0分钟', '1分钟', '2分钟'])
  expect(labels(secondsAxis('zh-CN'), [0, 7_200], 3_600)).toEqual(['0小时', '1小时', '2小时'])
  expect(labels(secondsAxis('en'), [10, 30], 10)).toEqual(['10 s', '20 s', '30 s'])
})

test('steps ascend, and what is counted has no half', () => {
  for (const axis of [bytesAxis('en'), durationAxis('en'), secondsAxis('en'), numberAxis('%', 'en')])
    expect(axis.steps.every((step, index) => index === 0 || step > (axis.steps[index - 1] ?? 0))).toBe(true)
  expect(numberAxis('', 'en', true).steps[0]).toBe(1)
})
