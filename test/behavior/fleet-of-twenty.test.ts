import { expect, test } from 'vitest'
import { startRoost } from '../support/roost-server.ts'

test('twenty boards connect at once, one newest session each, and each hears only its own turn', async () => {
  const roost = await startRoost()
  const tokens = new Map<string, string>()
  const boards = Array.from({ length: 20 }, (_, index) => {
    const deviceId = `fleet-${index + 1}`
    return roost.board({ deviceId, onToken: (token) => void tokens.set(deviceId, token) })
  })
  await Promise.all(boards.map((board) => board.online))
  const client = await roost.rpc()
  expect(await client.server.overview()).toMatchObject({ devices: 20, online: 20 })

  await Promise.all(
    boards.map(({ id }, index) => client.talk.type({ deviceId: id, text: `set the volume to ${index + 30}` })),
  )
  await expect
    .poll(() => boards.map((board) => board.of('turn').length), { timeout: 60_000 })
    .toEqual(Array(20).fill(1))
  expect(boards.map((board) => board.state.volume)).toEqual(boards.map((_, index) => index + 30))
  await expect.poll(async () => (await client.turns.list({ limit: 50 })).total).toBe(20)
  const page = await client.turns.list({ limit: 50 })
  expect(page.turns.filter(({ status }) => status !== 'done')).toEqual([])

  // The same board twice: the newest stays, and the fleet still counts it once.
  const twin = roost.board({ deviceId: 'fleet-1', token: tokens.get('fleet-1')! })
  await twin.online
  await expect
    .poll(() => boards[0]?.of('closed').some(({ channel, code }) => channel === 'session' && code === 4409))
    .toBe(true)
  expect(await client.server.overview()).toMatchObject({ devices: 20, online: 20 })
  await twin.stop()
  const misled = roost.logs.filter((line) => /"tagMismatches":[1-9]/.test(line))
  expect(misled).toEqual([])
  expect(await roost.isHealthy()).toBe(true)
})
