import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { AppError } from '../../base/app-error.ts'
import { silentLog } from '../../base/log.ts'
import { Turn } from '../../contract/conversation.ts'
import { errorTexts } from '../../contract/errors.ts'
import { closeInterruptedTurns } from './interrupted-turns.ts'
import { createTurnRecorder } from './turn-recorder.ts'

/** What a store holds of a server that was killed while `act` ran. */
async function leftBehind(act: (record: ReturnType<ReturnType<typeof createTurnRecorder>['open']>) => void) {
  const rows = new Map<string, Turn>()
  const put = (turn: Turn) => Promise.resolve(void rows.set(turn.id, turn))
  const clock = createManualClock(1000)
  const who = { sessionId: 's', deviceId: 'd', deviceName: 'Board', agent: 'Roost', language: 'en' } as const
  const record = createTurnRecorder({ store: { put }, clock, log: silentLog }).open({
    ...who,
    id: 't',
    source: 'voice',
  })
  await clock.advance(40)
  act(record)
  const running = () => Promise.resolve([...rows.values()].filter(({ status }) => status === 'running'))
  return { put, running, rows }
}

test('a turn that a killed server left running is closed at the last moment known of it, with what it had', async () => {
  const store = await leftBehind((record) => {
    record.begin('vad').end()
    record.begin('asr')
    record.change({ userText: 'turn on the lamp', userTextFinal: true })
  })
  expect(await closeInterruptedTurns(store, silentLog)).toBe(1)
  const turn = store.rows.get('t')!
  expect(Turn.safeParse(turn).success).toBe(true)
  expect(turn).toMatchObject({ status: 'aborted', errorCode: 'server-restarted', endedAt: 1040 })
  expect(turn.userText).toBe('turn on the lamp')
  expect(turn.stages.map(({ endedAt }) => endedAt)).toEqual([1040, 1040])
  expect(await closeInterruptedTurns(store, silentLog)).toBe(0)
})

test('an error that was known before the end stays the reason, and the end of a turn stays its end', async () => {
  const failed = await leftBehind((record) => record.fail('iotta-asr-failed'))
  await closeInterruptedTurns(failed, silentLog)
  expect(failed.rows.get('t')).toMatchObject({ status: 'aborted', errorCode: 'iotta-asr-failed' })
  const done = await leftBehind((record) => {
    record.addReply('Yes.')
    record.end('done', 60)
  })
  expect(await closeInterruptedTurns(done, silentLog)).toBe(0)
  expect(done.rows.get('t')).toMatchObject({ status: 'done', errorCode: null })
})

test('a history that takes no writes does not keep the server from starting', async () => {
  const { running } = await leftBehind((record) => record.speechBegan())
  const put = () => Promise.reject(new AppError('server-disk-full', 'No space'))
  expect(await closeInterruptedTurns({ running, put }, silentLog)).toBe(0)
})

test('the reason has words in both languages', () => {
  const { en, 'zh-CN': zh } = errorTexts['server-restarted']
  expect(en.headline).toMatch(/server/)
  expect(zh.headline).toMatch(/\p{Script=Han}/u)
})
