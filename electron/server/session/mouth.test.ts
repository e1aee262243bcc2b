import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import type { CodecSession } from '../audio/codec-session.ts'
import { createMouth } from './mouth.ts'
import type { SessionCodec } from './session-codec.ts'

const format = { codec: 'opus', sampleRate: 16_000, channels: 1, frameDuration: 60 } as const
const frameSamples = 960

/** Every 60 ms of sound become a frame of one byte; counts what it was given. */
function countingCodec() {
  let encoded = 0
  let given = 0
  const refuse = () => Promise.reject(new Error('nothing is heard here'))
  const session: CodecSession = {
    decode: refuse,
    conceal: refuse,
    recover: refuse,
    resetInput: () => undefined,
    startSpeech: () => undefined,
    encode(pcm) {
      encoded += pcm.length
      const frames = Math.floor(encoded / frameSamples) - given
      given += frames
      return Promise.resolve(Array.from({ length: frames }, () => new Uint8Array(1)))
    },
    endSpeech: () => Promise.resolve([]),
    cancelSpeech: () => undefined,
    onStopped: () => undefined,
    close: () => undefined,
  }
  const codec: SessionCodec = {
    ready: () => Promise.resolve(session),
    run: (work) => work(session),
    cancelSpeech: () => undefined,
    close: () => undefined,
  }
  return { codec, encodedMs: () => encoded / 16 }
}

function scene() {
  const clock = createManualClock()
  const { codec, encodedMs } = countingCodec()
  let sent = 0
  const mouth = createMouth({
    tag: { session: 's', turn: 't' },
    codec,
    format,
    clock,
    send: () => (sent += 1),
    buffered: () => 0,
    onSlow: () => undefined,
    onBegin: () => undefined,
    onSentence: () => undefined,
  })
  return { clock, mouth, encodedMs, sentMs: () => sent * 60 }
}

test('a reply of a minute goes out at playing speed, and is made only as far ahead as there is room', async () => {
  const { clock, mouth, encodedMs, sentMs } = scene()
  mouth.beginSentence('one long sentence')
  let given = false
  void mouth.audio(new Int16Array(frameSamples * 1000), 16_000).then(() => (given = true))
  for (let at = 0; at < 10; at += 1) {
    await clock.advance(1_000)
    const playedMs = (at + 1) * 1_000
    expect(sentMs()).toBeGreaterThan(playedMs)
    expect(sentMs()).toBeLessThanOrEqual(playedMs + 300)
    // 300 ms are with the board, 2 s wait for their time, and a slice was in the making when the room ended.
    expect(encodedMs()).toBeLessThan(playedMs + 2_600)
  }
  expect(given).toBe(false)
  await clock.advance(60_000)
  expect(given).toBe(true)
  expect(sentMs()).toBe(60_000)
})

test('a reply that is stopped is neither sent nor made any further', async () => {
  const { clock, mouth, encodedMs, sentMs } = scene()
  mouth.beginSentence('one long sentence')
  const given = mouth.audio(new Int16Array(frameSamples * 1000), 16_000)
  await clock.advance(1_000)
  const [sent, encoded] = [sentMs(), encodedMs()]
  mouth.stop()
  await clock.advance(10_000)
  await given
  expect([sentMs(), encodedMs()]).toEqual([sent, encoded])
})
