import { expect, test } from 'vitest'
import { byHeaders, helloMessage, openChannel, openSession, openTools } from '../support/foreign-client.ts'
import { boardTools, startRoost } from '../support/roost-server.ts'

test('the newer session of a device wins: the older is closed with 4409, and turns go to the newer', async () => {
  const roost = await startRoost()
  const { place, session: older } = await openSession(roost, 'twin-1')
  const newer = await openChannel(roost, place.session_url, byHeaders(place.token, 'twin-1'))
  newer.say(helloMessage)
  await newer.until(({ type }) => type === 'hello')
  expect(await older.closed).toBe(4409)

  const client = await roost.rpc()
  await client.talk.type({ deviceId: 'twin-1', text: 'hello' })
  const { frames } = await newer.until(({ type, state }) => type === 'tts' && state === 'stop')
  expect(frames.length).toBeGreaterThan(0)
  const overview = await client.server.overview()
  expect(overview).toMatchObject({ devices: 1, online: 1 })
  expect(roost.logs.some((line) => line.includes('"session opened"') && line.includes('"replaced":true'))).toBe(true)
})

test('a newer tool channel replaces the older with 4409 and the session does not notice', async () => {
  const roost = await startRoost()
  const { place, session } = await openSession(roost, 'twin-2')
  const older = await openTools(roost, place, { deviceId: 'twin-2', tools: { set_lamp: () => ({ status: 'ok' }) } })
  await older.asked
  const newer = await openTools(roost, place, { deviceId: 'twin-2', tools: { set_lamp: () => ({ status: 'ok' }) } })
  expect(await older.channel.closed).toBe(4409)
  await newer.asked
  const client = await roost.rpc()
  await expect.poll(async () => (await boardTools(client, 'twin-2')).length).toBe(1)
  const call = await client.tools.call({ deviceId: 'twin-2', name: 'set_lamp', arguments: { on: true } })
  expect(call).toMatchObject({ outcome: 'ok', ref: 'set_lamp@1' })
  expect([older.calls.length, newer.calls.length]).toEqual([0, 1])
  expect(session.socket.destroyed).toBe(false)
})
