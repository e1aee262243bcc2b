import { describe, expect, test } from 'vitest'
import { fitSine, noise, rms, sine } from '../../../test/support/audio-signals.ts'
import { joinSamples } from './audio-format.ts'
import { loadResampler, type ResamplerRates } from './resampler.ts'

const resampling = await loadResampler()

function convert(pcm: Int16Array, rates: ResamplerRates, chunk = 480): Int16Array {
  const resampler = resampling.create(rates)
  const parts: Int16Array[] = []
  for (let at = 0; at < pcm.length; at += chunk) parts.push(resampler.process(pcm.subarray(at, at + chunk)))
  parts.push(resampler.flush())
  resampler.close()
  return joinSamples(parts)
}

describe.each([
  [24_000, 16_000],
  [48_000, 16_000],
  [22_050, 24_000],
  [8_000, 24_000],
])('from %i to %i Hz', (from, to) => {
  test('a tone keeps its level, at 90 dB above all the rest', () => {
    const out = convert(sine(1_000, { rate: from, ms: 1_000, amplitude: 30_000 }), { from, to })
    const fit = fitSine(out.subarray(to * 0.1, to * 0.9), 1_000, to)
    expect(fit.snr).toBeGreaterThanOrEqual(90)
    expect(fit.amplitude / 30_000).toBeCloseTo(1, 2)
  })

  test('what comes out follows in proportion, whatever the chunks, and the flush ends it', () => {
    const pcm = noise(from, 9_000)
    const whole = convert(pcm, { from, to }, pcm.length)
    expect(Math.abs(whole.length - to)).toBeLessThanOrEqual(to * 0.01)
    expect(whole.length).toBeGreaterThanOrEqual(to)
    for (const chunk of [1, 441, 960]) expect(convert(pcm, { from, to }, chunk)).toEqual(whole)
  })
})

test.each([24_000, 48_000])('from %i Hz a tone that 16 kHz cannot hold comes 80 dB lower', (from) => {
  const out = convert(sine(9_500, { rate: from, ms: 1_000, amplitude: 30_000 }), { from, to: 16_000 })
  const level = rms(out.subarray(1_600, 14_400)) / (30_000 / Math.SQRT2)
  expect(20 * Math.log10(Math.max(level, 1e-9))).toBeLessThanOrEqual(-80)
})

test('the two channels of stereo stay apart', () => {
  const left = sine(500, { rate: 48_000, ms: 300 })
  const stereo = Int16Array.from({ length: left.length * 2 }, (_, index) => (index % 2 ? 0 : (left[index / 2] ?? 0)))
  const out = convert(stereo, { from: 48_000, to: 16_000, channels: 2 }, 960)
  expect(rms(out.filter((_, index) => index % 2 === 1))).toBeLessThan(2)
  expect(rms(out.filter((_, index) => index % 2 === 0))).toBeGreaterThan(5_000)
})

test('equal rates are handed through without delay', () => {
  const pcm = noise(960, 9_000)
  const resampler = resampling.create({ from: 16_000, to: 16_000 })
  expect(resampler.process(pcm)).toEqual(pcm)
  expect(resampler.flush()).toHaveLength(0)
})

test('after a flush the next stream hears nothing of the last', () => {
  const resampler = resampling.create({ from: 24_000, to: 16_000 })
  const pcm = noise(2_400, 9_000)
  const first = joinSamples([resampler.process(pcm), resampler.flush()])
  expect(joinSamples([resampler.process(pcm), resampler.flush()])).toEqual(first)
})

test('impossible rates, half samples and a closed stream are typed errors', () => {
  for (const from of [0, -1, 44_100.5, 1e9, Number.NaN]) {
    expect(() => resampling.create({ from, to: 16_000 })).toThrow(
      expect.objectContaining({ code: 'iotta-unsupported-codec' }),
    )
  }
  const stereo = resampling.create({ from: 48_000, to: 16_000, channels: 2 })
  expect(() => stereo.process(new Int16Array(3))).toThrow(expect.objectContaining({ code: 'voice-bad-pcm' }))
  stereo.close()
  expect(() => stereo.process(new Int16Array(4))).toThrow(expect.objectContaining({ code: 'voice-codec-stopped' }))
})
