import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { AppError } from '../../base/app-error.ts'
import { silentLog } from '../../base/log.ts'
import { Turn, type TurnEvent } from '../../contract/conversation.ts'
import { createTurnRecorder, type TurnInit, type TurnRecord } from './turn-recorder.ts'

const init: TurnInit = {
  id: 't',
  sessionId: 's',
  deviceId: 'd',
  deviceName: 'Board',
  agent: 'Roost',
  source: 'voice',
  language: 'en',
}

function scene(put: (turn: Turn) => Promise<void> = () => Promise.resolve()) {
  const clock = createManualClock(1000)
  const recorder = createTurnRecorder({ store: { put }, clock, log: silentLog })
  return { clock, recorder }
}

async function collect(
  recorder: ReturnType<typeof createTurnRecorder>,
  act: () => Promise<void>,
): Promise<TurnEvent[]> {
  const ending = new AbortController()
  const events: TurnEvent[] = []
  const items = recorder.feed.subscribe(ending.signal)
  const reading = (async () => {
    for await (const event of items) events.push(event)
  })()
  await act()
  await recorder.settled()
  ending.abort()
  await reading
  return events
}

test('every change is told with the whole turn and a revision that grows', async () => {
  const { clock, recorder } = scene()
  const events = await collect(recorder, async () => {
    const record = recorder.open(init)
    await clock.advance(10)
    record.speechBegan()
    const asr = record.begin('asr', { engine: 'x' })
    await clock.advance(20)
    asr.end({ detail: { confidence: 0.5 } })
    record.speechBegan()
    record.end('done', 120)
    await clock.advance(1)
  })
  expect(events.map(({ revision }) => revision)).toEqual([1, 2, 3, 4])
  for (const { turn } of events) expect(Turn.safeParse(turn).success).toBe(true)
  expect(events.at(-1)!.turn).toMatchObject({
    status: 'done',
    startedAt: 1000,
    endedAt: 1030,
    audioMs: 120,
    stages: [{ stage: 'asr', startedAt: 1010, endedAt: 1030, detail: { engine: 'x', confidence: 0.5 } }],
  })
})

test('the headline is the difference of its two stamps, and not reported without them', async () => {
  const { clock, recorder } = scene()
  const voice = recorder.open(init)
  voice.speechEnded(1500)
  voice.firstFrame(1750.5)
  voice.firstFrame(1900)
  expect(voice.turn).toMatchObject({ firstFrameAt: 1750.5, replyMs: 250.5 })
  await clock.advance(500)
  const typed = recorder.open({ ...init, id: 'u', source: 'typed', text: 'hi' })
  typed.firstFrame(1600)
  expect(typed.turn).toMatchObject({ replyMs: 100, userText: 'hi', userTextFinal: true })
  const mute = recorder.open({ ...init, id: 'v' })
  mute.end('mute')
  expect(mute.turn).toMatchObject({ replyMs: null, audioMs: null, status: 'mute' })
})

test('after its end nothing changes a turn, and its end is stored once', async () => {
  const stored: Turn[] = []
  const { recorder } = scene((turn) => Promise.resolve(void stored.push(turn)))
  const record = recorder.open(init)
  record.speechBegan()
  const span = record.begin('llm')
  expect(recorder.running()).toHaveLength(1)
  record.end('aborted')
  const ended = record.turn
  span.end({ error: 'iotta-llm-failed' })
  record.addReply('late')
  record.fail('iotta-internal')
  record.end('done', 5)
  await recorder.settled()
  expect(record.turn).toBe(ended)
  expect(stored.map(({ status }) => status)).toEqual(['running', 'aborted'])
  expect(stored.at(-1)).toEqual(ended)
  expect(ended).toMatchObject({ status: 'aborted', replyText: '', errorCode: null })
  expect(ended.stages[0]!.endedAt).not.toBeNull()
  expect(recorder.running()).toEqual([])
})

test('a turn in which a stage failed has failed, with the first error', () => {
  const { recorder } = scene()
  const record = recorder.open(init)
  record.fail('iotta-asr-failed')
  record.fail('iotta-tts-failed')
  record.end('done', 60)
  expect(record.turn).toMatchObject({ status: 'failed', errorCode: 'iotta-asr-failed' })
})

test('a full disk is noted on the turn', async () => {
  const { recorder } = scene(() => Promise.reject(new AppError('server-disk-full', 'No space')))
  const events = await collect(recorder, () =>
    Promise.resolve(recorder.open({ ...init, source: 'typed', text: 'hi' }).end('done')),
  )
  expect(events.at(-1)!.turn.notes).toEqual(['server-disk-full'])
})

test('a turn is stored when it starts and at what was understood and done, not at every partial text', () => {
  const stored: Turn[] = []
  const { recorder } = scene((turn) => Promise.resolve(void stored.push(turn)))
  const record = recorder.open(init)
  expect(stored).toEqual([])
  record.speechBegan()
  for (const userText of ['turn', 'turn on', 'turn on the lamp']) record.change({ userText })
  expect(stored).toHaveLength(1)
  record.change({ userText: 'turn on the lamp', userTextFinal: true })
  record.begin('tool').end()
  record.addCall({ ref: 'set_lamp@1', arguments: {}, outcome: 'ok', result: {}, startedAt: 1000, endedAt: 1001 })
  record.addReply('The lamp is on.')
  expect(stored.map(({ userText, calls }) => [userText, calls.length])).toEqual([
    ['', 0],
    ['turn on the lamp', 0],
    ['turn on the lamp', 1],
  ])
  recorder.open({ ...init, id: 'u', source: 'typed', text: 'hi' })
  recorder.open({ ...init, id: 'v', source: 'announcement' })
  expect(stored.slice(3).map(({ id, status }) => [id, status])).toEqual([
    ['u', 'running'],
    ['v', 'running'],
  ])
})

test('a turn in which nothing happened is neither told nor stored, only counted', async () => {
  const stored: Turn[] = []
  const { recorder } = scene((turn) => Promise.resolve(void stored.push(turn)))
  const events = await collect(recorder, () => {
    for (const status of ['aborted', 'done'] as const) {
      const record = recorder.open(init)
      record.begin('vad')
      record.end(status)
    }
    return Promise.resolve()
  })
  expect([events, stored, recorder.running(), recorder.empty]).toEqual([[], [], [], 2])
})

test('a microphone in which no speech was heard leaves a turn that says so', () => {
  const stored: Turn[] = []
  const { recorder } = scene((turn) => Promise.resolve(void stored.push(turn)))
  recorder.open(init).end('mute')
  expect(stored).toMatchObject([{ status: 'mute' }])
})

test.each<[string, (record: TurnRecord) => void]>([
  ['speech', (record) => record.speechBegan()],
  ['a text', (record) => record.change({ userText: 'turn' })],
  ['an end of speech', (record) => record.speechEnded(1000)],
  ['a reply', (record) => record.addReply('Yes.')],
  ['a note', (record) => record.note('voice-no-voice')],
  ['an error', (record) => record.fail('iotta-slow-consumer')],
  ['a stage that failed', (record) => record.begin('asr').end({ error: 'iotta-asr-failed' })],
])('a turn with %s is kept', async (_what, happen) => {
  const stored: Turn[] = []
  const { recorder } = scene((turn) => Promise.resolve(void stored.push(turn)))
  const record = recorder.open(init)
  happen(record)
  record.end('aborted')
  await recorder.settled()
  expect(stored.at(-1)).toMatchObject({ status: 'aborted' })
  expect(recorder.empty).toBe(0)
})

test('sentences of both languages are joined as they are written', () => {
  const { recorder } = scene()
  const record = recorder.open(init)
  for (const text of ['One.', 'Two.', '好的。', '灯开了。']) record.addReply(text)
  expect(record.turn.replyText).toBe('One. Two. 好的。灯开了。')
})
