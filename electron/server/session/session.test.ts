import { afterEach, expect, test, vi } from 'vitest'
import {
  connectToolBoard,
  createSessionBench,
  plainToolBoard,
  type SessionBench,
} from '../../../test/support/session-bench.ts'
import { createScriptedThinking } from '../../../test/support/scripted-engines.ts'

let bench: SessionBench
afterEach(() => bench.close())

const isTts = (state: string) => (message: Readonly<Record<string, unknown>>) =>
  message['type'] === 'tts' && message['state'] === state

async function withLamp(deviceId = 'board') {
  const board = connectToolBoard(bench, deviceId, plainToolBoard(['set_lamp']))
  await vi.waitFor(async () => expect(await bench.tools.vocabulary(deviceId)).toHaveLength(1))
  return board
}

test('the worked example of the protocol, message by message', async () => {
  bench = await createSessionBench()
  const lamp = await withLamp()
  const board = await bench.connect()
  board.utter()
  await board.ended()
  expect(board.story()).toEqual([
    'hello',
    'vad speech_start',
    'vad speech_end',
    'stt turn on the lamp',
    'processing tool',
    'tts start',
    'tts sentence_start Okay, the lamp is on.',
    'audio',
    'tts sentence_end',
    'tts stop',
  ])
  expect(lamp.requests.at(-1)).toMatchObject({
    method: 'tools/call',
    params: { name: 'set_lamp', arguments: { on: true } },
  })
  const [turn] = await bench.turns()
  expect(turn).toMatchObject({
    status: 'done',
    source: 'voice',
    deviceName: 'Board board',
    userText: 'turn on the lamp',
    userTextFinal: true,
    confidence: 0.9,
    replyText: 'Okay, the lamp is on.',
    toolsOffered: ['set_lamp@1'],
    calls: [{ ref: 'set_lamp@1', arguments: { on: true }, outcome: 'ok', result: { status: 'ok' } }],
    errorCode: null,
    notes: [],
  })
  expect(turn!.replyMs).toBeCloseTo(turn!.firstFrameAt! - turn!.speechEndedAt!, 6)
  expect(turn!.replyMs).toBeGreaterThan(0)
  expect(turn!.stages.map(({ stage }) => stage)).toEqual(['vad', 'asr', 'llm', 'tool', 'tts'])
  const [vad, asr, llm, tool, tts] = turn!.stages
  for (const stage of turn!.stages) expect(stage.endedAt).toBeGreaterThanOrEqual(stage.startedAt)
  expect(asr!.startedAt).toBeLessThan(vad!.endedAt!)
  expect(llm!.startedAt).toBeGreaterThanOrEqual(asr!.endedAt!)
  expect(tool!.startedAt).toBeGreaterThanOrEqual(llm!.startedAt)
  expect(tts!.startedAt).toBeGreaterThanOrEqual(tool!.endedAt!)
  expect(turn!.endedAt! - turn!.firstFrameAt!).toBeGreaterThanOrEqual(turn!.audioMs! - 1)
})

test('opus is spoken to a board that plays it', async () => {
  bench = await createSessionBench()
  const board = await bench.connect('board', { codec: 'opus' })
  bench.sessions.openTurn('board', { source: 'announcement', text: 'Lunch is ready.' })
  await board.ended()
  const frames = board.audioFrames()
  expect(frames.length).toBeGreaterThan(2)
  expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThan(1000)
  expect(board.story().slice(1)).toEqual([
    'processing llm',
    'tts start',
    'tts sentence_start Lunch is ready.',
    'audio',
    'tts sentence_end',
    'tts stop',
  ])
})

test('listen stop ends the utterance before any silence', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  board.listen('start')
  board.speech(300)
  board.listen('stop')
  await board.ended()
  expect(board.story().slice(1, 4)).toEqual(['vad speech_start', 'vad speech_end', 'stt turn on the lamp'])
  expect(bench.engines.heardSamples).toBe(5 * 960)
})

test('listen stop without speech ends mute', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  board.listen('start')
  board.silence(300)
  board.listen('stop')
  await board.until(({ type }) => type === 'stt')
  expect(board.story().slice(1)).toEqual(['stt '])
  expect(await bench.turns()).toMatchObject([{ status: 'mute', replyText: '' }])
})

test('frames outside of listening are dropped and counted, never an error', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  board.speech(300)
  board.utter()
  await board.ended()
  board.speech(300)
  await vi.waitFor(() => expect(bench.sessions.of('board')?.counters['framesDropped']).toBeGreaterThanOrEqual(10))
  expect(board.messages().some(({ type }) => type === 'error')).toBe(false)
})

test('a person who talks over the reply is heard, and nothing of the old turn follows', async () => {
  bench = await createSessionBench({ script: { speechMs: 5000 } })
  const board = await bench.connect()
  board.utter()
  await board.until(isTts('sentence_start'))
  bench.script.speechMs = 120
  const before = board.audioFrames().length
  board.utter()
  await board.ended(2)
  const story = board.story()
  const stop = story.indexOf('tts stop')
  expect(story.slice(stop + 1, stop + 3)).toEqual(['vad speech_start', 'vad speech_end'])
  expect(board.audioFrames().length - before).toBeLessThan(12)
  expect(await bench.turns()).toMatchObject([{ status: 'done' }, { status: 'aborted' }])
  expect(bench.sessions.of('board')?.counters['tagMismatches']).toBe(0)
})

test('abort while listening is silent; the next turn works', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  board.listen('start')
  board.speech(300)
  await board.until(({ type }) => type === 'vad')
  board.send({ type: 'abort' })
  board.utter()
  await board.ended()
  expect(board.story().slice(1, 5)).toEqual([
    'vad speech_start',
    'vad speech_start',
    'vad speech_end',
    'stt turn on the lamp',
  ])
})

test('abort while thinking cancels the thinker and says nothing', async () => {
  const thinking = Promise.withResolvers<AbortSignal>()
  bench = await createSessionBench({
    thinking: createScriptedThinking(async function* ({ signal }) {
      thinking.resolve(signal)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      yield { text: 'Too late.', cacheable: false }
    }),
  })
  const board = await bench.connect()
  board.utter()
  const signal = await thinking.promise
  board.send({ type: 'abort' })
  await vi.waitFor(() => expect(signal.aborted).toBe(true))
  await vi.waitFor(() => expect(bench.sessions.of('board')?.phase).toBe('idle'))
  expect(await bench.turns()).toMatchObject([{ status: 'aborted', replyText: '' }])
  expect(board.messages().some(({ type }) => type === 'tts')).toBe(false)
})

test('abort while speaking stops the sound at once, with one tts stop', async () => {
  bench = await createSessionBench({ script: { speechMs: 5000 } })
  const board = await bench.connect()
  board.utter()
  await board.until(isTts('sentence_start'))
  const at = performance.now()
  board.send({ type: 'abort' })
  await board.ended()
  expect(performance.now() - at).toBeLessThan(100)
  // A whole mute utterance as a barrier: what was under way had time to come out.
  board.listen('start')
  board.listen('stop')
  await board.until(({ type, text }) => type === 'stt' && text === '')
  const story = board.story()
  expect(story.slice(story.indexOf('tts stop'))).toEqual(['tts stop', 'stt '])
})

test('a board that does not read is cut with slow_consumer', async () => {
  bench = await createSessionBench({ script: { speechMs: 30_000 } })
  // 192 kB a second.
  const output = { codecs: ['pcm'], sample_rate: 48_000, channels: 2, frame_duration: 60 }
  const board = await bench.connect('board', { output })
  board.utter()
  await board.until(isTts('sentence_start'))
  board.far.stall()
  await vi.waitFor(() => expect(bench.sessions.of('board')?.phase).toBe('idle'), { timeout: 8000 })
  expect(board.far.buffered).toBeLessThan(256 * 1024 + 20_000)
  expect(board.far.unread.map((data) => (typeof data === 'string' ? data : 'audio')).slice(-2)).toEqual([
    expect.stringContaining('slow_consumer'),
    expect.stringContaining('"stop"'),
  ])
  expect(await bench.turns()).toMatchObject([{ status: 'aborted', errorCode: 'iotta-slow-consumer' }])
})

test('a typed text is answered as a turn, after what runs', async () => {
  bench = await createSessionBench()
  await withLamp()
  const board = await bench.connect()
  board.utter()
  await board.until(isTts('start'))
  const { turnId } = bench.sessions.openTurn('board', { source: 'typed', text: '关灯' })
  await board.ended(2)
  const story = board.story()
  expect(story.slice(story.indexOf('tts stop') + 1)).toEqual([
    'stt 关灯',
    'processing tool',
    'tts start',
    'tts sentence_start 好的，灯关了。',
    'audio',
    'tts sentence_end',
    'tts stop',
  ])
  const turn = (await bench.turns()).find(({ id }) => id === turnId)!
  expect(turn).toMatchObject({ source: 'typed', language: 'zh', status: 'done', speechEndedAt: null })
  expect(turn.replyMs).toBeCloseTo(turn.firstFrameAt! - turn.startedAt, 6)
})

test('without a session nothing can be opened or controlled', async () => {
  bench = await createSessionBench()
  const open = () => bench.sessions.openTurn('nobody', { source: 'typed', text: 'x' })
  expect(open).toThrow(expect.objectContaining({ code: 'iotta-no-session' }))
  expect(() => bench.sessions.control('nobody', 'reboot')).toThrow(/no session/)
})

test('the tool channel may vanish: the session goes on and the reply says so', async () => {
  bench = await createSessionBench()
  const lamp = await withLamp()
  const board = await bench.connect()
  lamp.far.close()
  board.utter()
  await board.ended()
  expect(board.story()).toContain('error tool_failed')
  const [turn] = await bench.turns()
  expect(turn).toMatchObject({
    status: 'done',
    toolsOffered: ['set_lamp@1'],
    calls: [{ outcome: 'failed', errorCode: 'tool-unreachable' }],
  })
  expect(turn!.replyText).toContain("can't reach")
})

test('the newer session of a board wins', async () => {
  bench = await createSessionBench()
  const older = await bench.connect()
  const newer = await bench.connect()
  expect(await older.far.closed).toBe(4409)
  newer.utter()
  await newer.ended()
  expect(bench.sessions.all()).toHaveLength(1)
})

test('two boards at once never get each other frames', async () => {
  bench = await createSessionBench()
  const boards = await Promise.all(['a', 'b', 'c'].map((id) => bench.connect(id)))
  for (const board of boards) board.utter()
  await Promise.all(boards.map((board) => board.ended()))
  for (const view of bench.sessions.all()) expect(view.counters['tagMismatches']).toBe(0)
  expect(new Set((await bench.turns()).map(({ deviceId }) => deviceId)).size).toBe(3)
})

test('closing the server tells every board 1001 and records the running turn as aborted', async () => {
  bench = await createSessionBench({ script: { speechMs: 5000 } })
  const board = await bench.connect()
  board.utter()
  await board.until(isTts('sentence_start'))
  bench.sessions.close()
  expect(await board.far.closed).toBe(1001)
  expect(await bench.turns()).toMatchObject([{ status: 'aborted' }])
})

test('an ended token closes with 4401 at the end of the running turn', async () => {
  bench = await createSessionBench()
  const board = await bench.connect()
  board.utter()
  await board.until(isTts('start'))
  bench.sessions.tokenExpiring('board')
  bench.sessions.expire('board')
  expect(board.far.closeCode).toBeUndefined()
  expect(await board.far.closed).toBe(4401)
  expect(board.story()).toContain('error token_expiring')
  expect(board.story().at(-1)).toBe('tts stop')
})
