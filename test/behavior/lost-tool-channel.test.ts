import { expect, test } from 'vitest'
import { openSession, openTools } from '../support/foreign-client.ts'
import { boardTools, followTurns, startRoost } from '../support/roost-server.ts'

test('a tool channel that is lost in mid-call never touches the session: the turn says so aloud and the next one works', async () => {
  const roost = await startRoost()
  const { place, session } = await openSession(roost, 'cut-1')
  const cut = await openTools(roost, place, {
    deviceId: 'cut-1',
    tools: { set_lamp: () => (cut.channel.socket.destroy(), undefined) },
  })
  await cut.asked
  const client = await roost.rpc()
  await expect.poll(async () => (await boardTools(client, 'cut-1')).length).toBe(1)
  const turns = await followTurns(client, 'cut-1')
  const { turnId } = await client.talk.type({ deviceId: 'cut-1', text: 'turn on the lamp' })
  const { frames } = await session.until(({ type, state }) => type === 'tts' && state === 'stop')
  expect(frames.length).toBeGreaterThan(5)
  const turn = await turns.ended(turnId)
  expect(turn.calls).toMatchObject([{ ref: 'set_lamp@1', errorCode: 'tool-disconnected' }])
  expect(turn.calls[0]?.outcome).not.toBe('ok')
  expect(session.socket.destroyed).toBe(false)

  const back = await openTools(roost, place, { deviceId: 'cut-1', tools: { set_lamp: () => ({ status: 'ok' }) } })
  await back.asked
  await expect.poll(async () => (await boardTools(client, 'cut-1'))[0]?.reachable).toBe(true)
  const again = await client.talk.type({ deviceId: 'cut-1', text: 'turn on the lamp' })
  expect((await turns.ended(again.turnId)).calls).toMatchObject([{ outcome: 'ok' }])
  expect(session.messages.some(({ text }) => text?.includes('"fatal":true') === true)).toBe(false)
})

test('while speech plays, cutting the tool channel again and again leaves no gap in it', async () => {
  const roost = await startRoost()
  const { place, session } = await openSession(roost, 'cut-2')
  const client = await roost.rpc()
  await client.talk.type({ deviceId: 'cut-2', text: 'what can you do for me today' })
  await session.until(({ type, state }) => type === 'tts' && state === 'start')
  for (let round = 0; round < 10; round += 1) {
    const tools = await openTools(roost, place, { deviceId: 'cut-2', tools: {} })
    tools.channel.socket.destroy()
  }
  const { frames, last } = await session.until(({ type, state }) => type === 'tts' && state === 'stop')
  expect(last).toMatchObject({ state: 'stop' })
  expect(frames.length).toBeGreaterThan(0)
  expect(roost.logs.filter((line) => line.includes('"level":"error"'))).toEqual([])
})
