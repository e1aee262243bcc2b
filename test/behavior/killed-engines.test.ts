import { expect, test } from 'vitest'
import { speak } from '../support/audio-signals.ts'
import { followTurns, startRoost } from '../support/roost-server.ts'

const sentence = () => speak('turn on the lamp', 'flite')!.pcm

test('a recogniser that is killed in mid-turn fails that turn aloud, drops no socket, and the next one is heard', async () => {
  const roost = await startRoost()
  const client = await roost.rpc()
  const turns = await followTurns(client, 'asr-1')
  let killed = false
  const board = roost.board({
    deviceId: 'asr-1',
    onEvent({ event, ...rest }) {
      if (killed || event !== 'vad' || !('state' in rest) || rest.state !== 'speech_start') return
      killed = true
      for (const { entry, child } of roost.launched) if (entry === 'asr') process.kill(child.pid!, 'SIGKILL')
    },
  })
  await board.online
  const heard = await board.say(sentence(), 'turn on the lamp')
  const failed = await turns.ended()
  expect(failed).toMatchObject({ status: 'failed', errorCode: 'iotta-asr-failed' })
  expect(failed.stages.find(({ stage }) => stage === 'asr')?.error).toBe('voice-recogniser-stopped')
  // Noticed by its end, not by its silence: that would take 10 s.
  expect(failed.replyMs).toBeLessThan(8_000)
  expect(board.of('error')).toMatchObject([{ code: 'asr_failed', fatal: false }])
  expect(heard.frames).toBeGreaterThan(0)
  expect(heard.level).toBeGreaterThan(50)
  expect(roost.logs.some((line) => /"level":"(warn|error)"/.test(line) && line.includes('recogniser'))).toBe(true)

  const again = await board.say(sentence(), 'turn on the lamp')
  expect(again.text).toBe('turn on the lamp')
  expect(board.state.lamp.on).toBe(true)
  expect(board.of('closed')).toEqual([])
})

test('a codec thread that is killed in mid-turn ends that turn alone; a new one stands at once', async () => {
  const roost = await startRoost()
  const client = await roost.rpc()
  const turns = await followTurns(client, 'codec-1')
  const codecs = () => roost.workers.slice(1)
  expect(codecs()).toHaveLength(1)
  let killed = false
  const board = roost.board({
    deviceId: 'codec-1',
    onEvent({ event, ...rest }) {
      if (killed || event !== 'vad' || !('state' in rest) || rest.state !== 'speech_start') return
      killed = true
      void codecs()[0]?.terminate()
    },
  })
  await board.online
  await board.say(sentence(), 'turn on the lamp').catch(() => undefined)
  const first = await turns.ended()
  expect(killed).toBe(true)
  expect(['failed', 'done']).toContain(first.status)
  expect(roost.logs.some((line) => line.includes('codec thread stopped'))).toBe(true)
  await expect.poll(() => codecs().length).toBe(2)

  const again = await board.say(sentence(), 'turn on the lamp')
  expect(again.text).toBe('turn on the lamp')
  expect(again.frames).toBeGreaterThan(0)
  expect(board.of('closed')).toEqual([])
})

test('a synthesiser that is killed costs a reply its voice, never its turn', async () => {
  const roost = await startRoost()
  const client = await roost.rpc()
  const board = roost.board({ deviceId: 'tts-1' })
  await board.online
  const turns = await followTurns(client, 'tts-1')
  for (const { entry, child } of roost.launched) if (entry === 'tts') process.kill(child.pid!, 'SIGKILL')
  // A sentence that was not made before, so that it must be made now.
  const { turnId } = await client.talk.type({ deviceId: 'tts-1', text: 'set the volume to 37' })
  const turn = await turns.ended(turnId)
  expect(turn.calls).toMatchObject([{ ref: 'set_volume@1', outcome: 'ok' }])
  await expect.poll(() => board.of('turn').length).toBe(1)
  expect(board.of('turn')[0]?.level).toBeGreaterThan(50)
  const { turnId: next } = await client.talk.type({ deviceId: 'tts-1', text: 'set the volume to 38' })
  expect(await turns.ended(next)).toMatchObject({ status: 'done', errorCode: null })
  expect(board.of('closed')).toEqual([])
})

test('a voice detector that is killed comes back, and the board is still heard', async () => {
  const roost = await startRoost()
  const board = roost.board({ deviceId: 'vad-1' })
  await board.online
  for (const { entry, child } of roost.launched) if (entry === 'vad') process.kill(child.pid!, 'SIGKILL')
  const heard = await board.say(sentence(), 'turn on the lamp')
  expect(heard.text).toBe('turn on the lamp')
  expect(board.of('closed')).toEqual([])
})
