import { expect, test } from 'vitest'
import { speak } from '../support/audio-signals.ts'
import { followTurns, startRoost } from '../support/roost-server.ts'

test('a spoken command over TLS switches the lamp, is answered aloud, and leaves its stages in order', async () => {
  const roost = await startRoost()
  const board = roost.board({ deviceId: 'lamp-1' })
  await board.online
  const client = await roost.rpc()
  const turns = await followTurns(client, 'lamp-1')
  const speech = speak('turn on the lamp', 'flite')!
  expect(speech.rate).toBe(16_000)

  const heard = await board.say(speech.pcm, 'turn on the lamp')
  const turn = await turns.ended()

  expect(heard).toMatchObject({ text: 'turn on the lamp' })
  expect(heard.frames).toBeGreaterThan(5)
  expect(heard.level).toBeGreaterThan(200)
  expect(board.state.lamp.on).toBe(true)
  expect(board.of('tool')).toMatchObject([{ name: 'set_lamp', arguments: { on: true } }])
  expect(turn).toMatchObject({
    deviceId: 'lamp-1',
    source: 'voice',
    status: 'done',
    language: 'en',
    userText: 'turn on the lamp',
    userTextFinal: true,
    errorCode: null,
  })
  expect(turn.replyText).toBe(heard.reply)
  expect(turn.toolsOffered).toContain('set_lamp@1')
  expect(turn.calls).toMatchObject([{ ref: 'set_lamp@1', arguments: { on: true }, outcome: 'ok' }])

  const span = (name: string) => turn.stages.find(({ stage }) => stage === name)!
  const [vad, asr, llm, tool, tts] = [span('vad'), span('asr'), span('llm'), span('tool'), span('tts')]
  expect(turn.stages.every(({ endedAt, startedAt, error }) => endedAt! >= startedAt && error === null)).toBe(true)
  expect(vad.startedAt).toBeLessThanOrEqual(vad.endedAt!)
  expect(asr.endedAt!).toBeGreaterThanOrEqual(vad.endedAt!)
  expect(llm.startedAt).toBeGreaterThanOrEqual(asr.endedAt!)
  expect(tool.startedAt).toBeGreaterThanOrEqual(llm.startedAt)
  expect(tts.startedAt).toBeGreaterThanOrEqual(tool.endedAt!)
  expect(turn.firstFrameAt!).toBeGreaterThanOrEqual(tts.startedAt)
  expect(Math.abs(turn.replyMs! - (turn.firstFrameAt! - turn.speechEndedAt!))).toBeLessThanOrEqual(1)
  expect(turn.speechEndedAt!).toBeGreaterThanOrEqual(turn.startedAt)
  expect(turn.endedAt!).toBeGreaterThanOrEqual(turn.firstFrameAt!)
  await expect.poll(() => client.turns.get({ id: turn.id }).catch(() => undefined)).toEqual(turn)

  const series = await client.telemetry.series({
    deviceIds: ['lamp-1'],
    metric: 'reply_ms',
    from: turn.startedAt - 1_000,
    to: Date.now() + 1_000,
    columns: 10,
  })
  expect(series[0]?.columns).toMatchObject([{ count: 1, min: turn.replyMs }])
})
