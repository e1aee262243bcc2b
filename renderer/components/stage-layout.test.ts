import { expect, test } from 'vitest'
import type { Stage, Turn } from '../../electron/contract/conversation.ts'
import { layoutTurn } from './stage-layout.ts'

const stage = (name: Stage['stage'], startedAt: number, endedAt: number | null): Stage => ({
  stage: name,
  startedAt,
  endedAt,
  detail: {},
  error: null,
})

const turn = (over: Partial<Turn>): Turn => ({
  id: 't1',
  sessionId: 's1',
  deviceId: 'd1',
  deviceName: 'Board 1',
  agent: 'matcher',
  source: 'voice',
  status: 'done',
  language: 'en',
  startedAt: 1_000,
  endedAt: 3_000,
  userText: '',
  userTextFinal: true,
  confidence: null,
  replyText: '',
  toolsOffered: [],
  calls: [],
  stages: [],
  speechEndedAt: null,
  firstFrameAt: null,
  replyMs: null,
  audioMs: null,
  notes: [],
  errorCode: null,
  ...over,
})

const row = (layout: ReturnType<typeof layoutTurn>, name: Stage['stage']) =>
  layout.rows.find((one) => one.name === name)!

test('stages that overlap in time overlap on the page', () => {
  const layout = layoutTurn(turn({ stages: [stage('llm', 1_000, 2_000), stage('tts', 1_500, 3_000)] }), 3_000)

  expect(row(layout, 'llm').spans[0]).toMatchObject({ left: 0, width: 50, ms: 1_000 })
  expect(row(layout, 'tts').spans[0]).toMatchObject({ left: 25, width: 75 })
})

test('a stage that nobody measured is not reported, and its time is not zero', () => {
  const layout = layoutTurn(turn({ stages: [stage('asr', 1_000, 1_400)] }), 2_000)

  expect(row(layout, 'vad')).toMatchObject({ reported: false, expected: true, ms: null })
})

test('a typed turn does not expect the stages of a voice', () => {
  const layout = layoutTurn(turn({ source: 'typed', stages: [stage('llm', 1_000, 1_200)] }), 2_000)

  expect(row(layout, 'asr').expected).toBe(false)
  expect(row(layout, 'tts').expected).toBe(true)
})

test('a running stage reaches to the present', () => {
  const layout = layoutTurn(turn({ status: 'running', stages: [stage('asr', 1_000, null)] }), 1_800)

  expect(row(layout, 'asr').spans[0]).toMatchObject({ running: true, ms: 800, width: 100 })
})

test('the headline marks lie at the end of speech and at the first frame', () => {
  const stages = [stage('vad', 1_000, 2_000), stage('tts', 2_500, 3_000)]
  const layout = layoutTurn(turn({ stages, speechEndedAt: 2_000, firstFrameAt: 2_600 }), 3_000)

  expect(layout.speechEnd).toBe(50)
  expect(layout.firstFrame).toBe(80)
})

test('two calls of a tool stage at the same time are counted once', () => {
  const layout = layoutTurn(turn({ stages: [stage('tool', 1_000, 1_500), stage('tool', 1_200, 1_600)] }), 2_000)

  expect(row(layout, 'tool').ms).toBe(600)
})

test('every bar stays inside the window, also one without length at its end', () => {
  const layout = layoutTurn(turn({ stages: [stage('vad', 1_000, 3_000), stage('tts', 3_000, 3_000)] }), 3_000)

  for (const { spans } of layout.rows)
    for (const span of spans) expect(span.left + span.width).toBeLessThanOrEqual(100.001)
})

test('a turn without any stage still has a window', () => {
  const layout = layoutTurn(turn({}), 1_000)

  expect(layout.to).toBeGreaterThan(layout.from)
  expect(layout.rows.every((one) => !one.reported)).toBe(true)
})
