import { expect, test } from 'vitest'
import { decodePcm, frameStart } from './pcm.ts'

test('samples keep their sign and their size', () => {
  const bytes = String.fromCharCode(...new Uint8Array(new Int16Array([0, 16_384, -32_768, 32_767]).buffer))

  expect([...decodePcm(btoa(bytes))]).toEqual([0, 0.5, -1, 32_767 / 32_768])
})

test('half a sample is no sample', () => {
  expect(decodePcm(btoa('\0@\x01'))).toHaveLength(1)
})

test('frames follow each other without a gap, and a pause gives new lead', () => {
  expect(frameStart(1, 1.04)).toBe(1.04)
  expect(frameStart(5, 1.04)).toBeCloseTo(5.08)
})
