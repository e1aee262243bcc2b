import { afterEach, expect, test, vi } from 'vitest'
import { createScriptedThinking } from '../../../test/support/scripted-engines.ts'
import { createSessionBench, type SessionBench } from '../../../test/support/session-bench.ts'

let bench: SessionBench
afterEach(() => bench.close())

/** One utterance, answered; what the board saw after its end. */
async function answered() {
  const board = await bench.connect()
  board.utter()
  await board.ended()
  const story = board.story()
  const [turn] = await bench.turns()
  return { board, turn: turn!, story: story.slice(story.indexOf('vad speech_end') + 1) }
}

const spokenFrame = ['audio', 'tts sentence_end', 'tts stop']

test('a recogniser that stops ends in a spoken apology', async () => {
  bench = await createSessionBench({ script: { heard: 'stops' } })
  const { story, turn, board } = await answered()
  expect(story).toEqual([
    'stt ',
    'error asr_failed',
    'processing llm',
    'tts start',
    'tts sentence_start Sorry, I could not hear that. Please say it again.',
    ...spokenFrame,
  ])
  expect(turn).toMatchObject({ status: 'failed', errorCode: 'iotta-asr-failed', notes: ['voice-recogniser-stopped'] })
  bench.script.heard = { text: 'hello' }
  board.utter()
  await board.ended(2)
  expect((await bench.turns())[0]).toMatchObject({ status: 'done', userText: 'hello' })
})

test('without a recogniser the board says so', async () => {
  bench = await createSessionBench({ script: { recogniser: 'missing' } })
  const { turn } = await answered()
  expect(turn).toMatchObject({ status: 'failed', notes: ['voice-recogniser-missing'], userText: '' })
  expect(turn.replyText).toContain('no speech recogniser')
  expect(turn.stages.find(({ stage }) => stage === 'asr')?.error).toBe('voice-recogniser-missing')
})

test('speech of which nothing was understood is answered all the same', async () => {
  bench = await createSessionBench({ script: { heard: { text: '' } } })
  const { story, turn } = await answered()
  expect(story.slice(0, 3)).toEqual(['stt ', 'processing llm', 'tts start'])
  expect(turn).toMatchObject({ status: 'done', notes: ['voice-not-understood'] })
  expect(turn.replyText).not.toBe('')
})

test('a thinker that fails ends in a spoken apology', async () => {
  const thinking = createScriptedThinking(async function* () {
    yield { text: 'Let me see.', cacheable: false }
    throw new Error('connection refused')
  })
  bench = await createSessionBench({ thinking })
  const { story, turn } = await answered()
  expect(story.some((word) => word.startsWith('error llm_failed'))).toBe(true)
  expect(story.at(-1)).toBe('tts stop')
  expect(turn).toMatchObject({
    status: 'failed',
    errorCode: 'iotta-llm-failed',
    replyText: 'Let me see. Sorry, I could not find an answer.',
  })
})

test('a thinker that says nothing is not the end of the conversation', async () => {
  bench = await createSessionBench({ thinking: createScriptedThinking(async function* () {}) })
  const { story, turn } = await answered()
  expect(story.slice(-3)).toEqual(spokenFrame)
  expect(turn.status).toBe('done')
})

test('the first sentence is spoken while the rest is made', async () => {
  const rest = Promise.withResolvers<undefined>()
  const thinking = createScriptedThinking(async function* () {
    yield { text: 'One.', cacheable: false }
    await rest.promise
    yield { text: 'Two.', cacheable: false }
  })
  bench = await createSessionBench({ thinking })
  const board = await bench.connect()
  board.utter()
  await board.until(({ text }) => text === 'One.')
  await vi.waitFor(() => expect(board.audioFrames().length).toBeGreaterThan(0))
  rest.resolve(undefined)
  await board.ended()
  expect(board.story().filter((word) => word.includes('sentence'))).toEqual([
    'tts sentence_start One.',
    'tts sentence_end',
    'tts sentence_start Two.',
    'tts sentence_end',
  ])
  const stages = (await bench.turns())[0]!.stages
  const llm = stages.find(({ stage }) => stage === 'llm')!
  const tts = stages.find(({ stage }) => stage === 'tts')!
  expect(tts.startedAt).toBeLessThan(llm.endedAt!)
})

test('without a voice for the language a tone is played and the turn says why', async () => {
  bench = await createSessionBench({ script: { voice: 'missing' } })
  const { story, turn } = await answered()
  expect(story.slice(-3)).toEqual(spokenFrame)
  expect(turn).toMatchObject({ status: 'done', notes: ['voice-no-voice'] })
  expect(turn.audioMs).toBeGreaterThanOrEqual(280)
})

test.each(['fails', 'silent'] as const)('a voice that %s is told, and a tone stands in', async (voice) => {
  bench = await createSessionBench({ script: { voice } })
  const { story, turn } = await answered()
  expect(story.some((word) => word.startsWith('error tts_failed'))).toBe(true)
  expect(story.slice(-3)).toEqual(spokenFrame)
  expect(turn).toMatchObject({ status: 'failed', errorCode: 'iotta-tts-failed', notes: ['voice-synthesis-failed'] })
})

test('an abort frees a voice that hangs', async () => {
  bench = await createSessionBench({ script: { voice: 'hangs' } })
  const board = await bench.connect()
  board.utter()
  await vi.waitFor(() => expect(bench.engines.spoken).toHaveLength(1))
  bench.sessions.stop('board')
  expect(await bench.turns()).toMatchObject([{ status: 'aborted' }])
  bench.script.voice = 'speaks'
  board.utter()
  await board.ended()
})

test('an abort frees a recogniser that hangs', async () => {
  bench = await createSessionBench({ script: { heard: 'hangs' } })
  const board = await bench.connect()
  board.utter()
  await board.until(({ state }) => state === 'speech_end')
  board.send({ type: 'abort' })
  await vi.waitFor(() => expect(bench.engines.cancelledStreams).toBe(1))
  expect(await bench.turns()).toMatchObject([{ status: 'aborted' }])
})

test('a partial text that is a whole command shortens the wait for silence', async () => {
  bench = await createSessionBench({ script: { partial: { text: 'turn on the lamp', complete: true } } })
  const board = await bench.connect()
  board.listen('start')
  board.speech(300)
  // 320 ms are enough then; 480 would not be reached.
  board.silence(360)
  await board.ended()
  expect(board.story().slice(1, 3)).toEqual(['vad speech_start', 'stt turn on the lamp'])
})

test('a codec thread that dies in the middle costs nobody a turn', async () => {
  bench = await createSessionBench({ script: { speechMs: 3000 } })
  const board = await bench.connect()
  board.utter()
  await vi.waitFor(() => expect(board.audioFrames().length).toBeGreaterThan(3))
  await bench.killCodec()
  await board.ended()
  bench.script.speechMs = 120
  board.utter()
  await board.ended(2)
  const [after] = await bench.turns()
  expect(after).toMatchObject({ status: 'done', userText: 'turn on the lamp' })
})

test('a store that fails never hurts the conversation', async () => {
  bench = await createSessionBench()
  const notes: string[][] = []
  const ending = new AbortController()
  const watching = (async () => {
    for await (const { turn } of bench.recorder.feed.subscribe(ending.signal)) notes.push(turn.notes)
  })()
  await bench.store.close()
  const board = await bench.connect()
  board.utter()
  await board.ended()
  await bench.recorder.settled()
  ending.abort()
  await watching
  expect(notes.at(-1)).toEqual(['server-store-failed'])
})
