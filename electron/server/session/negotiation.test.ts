import { expect, test } from 'vitest'
import { type AudioOffer, negotiate } from './negotiation.ts'

const offer = (change: Partial<AudioOffer> = {}): AudioOffer => ({
  codecs: ['opus', 'pcm'],
  sampleRate: 16_000,
  channels: 1,
  frameDuration: 60,
  ...change,
})
const opus24 = { codec: 'opus', sampleRate: 24_000, channels: 1, frameDuration: 60 }

test('opus wins wherever it is offered, with the values of the board', () => {
  expect(negotiate(offer({ codecs: ['pcm', 'opus'], sampleRate: 48_000, channels: 2, frameDuration: 20 }))).toEqual({
    input: { codec: 'opus', sampleRate: 48_000, channels: 2, frameDuration: 20 },
    output: opus24,
  })
})

test('a board of pcm alone hears what it sends', () => {
  const pcm = { codec: 'pcm', sampleRate: 16_000, channels: 1, frameDuration: 40 }
  expect(negotiate(offer({ codecs: ['pcm'], frameDuration: 40 }))).toEqual({ input: pcm, output: pcm })
})

test('what a board can play is its own choice', () => {
  expect(negotiate(offer(), offer({ codecs: ['pcm'], sampleRate: 8000, frameDuration: 20 }))?.output).toEqual({
    codec: 'pcm',
    sampleRate: 8000,
    channels: 1,
    frameDuration: 20,
  })
})

test('unknown codecs beside a known one are ignored', () => {
  expect(negotiate(offer({ codecs: ['speex', 'pcm'] }))?.input.codec).toBe('pcm')
})

test.each([
  { codecs: ['speex'] },
  { codecs: [] },
  { sampleRate: 44_100 },
  { channels: 3 },
  { frameDuration: 30 },
  { sampleRate: Number.NaN },
])('nothing in common: %o', (change) => {
  expect(negotiate(offer(change))).toBeUndefined()
  expect(negotiate(offer(), offer(change))).toBeUndefined()
})
