import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isDeeperThan } from '../../base/json-depth.ts'
import { encodeToDevice, parseFromDevice } from './wire.ts'

const text = (value: unknown) => JSON.stringify(value)
const hello = { type: 'hello', audio: { codecs: ['opus', 'pcm'], sample_rate: 16000, channels: 1, frame_duration: 60 } }

test('a hello is read with its unknown keys dropped', () => {
  expect(parseFromDevice(text({ ...hello, locale: 'zh-CN', extra: 1 }))).toEqual({
    ok: true,
    message: {
      type: 'hello',
      audio: { codecs: ['opus', 'pcm'], sampleRate: 16000, channels: 1, frameDuration: 60 },
      locale: 'zh-CN',
    },
  })
})

test('what a hello leaves out is opus, 16 kHz, mono, 60 ms', () => {
  expect(parseFromDevice(text({ type: 'hello', audio: {} }))).toMatchObject({
    message: { audio: { codecs: ['opus'], sampleRate: 16000, channels: 1, frameDuration: 60 } },
  })
})

test('an unknown type is named, not refused', () => {
  expect(parseFromDevice(text({ type: 'audio_dance', x: 1 }))).toEqual({
    ok: true,
    message: { type: 'unknown', name: 'audio_dance' },
  })
})

test('a wrong value is refused with its place', () => {
  expect(parseFromDevice(text({ type: 'listen', state: 'pause' }))).toMatchObject({
    ok: false,
    reason: 'bad-message',
    detail: expect.stringContaining('state') as string,
  })
  for (const broken of ['', 'null', '[]', '{}', '{"type":5}', '{"type":"hello"}', 'x']) {
    expect(parseFromDevice(broken)).toMatchObject({ ok: false, reason: 'bad-message' })
  }
})

test('more than 64 KiB or depth 32 is too large', () => {
  expect(parseFromDevice(text({ type: 'context', data: { x: 'a'.repeat(70_000) } }))).toMatchObject({
    reason: 'too-large',
  })
  const nested = (depth: number) => `{"type":"context","data":${'{"a":'.repeat(depth - 1)}1${'}'.repeat(depth - 1)}}`
  expect(parseFromDevice(nested(32))).toMatchObject({ ok: true })
  expect(parseFromDevice(nested(33))).toMatchObject({ reason: 'too-large' })
  expect(parseFromDevice('['.repeat(60_000))).toMatchObject({ reason: 'too-large' })
})

test('a context has 8 KiB at most', () => {
  expect(parseFromDevice(text({ type: 'context', data: { x: 'a'.repeat(8200) } }))).toMatchObject({
    reason: 'bad-message',
  })
  expect(parseFromDevice(text({ type: 'context', data: { x: 'a'.repeat(8000) } }))).toMatchObject({ ok: true })
})

test('brackets inside strings are not depth', () => {
  expect(isDeeperThan(JSON.stringify({ a: '[[[["\\{{{{' }), 1)).toBe(false)
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (json) => {
      const depth = (value: unknown): number =>
        typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0
      const real = depth(JSON.parse(json))
      expect(isDeeperThan(json, real)).toBe(false)
      if (real > 0) expect(isDeeperThan(json, real - 1)).toBe(true)
    }),
  )
})

test('no text makes the reader throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json(), mutated()), (any) => {
      const verdict = parseFromDevice(any)
      expect(typeof verdict.ok).toBe('boolean')
    }),
    { numRuns: 2000 },
  )
})

/** Real messages with some values replaced by anything. */
function mutated(): fc.Arbitrary<string> {
  const messages = [
    hello,
    { type: 'listen', state: 'start', context: { a: 1 } },
    { type: 'abort', reason: 'x' },
    { type: 'context', data: {} },
  ]
  return fc
    .tuple(fc.constantFrom(...messages), fc.constantFrom('type', 'state', 'audio', 'data', 'reason'), fc.jsonValue())
    .map(([message, key, value]) => JSON.stringify({ ...message, [key]: value }))
}

test('the writer refuses what the protocol does not have', () => {
  expect(encodeToDevice({ type: 'vad', state: 'speech_start' })).toBe('{"type":"vad","state":"speech_start"}')
  const extra = { type: 'vad', state: 'speech_start', level: 3 } as const
  expect(() => encodeToDevice(extra)).toThrow(expect.objectContaining({ code: 'iotta-internal' }))
})
