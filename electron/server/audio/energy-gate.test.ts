import { expect, test } from 'vitest'
import { noise, sine } from '../../../test/support/audio-signals.ts'
import { joinSamples } from './audio-format.ts'
import { beginEnergyGate, levelDb, stepEnergyGate } from './energy-gate.ts'

function gateOver(pcm: Int16Array): number[] {
  let gate = beginEnergyGate()
  return Array.from({ length: Math.floor(pcm.length / 512) }, (_, index) => {
    const step = stepEnergyGate(gate, pcm.subarray(index * 512, (index + 1) * 512), 16_000)
    gate = step.gate
    return step.probability
  })
}

const speech = sine(300, { rate: 16_000, ms: 1_024, amplitude: 6_000 })
const share = (values: number[]) => values.filter((value) => value >= 0.5).length / values.length

test('the level is that of the signal, without its offset', () => {
  expect(levelDb(sine(1_000, { rate: 16_000, ms: 100, amplitude: 32_767 }))).toBeCloseTo(-3.01, 1)
  expect(levelDb(new Int16Array(512).fill(9_000))).toBe(-100)
  expect(levelDb(new Int16Array())).toBe(-100)
})

test('a voice in a quiet room is speech, the room is not', () => {
  const heard = gateOver(joinSamples([noise(16_384, 40), speech, noise(16_384, 40)]))
  expect(share(heard.slice(0, 32))).toBe(0)
  expect(share(heard.slice(32, 64))).toBe(1)
  expect(share(heard.slice(64))).toBe(0)
})

test('steady noise, however loud, stops being speech within ten seconds', () => {
  const heard = gateOver(noise(16_000 * 20, 3_000))
  expect(share(heard.slice(315))).toBe(0)
})

test('a voice over steady noise is still heard once the floor has followed', () => {
  const floor = noise(16_000 * 12, 400)
  const loud = Int16Array.from(speech, (value, index) => value + (floor[index] ?? 0))
  expect(share(gateOver(joinSamples([floor, loud])).slice(375, 400))).toBeGreaterThan(0.9)
})

test('digital silence is never speech', () => {
  expect(share(gateOver(new Int16Array(16_000 * 3)))).toBe(0)
})
