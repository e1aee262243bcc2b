import type { Stage, Turn } from '../../electron/contract/conversation.ts'
import type { Device } from '../../electron/contract/device.ts'
import type { ToolCall } from '../../electron/contract/tool.ts'

// Test support: turns as the scripted server of the console tests tells them.

interface Span {
  readonly start: number
  readonly end: number | null
  readonly detail?: Stage['detail']
}

const stage = (name: Stage['stage'], from: number, { start, end, detail = {} }: Span): Stage => ({
  stage: name,
  startedAt: from + start,
  endedAt: end === null ? null : from + end,
  detail,
  error: null,
})

const lampCall = (at: number): ToolCall => ({
  ref: 'set_lamp@3',
  arguments: { on: true, brightness: 80 },
  outcome: 'ok',
  result: { status: 'ok' },
  startedAt: at + 1_960,
  endedAt: at + 2_034,
})

/** A good spoken turn that began `at`: 1.21 s from the end of speech to the first sound, with speaking over thinking. */
export function spokenTurn(id: string, device: Device, at: number): Turn {
  return {
    id,
    sessionId: `s-${device.id}`,
    deviceId: device.id,
    deviceName: device.name,
    agent: 'matcher',
    source: 'voice',
    status: 'done',
    language: id.endsWith('3') ? 'zh' : 'en',
    startedAt: at,
    endedAt: at + 4_300,
    userText: id.endsWith('3') ? '打开灯' : 'turn on the lamp',
    userTextFinal: true,
    confidence: 0.93,
    replyText: id.endsWith('3') ? '好的，灯开了。' : 'The lamp is on.',
    toolsOffered: ['set_lamp@3', 'read_temperature@1', 'set_volume@2'],
    calls: [lampCall(at)],
    stages: [
      stage('vad', at, { start: 200, end: 1_380 }),
      stage('asr', at, { start: 260, end: 1_790, detail: { engine: 'pocketsphinx', partials: 3 } }),
      stage('llm', at, { start: 1_790, end: 2_210, detail: { engine: 'matcher' } }),
      stage('tool', at, { start: 1_960, end: 2_034, detail: { ref: 'set_lamp@3' } }),
      stage('tts', at, { start: 2_090, end: 3_900, detail: { engine: 'flite', pieces: 1 } }),
    ],
    speechEndedAt: at + 1_380,
    firstFrameAt: at + 2_590,
    replyMs: 1_210,
    audioMs: 1_400,
    notes: [],
    errorCode: null,
  }
}

export function runningTurn(id: string, device: Device, at: number): Turn {
  const whole = spokenTurn(id, device, at)
  return {
    ...whole,
    status: 'running',
    endedAt: null,
    replyText: '',
    calls: [],
    stages: [stage('vad', at, { start: 100, end: 900 }), stage('asr', at, { start: 150, end: null })],
    userText: 'turn on the',
    userTextFinal: false,
    confidence: null,
    speechEndedAt: at + 900,
    firstFrameAt: null,
    replyMs: null,
    audioMs: null,
  }
}

export function failedTurn(id: string, device: Device, at: number): Turn {
  const whole = spokenTurn(id, device, at)
  const call: ToolCall = {
    ...lampCall(at),
    outcome: 'timeout',
    errorCode: 'tool-timeout',
    errorMessage: 'set_lamp@3 did not answer within 5000 ms',
    endedAt: at + 6_960,
  }
  return {
    ...whole,
    status: 'failed',
    calls: [call, { ...lampCall(at), ref: 'open_door@1', outcome: 'refused', errorCode: 'tool-bad-arguments' }],
    stages: whole.stages.map((one) =>
      one.stage === 'tool' ? { ...one, endedAt: at + 6_960, error: 'tool-timeout' } : one,
    ),
    notes: ['voice-no-voice', 'tool-not-called'],
    errorCode: 'iotta-tool-failed',
    firstFrameAt: null,
    replyMs: null,
  }
}
