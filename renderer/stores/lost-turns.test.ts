import { expect, test } from 'vitest'
import type { Turn } from '../../electron/contract/conversation.ts'
import { abandoned, whatBecameOf } from './lost-turns.ts'

const stage = (startedAt: number, endedAt: number | null): Turn['stages'][number] => ({
  stage: 'asr',
  startedAt,
  endedAt,
  detail: {},
  error: null,
})
const running: Turn = {
  id: 't1',
  sessionId: 's1',
  deviceId: 'd1',
  deviceName: 'Board',
  agent: 'home',
  source: 'voice',
  status: 'running',
  language: 'en',
  startedAt: 1_000,
  endedAt: null,
  userText: '',
  userTextFinal: false,
  confidence: null,
  replyText: '',
  toolsOffered: [],
  calls: [],
  stages: [stage(1_000, 1_400), stage(1_500, null)],
  speechEndedAt: null,
  firstFrameAt: null,
  replyMs: null,
  audioMs: null,
  notes: [],
  errorCode: null,
}
const refused = (code: string) => () => Promise.reject(Object.assign(new Error(code), { data: { code } }))

test('an abandoned turn ends where it was last heard of, with every stage closed', () => {
  const turn = abandoned(running)

  expect(turn).toMatchObject({ status: 'aborted', endedAt: 1_500 })
  expect(turn.stages.map((one) => one.endedAt)).toEqual([1_400, 1_500])
})

test('an abandoned turn without a stage ends where it began', () => {
  expect(abandoned({ ...running, stages: [] })).toMatchObject({ endedAt: 1_000, stages: [] })
})

test('a turn that the server knows is what the server says', async () => {
  const done: Turn = { ...running, status: 'done', endedAt: 2_000 }

  expect(await whatBecameOf(running, () => Promise.resolve(done))).toBe(done)
})

test('a turn that the server does not know was interrupted', async () => {
  expect(await whatBecameOf(running, refused('server-not-found'))).toMatchObject({ status: 'aborted' })
})

test('a lost connection says nothing about a turn', async () => {
  expect(await whatBecameOf(running, refused('console-connection-lost'))).toBeNull()
})
