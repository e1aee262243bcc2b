import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { silentLog } from '../../base/log.ts'
import { bornTools } from '../../contract/born-tools.ts'
import type { ToolCall } from '../../contract/tool.ts'
import type { CallRequest } from '../tools/tool-host.ts'
import type { TurnOutput } from './turn-output.ts'
import { createTurnRecorder } from './turn-recorder.ts'
import { createTurnTools } from './turn-tools.ts'

const lamp = bornTools[0]!

function scene(outcome: ToolCall['outcome'] = 'ok') {
  const clock = createManualClock()
  const requests: CallRequest[] = []
  const told: string[] = []
  const recorder = createTurnRecorder({ store: { put: () => Promise.resolve() }, clock, log: silentLog })
  const record = recorder.open({
    id: 't',
    sessionId: 's',
    deviceId: 'd',
    deviceName: 'Board',
    agent: 'Roost',
    source: 'typed',
    language: 'en',
  })
  const output = {
    working: (stage: string) => told.push(stage),
    failure: (code: string) => told.push(code),
  } as unknown as TurnOutput
  const callTool = (request: CallRequest): Promise<ToolCall> => {
    requests.push(request)
    return Promise.resolve({ ref: 'x@1', arguments: {}, outcome, startedAt: 0, endedAt: 0 })
  }
  const signal = new AbortController().signal
  const call = createTurnTools({ tools: { callTool }, output, record, signal })
  return { call, record, requests, told }
}

test('a call goes out with the version that was offered, and is on the turn', async () => {
  const { call, record, requests, told } = scene()
  await call(lamp, { on: true })
  expect(requests).toMatchObject([
    { deviceId: 'd', name: lamp.name, tool: lamp, arguments: { on: true }, caller: { kind: 'turn', id: 't' } },
  ])
  expect(record.turn.calls).toHaveLength(1)
  expect(record.turn.stages).toMatchObject([{ stage: 'tool', detail: { ref: `${lamp.name}@1`, outcome: 'ok' } }])
  expect(told).toEqual(['tool'])
})

test('a call that failed is told to the board before the reply', async () => {
  const { call, told } = scene('timeout')
  await call(lamp, {})
  expect(told).toEqual(['tool', 'tool_failed'])
})
