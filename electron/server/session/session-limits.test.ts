import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { createSessionBench, type SessionBench } from '../../../test/support/session-bench.ts'

let bench: SessionBench
afterEach(() => bench.close())

const counters = () => bench.sessions.of('board')!.counters
const errors = (board: { messages(): Readonly<Record<string, unknown>>[] }) =>
  board.messages().flatMap(({ type, code }) => (type === 'error' ? [code] : []))

test('a broken message gets one error and is dropped; the twentieth in a minute closes with 4422', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  for (let i = 0; i < 19; i++) board.send({ type: 'listen', state: 'pause' })
  await vi.waitFor(() => expect(errors(board)).toHaveLength(19))
  expect(board.far.closeCode).toBeUndefined()
  board.far.send('no json')
  expect(await board.far.closed).toBe(4422)
  expect(board.messages().at(-1)).toMatchObject({ code: 'bad_message', fatal: true })
})

test('text of more than 64 KiB closes with 1009', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  board.send({ type: 'context', data: { x: 'a'.repeat(70_000) } })
  expect(await board.far.closed).toBe(1009)
})

test('an opus packet of more than 4 KiB closes with 1009, also outside of listening', async () => {
  bench = await createSessionBench()
  const board = await bench.connect('board', { codec: 'opus' })
  board.far.send(new Uint8Array(4096))
  board.far.send(new Uint8Array(4097))
  expect(await board.far.closed).toBe(1009)
})

test('audio that cannot be decoded is counted and told at most once a second, and never closes', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  board.listen('start')
  for (let i = 0; i < 12; i++) board.far.send(new Uint8Array(7))
  await vi.waitFor(() => expect(counters().badAudio).toBe(12))
  expect(errors(board)).toEqual(['bad_audio'])
  board.speech(300)
  board.silence(600)
  await board.ended()
  expect(board.far.closeCode).toBeUndefined()
})

test('frames faster than real time are kept up to 2 s, then dropped and counted', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  board.listen('start')
  board.speech(6000)
  board.listen('stop')
  await board.ended()
  expect(counters().framesTooFast).toBeGreaterThan(60)
  expect(bench.engines.heardSamples).toBeGreaterThanOrEqual(33 * 960)
  expect(bench.engines.heardSamples).toBeLessThan(40 * 960)
  expect(errors(board)).toEqual([])
})

test('what comes before the hello is refused, a second hello too', async () => {
  bench = await createSessionBench()
  const board = await bench.connect('board', { hello: false })
  board.listen('start')
  board.far.send(new Uint8Array(100))
  await vi.waitFor(() => expect(errors(board)).toEqual(['bad_message', 'bad_audio']))
  board.hello()
  await board.until(({ type }) => type === 'hello')
  board.hello()
  await vi.waitFor(() => expect(errors(board)).toHaveLength(3))
  board.utter()
  await board.ended()
})

test('a board without a common codec is told and closed', async () => {
  bench = await createSessionBench()
  const board = await bench.connect('board', { hello: false })
  board.send({ type: 'hello', audio: { codecs: ['speex'], sample_rate: 16000, channels: 1, frame_duration: 60 } })
  expect(await board.far.closed).toBe(1008)
  expect(board.messages()).toMatchObject([{ type: 'error', code: 'unsupported_codec', fatal: true }])
})

test('unknown types and a context are taken without an answer', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  board.send({ type: 'battery', level: 3 })
  board.send({ type: 'context', data: { room: 'kitchen' } })
  board.send({ type: 'abort' })
  board.send({ type: 'listen', state: 'stop' })
  board.utter()
  await board.ended()
  expect(board.story()[1]).toBe('vad speech_start')
})

test('one listen start after the other starts afresh and loses nothing of the last', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  board.listen('start')
  board.speech(180)
  board.utter()
  await board.ended()
  expect(bench.engines.heardSamples).toBeGreaterThanOrEqual(5 * 960)
  // The first one is kept only if voice detection had heard its speech by then.
  expect(await bench.turns()).toContainEqual(expect.objectContaining({ status: 'done' }))
})

test('listen starts without speech leave no turns behind, and speech that was cut leaves one', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  for (let n = 0; n < 20; n++) board.listen('start')
  board.silence(300)
  board.listen('start')
  board.speech(300)
  await board.until(({ type }) => type === 'vad')
  expect(bench.recorder.running()).toMatchObject([{ status: 'running', userTextFinal: false }])
  board.listen('start')
  board.send({ type: 'abort' })
  await vi.waitFor(() => expect(bench.recorder.empty).toBe(21))
  expect(await bench.turns()).toMatchObject([{ status: 'aborted', source: 'voice' }])
})

test('a socket that was closed before it was accepted leaves no session', async () => {
  bench = await createSessionBench()
  const board = await bench.connect('board', { hello: false })
  board.far.close()
  await vi.waitFor(() => expect(bench.sessions.all()).toEqual([]))
})

test('a board that sends nothing while it hears nothing is answered all the same', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  board.listen('start')
  board.speech(300)
  await board.ended()
  const [turn] = await bench.turns()
  expect(turn).toMatchObject({ status: 'done', userText: 'turn on the lamp' })
  expect(turn!.replyMs).toBeGreaterThan(1900)
})

test('a board that says no hello within 10 s is closed with 4408', async () => {
  const clock = createManualClock()
  bench = await createSessionBench({ clock })
  const board = await bench.connect('board', { hello: false })
  await clock.advance(9999)
  expect(board.far.closeCode).toBeUndefined()
  await clock.advance(1)
  expect(board.far.closeCode).toBe(4408)
})

test('a listen start that no frame follows ends mute after 10 s', async () => {
  const clock = createManualClock()
  bench = await createSessionBench({ clock })
  const board = await bench.connect()
  board.listen('start')
  await clock.advance(9999)
  expect(bench.sessions.of('board')?.phase).toBe('listening')
  await clock.advance(1)
  expect(board.messages().at(-1)).toEqual({ type: 'stt', text: '', final: true })
  expect(bench.sessions.of('board')?.phase).toBe('idle')
})

test('speech without an end is cut at 30 s and answered', async () => {
  const clock = createManualClock()
  bench = await createSessionBench({ clock })
  const board = await bench.connect()
  board.listen('start')
  for (let second = 0; second < 30; second++) {
    board.speech(900)
    board.silence(60)
    // The codec thread does not know this clock.
    await vi.waitFor(() => expect(bench.engines.heardSamples).toBe((second + 1) * 16 * 960))
    await clock.advance(1000)
  }
  await vi.waitFor(() => expect(board.story()).toContain('stt turn on the lamp'))
  expect(board.story().slice(1, 3)).toEqual(['vad speech_start', 'vad speech_end'])
  expect(bench.recorder.running()[0]?.stages[0]?.detail).toMatchObject({ endedBy: 'too-long' })
})

test('whatever one board sends, the server lives and another board is answered', async () => {
  bench = await createSessionBench()
  const good = await bench.connect('good')
  const traffic = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ maxLength: 100 }),
      fc.json(),
      fc.constantFrom('start', 'stop').map((state) => JSON.stringify({ type: 'listen', state })),
      fc.constant('{"type":"abort"}'),
    ),
    { maxLength: 60 },
  )
  for (const [index, items] of fc.sample(traffic, { numRuns: 40, seed: 11 }).entries()) {
    const hostile = await bench.connect(`hostile-${index}`, { codec: index % 2 === 0 ? 'opus' : 'pcm' })
    for (const item of items) hostile.far.send(item)
  }
  good.utter()
  await good.ended()
  expect(bench.sessions.of('good')?.counters['tagMismatches']).toBe(0)
})
