import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { AppError } from '../../base/app-error.ts'
import { silentLog } from '../../base/log.ts'
import { Turn, type TurnEvent } from '../../contract/conversation.ts'
import { createTurnRecorder, type TurnInit } from './turn-recorder.ts'

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
    const asr = record.begin('asr', { engine: 'x' })
    await clock.advance(20)
    asr.end({ detail: { confidence: 0.5 } })
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

test('after its end nothing changes a turn, and it is stored once', async () => {
  const stored: Turn[] = []
  const { recorder } = scene((turn) => Promise.resolve(void stored.push(turn)))
  const record = recorder.open(init)
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
  expect(stored).toEqual([ended])
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
  const events = await collect(recorder, () => Promise.resolve(recorder.open(init).end('done')))
  expect(events.at(-1)!.turn.notes).toEqual(['server-disk-full'])
})

test('sentences of both languages are joined as they are written', () => {
  const { recorder } = scene()
  const record = recorder.open(init)
  for (const text of ['One.', 'Two.', '好的。', '灯开了。']) record.addReply(text)
  expect(record.turn.replyText).toBe('One. Two. 好的。灯开了。')
})
