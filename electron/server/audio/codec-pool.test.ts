import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { createRandom, fitSine, noise, randomBytes, rms, sine } from '../../../test/support/audio-signals.ts'
import { entryUrl } from '../../base/entries.ts'
import { silentLog } from '../../base/log.ts'
import { type AudioFormat, joinSamples } from './audio-format.ts'
import { type CodecPool, createCodecPool } from './codec-pool.ts'
import { createOpusDecoder, createOpusEncoder } from './opus.ts'

const input: AudioFormat = { codec: 'opus', sampleRate: 16_000, channels: 1, frameDuration: 60 }
const output: AudioFormat = { ...input, sampleRate: 24_000 }
const stopped = expect.objectContaining({ code: 'voice-codec-stopped' }) as Error

const pools: CodecPool[] = []
const workers: Worker[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()))
  workers.length = 0
})

function createPool(size: number, createWorker = () => new Worker(entryUrl('codec-worker'))): CodecPool {
  const pool = createCodecPool({
    size,
    log: silentLog,
    createWorker() {
      const worker = createWorker()
      workers.push(worker)
      return worker
    },
  })
  pools.push(pool)
  return pool
}

function encodeTone(format: AudioFormat, frames = 10): Uint8Array[] {
  const encoder = createOpusEncoder({ ...format, bitrate: 48_000 })
  const frame = (format.sampleRate * format.frameDuration) / 1000
  const pcm = sine(440, { rate: format.sampleRate, ms: frames * format.frameDuration })
  return Array.from({ length: frames }, (_, index) => {
    const mono = pcm.subarray(index * frame, (index + 1) * frame)
    return encoder.encode(
      format.channels === 1 ? mono : Int16Array.from({ length: frame * 2 }, (_, i) => mono[i >> 1]!),
    )
  })
}

test.each([
  [8_000, 1, 60],
  [16_000, 1, 20],
  [24_000, 2, 40],
  [48_000, 2, 60],
])('opus of %i Hz and %i channels in %i ms is heard as 16 kHz mono, a lost frame as exactly one', async (...form) => {
  const format: AudioFormat = { codec: 'opus', sampleRate: form[0], channels: form[1], frameDuration: form[2] }
  const session = createPool(1).open({ input: format, output })
  const packets = encodeTone(format, 20)
  const heard = await Promise.all(packets.map((packet) => session.decode(packet)))
  expect(heard.every((part) => part.length === 16 * form[2])).toBe(true)
  const fit = fitSine(joinSamples(heard).subarray(2_000), 440, 16_000)
  expect(fit.snr).toBeGreaterThan(20)
  expect(fit.amplitude).toBeGreaterThan(7_000)
  expect(await session.conceal()).toHaveLength(16 * form[2])
  expect(await session.recover(packets[3]!)).toHaveLength(16 * form[2])
})

test('pcm frames are checked for length, converted and mixed down, from an odd offset too', async () => {
  const format: AudioFormat = { codec: 'pcm', sampleRate: 48_000, channels: 2, frameDuration: 20 }
  const session = createPool(1).open({ input: format, output })
  const pcm = Int16Array.from(sine(440, { rate: 48_000, ms: 20 }).map((value) => value)).reduce<number[]>(
    (all, v) => [...all, v, v],
    [],
  )
  const bytes = new Uint8Array(3_841)
  bytes.set(new Uint8Array(Int16Array.from(pcm).buffer), 1)
  const heard = await session.decode(bytes.subarray(1))
  expect(heard).toHaveLength(320)
  expect(rms(heard)).toBeGreaterThan(4_000)
  for (const length of [0, 3_839, 3_842, 16_385]) {
    await expect(session.decode(new Uint8Array(length))).rejects.toMatchObject({ code: 'voice-bad-packet' })
  }
  expect(rms(await session.conceal())).toBeLessThan(4_000)
})

test('speech of any length and rate becomes whole frames, its last one filled with silence', async () => {
  const session = createPool(1).open({ input, output })
  session.startSpeech(22_050)
  const speech = sine(440, { rate: 22_050, ms: 1_000 })
  const frames = []
  for (let at = 0; at < speech.length; at += 5_000)
    frames.push(...(await session.encode(speech.subarray(at, at + 5_000))))
  frames.push(...(await session.endSpeech()))
  expect(frames.length).toBe(17)
  const decoder = createOpusDecoder(output)
  const heard = joinSamples(frames.map((frame) => decoder.decode(frame, 1_440)))
  expect(heard.length).toBe(17 * 1_440)
  const fit = fitSine(heard.subarray(2_400, 22_000), 440, 24_000)
  expect(fit.snr).toBeGreaterThan(15)
  expect(await session.endSpeech()).toEqual([])
})

test('pcm output is whole frames of the voice itself, doubled for stereo', async () => {
  const format: AudioFormat = { codec: 'pcm', sampleRate: 16_000, channels: 2, frameDuration: 20 }
  const session = createPool(1).open({ input, output: format })
  session.startSpeech(16_000)
  const speech = noise(500, 9_000)
  const frames = [...(await session.encode(speech)), ...(await session.endSpeech())]
  expect(frames.map((frame) => frame.length)).toEqual([1_280, 1_280])
  const heard = joinSamples(frames.map((frame) => new Int16Array(frame.slice().buffer)))
  expect(heard.filter((_, index) => index % 2 === 1).subarray(0, 500)).toEqual(speech)
  expect(rms(heard.subarray(1_000))).toBe(0)
})

test('a new reply hears nothing of one that was left unfinished', async () => {
  const session = createPool(1).open({ input, output })
  const speech = noise(2_000, 9_000)
  const say = async () => {
    session.startSpeech(24_000)
    return [...(await session.encode(speech)), ...(await session.endSpeech())]
  }
  const first = await say()
  session.startSpeech(16_000)
  await session.encode(noise(5_000, 20_000))
  expect(await say()).toEqual(first)
})

test('garbage is a typed error of its own session; the others and the next good frame decode', async () => {
  const pool = createPool(1)
  const [bad, good] = [pool.open({ input, output }), pool.open({ input, output })]
  const packets = encodeTone(input)
  const random = createRandom(3)
  for (let round = 0; round < 100; round++) {
    const [noise] = await Promise.allSettled([bad.decode(randomBytes(1 + Math.floor(random() * 200), random))])
    if (noise.status === 'rejected') expect(noise.reason).toMatchObject({ code: 'voice-bad-packet' })
  }
  await expect(bad.decode(new Uint8Array(20_000))).rejects.toMatchObject({ code: 'voice-bad-packet' })
  expect(await bad.decode(packets[0]!)).toHaveLength(960)
  expect(await good.decode(packets[0]!)).toHaveLength(960)
  expect(pool.stats()).toEqual({ workers: 1, sessions: 2, restarts: 0 })
})

test('speech without a start or at an impossible rate is refused, and hearing goes on', async () => {
  const session = createPool(1).open({ input, output })
  await expect(session.encode(new Int16Array(960))).rejects.toMatchObject({ code: 'voice-bad-pcm' })
  session.startSpeech(3)
  await expect(session.encode(new Int16Array(960))).rejects.toMatchObject({ code: 'voice-bad-pcm' })
  await expect(session.encode(new Int16Array(48_000 * 60 + 1))).rejects.toMatchObject({ code: 'voice-bad-pcm' })
  expect(await session.conceal()).toHaveLength(960)
})

test('the 65th waiting call is refused, and the 64 before it are answered', async () => {
  const session = createPool(1).open({ input, output })
  const calls = Array.from({ length: 65 }, () => session.conceal())
  const results = await Promise.allSettled(calls)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(64)
  expect(results.at(-1)).toMatchObject({ reason: { code: 'server-overloaded' } })
})

test('a frame that arrives while another board is spoken to for a minute does not wait for it', async () => {
  const pool = createPool(1)
  const [talker, listener] = [pool.open({ input, output }), pool.open({ input, output })]
  talker.startSpeech(24_000)
  let spoken = false
  const speech = talker.encode(noise(24_000 * 20, 9_000)).then((frames) => {
    spoken = true
    return frames
  })
  await listener.decode(encodeTone(input)[0]!)
  expect(spoken).toBe(false)
  talker.cancelSpeech()
  expect(await speech).toEqual([])
})

test('the death of a thread rejects the calls of its own sessions only, and it is replaced', async () => {
  const pool = createPool(2)
  const [doomed, safe] = [pool.open({ input, output }), pool.open({ input, output })]
  await Promise.all([doomed.conceal(), safe.conceal()])
  const stops: string[] = []
  doomed.onStopped((error) => stops.push(error.code))
  safe.onStopped(() => stops.push('safe'))
  doomed.startSpeech(24_000)
  const calls = [doomed.encode(noise(24_000 * 30, 9_000)), doomed.conceal()]
  const results = Promise.allSettled(calls)
  const safeCall = safe.decode(encodeTone(input)[0]!)
  await workers[0]!.terminate()
  for (const result of await results) expect(result).toMatchObject({ status: 'rejected', reason: stopped })
  expect(await safeCall).toHaveLength(960)
  await expect(doomed.conceal()).rejects.toEqual(stopped)
  expect(stops).toEqual(['voice-codec-stopped'])
  expect(pool.stats()).toMatchObject({ workers: 2, sessions: 1, restarts: 1 })
  const next = pool.open({ input, output })
  expect(await next.decode(encodeTone(input)[0]!)).toHaveLength(960)
})

test('a thread that hangs is ended and replaced', async () => {
  const hanging = () =>
    new Worker('require("node:worker_threads").parentPort.on("message", () => { for (;;); })', { eval: true })
  let made = 0
  const pool = createPool(1, () => (made++ === 0 ? hanging() : new Worker(entryUrl('codec-worker'))))
  const session = pool.open({ input, output })
  await expect(session.conceal()).rejects.toEqual(stopped)
  expect(await pool.open({ input, output }).conceal()).toHaveLength(960)
})

test('threads that die at birth are not started in a storm, and opening says that there is none', async () => {
  const dying = () => new Worker('process.exit(1)', { eval: true })
  const pool = createPool(1, dying)
  await expect.poll(() => pool.stats().workers === 0 && pool.stats().restarts >= 2, { timeout: 5_000 }).toBe(true)
  expect(() => pool.open({ input, output })).toThrow(stopped)
  expect(pool.stats().restarts).toBeLessThan(6)
})

test('a closed session rejects what waits, frees its place, and a pool that closes stops the rest', async () => {
  const pool = createPool(1)
  const [first, second] = [pool.open({ input, output }), pool.open({ input, output })]
  const waiting = expect(first.conceal()).rejects.toEqual(stopped)
  first.close()
  first.close()
  await waiting
  expect(pool.stats().sessions).toBe(1)
  const stop = new Promise((resolve) => second.onStopped(resolve))
  await pool.close()
  expect(await stop).toEqual(stopped)
})

test('formats outside the protocol are refused before a thread sees them', () => {
  const pool = createPool(1)
  for (const wrong of [{ sampleRate: 44_100 }, { channels: 3 }, { frameDuration: 30 }, { codec: 'mp3' as 'opus' }]) {
    expect(() => pool.open({ input: { ...input, ...wrong }, output })).toThrow(
      expect.objectContaining({ code: 'iotta-unsupported-codec' }),
    )
  }
})
