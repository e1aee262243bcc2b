import { expect, test } from 'vitest'
import { createRandom, randomBytes } from '../support/audio-signals.ts'
import { foreignSpeech } from '../support/foreign-audio.ts'
import { openSession, openTools } from '../support/foreign-client.ts'
import { startRoost } from '../support/roost-server.ts'

test('corrupted Opus is skipped, counted and told as bad_audio, and the sentence around it is still understood', async () => {
  const roost = await startRoost()
  const { place, session } = await openSession(roost, 'noisy-1')
  const tools = await openTools(roost, place, { deviceId: 'noisy-1', tools: { set_lamp: () => ({ status: 'ok' }) } })
  await tools.asked
  const random = createRandom(7)
  // A code-3 packet that announces more frames than it holds is refused by every Opus decoder.
  const broken = () => Uint8Array.from([0x0b, 0xff, ...randomBytes(20, random)])

  session.say({ type: 'listen', state: 'start' })
  for (const packet of [broken(), broken(), ...foreignSpeech('turn on the lamp', 600)]) session.send(packet)
  session.say({ type: 'listen', state: 'stop' })
  const { messages } = await session.until(({ type, state }) => type === 'tts' && state === 'stop')

  const errors = messages.filter(({ type }) => type === 'error')
  expect(errors).toHaveLength(1)
  expect(errors[0]).toMatchObject({ code: 'bad_audio', fatal: false })
  expect(messages.find(({ type, final }) => type === 'stt' && final === true)).toMatchObject({
    text: 'turn on the lamp',
  })
  expect(tools.calls).toHaveLength(1)
  session.close(1000)
  await expect.poll(() => roost.logs.find((line) => line.includes('"session closed"'))).toContain('"badAudio":2')
})

test('a flood of random packets never closes the session nor hurts the board beside it', async () => {
  const roost = await startRoost()
  const { session } = await openSession(roost, 'flood-1')
  const random = createRandom(11)
  const beside = roost.board({ deviceId: 'beside-1' })
  await beside.online
  session.say({ type: 'listen', state: 'start' })
  for (let packet = 0; packet < 2_000; packet += 1) session.send(randomBytes(Math.floor(random() * 400), random))
  const client = await roost.rpc()
  await client.talk.type({ deviceId: 'beside-1', text: 'turn on the lamp' })
  await expect.poll(() => beside.of('turn').length, { timeout: 20_000 }).toBe(1)
  expect(beside.state.lamp.on).toBe(true)
  session.say({ type: 'abort' })
  await session.ping()
  await client.talk.type({ deviceId: 'flood-1', text: 'hello' })
  const { messages } = await session.until(({ type, state }) => type === 'tts' && state === 'stop')
  expect(messages.some(({ type, fatal }) => type === 'error' && fatal === true)).toBe(false)
  expect(await roost.isHealthy()).toBe(true)
})
