import { expect, test } from 'vitest'
import { fitSine, rms } from '../../../test/support/audio-signals.ts'
import { createTone, toneRate } from './tone.ts'

test.each([
  ['ok', 659.26, 987.77],
  ['refused', 440, 329.63],
] as const)('the tone "%s" is %f Hz and then %f Hz', (name, first, second) => {
  const tone = createTone(name)
  expect(tone.length / toneRate).toBeCloseTo(0.28, 3)
  const half = tone.length / 2
  expect(fitSine(tone.subarray(0, half), first, toneRate).snr).toBeGreaterThan(8)
  expect(fitSine(tone.subarray(half), second, toneRate).snr).toBeGreaterThan(8)
  expect(rms(tone)).toBeGreaterThan(3_000)
})

test('no tone begins, ends or changes with a click', () => {
  for (const name of ['ok', 'refused'] as const) {
    const tone = createTone(name)
    expect(tone[0]).toBe(0)
    expect(Math.abs(tone.at(-1)!)).toBe(0)
    for (const [index, value] of tone.entries()) expect(Math.abs(value - (tone[index - 1] ?? 0))).toBeLessThan(3_300)
  }
})
