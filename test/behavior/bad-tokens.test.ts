import { expect, test } from 'vitest'
import { randomBytes } from 'node:crypto'
import { byHeaders, enrol, openSession, openTools, post, provision } from '../support/foreign-client.ts'
import { openForeignSocket, isForeignRefusal } from '../support/foreign-socket.ts'
import { freshDir, plantToken, type RoostBench, startRoost } from '../support/roost-server.ts'

const secret = () => randomBytes(32).toString('base64url')

async function upgrade(roost: RoostBench, path: string, headers: Record<string, string>) {
  const attempt = openForeignSocket({ url: `${roost.url}${path}`, ca: roost.ca }, headers)
  return attempt.then(
    (socket) => {
      socket.close(1000)
      return 'open' as const
    },
    (error: unknown) => {
      if (!isForeignRefusal(error)) throw error
      return `${error.status} ${(JSON.parse(error.body) as { error: { code: string } }).error.code}`
    },
  )
}

async function telemetry(roost: RoostBench, token: string) {
  const { status, body } = await post(roost, '/telemetry', {
    body: '{"metrics":{"uptime_s":1}}',
    headers: { Authorization: `Bearer ${token}` },
  })
  return status === 202 ? 'open' : `${status} ${(body as { error: { code: string } }).error.code}`
}

test('wrong, expired and foreign tokens are refused alike on every door, each by its own code', async () => {
  const dataDir = await freshDir()
  const expired = secret()
  const at = Date.now()
  await plantToken(dataDir, { deviceId: 'old-1', token: expired, issuedAt: at - 7_200_000, expiresAt: at - 3_600_000 })
  const roost = await startRoost({ dataDir })
  const good = await enrol(roost, 'good-1')
  const doors = async (token: string, id: string) => [
    await upgrade(roost, '/session', byHeaders(token, id)),
    await upgrade(roost, '/tools', byHeaders(token, id)),
    await telemetry(roost, token),
  ]
  expect(await doors(good.token, 'good-1')).toEqual(['open', 'open', 'open'])
  expect(await doors(secret(), 'good-1')).toEqual(Array(3).fill('401 unauthorized'))
  expect(await doors(expired, 'old-1')).toEqual(Array(3).fill('401 token_expired'))
  expect((await doors(good.token, 'old-1')).slice(0, 2)).toEqual(Array(2).fill('401 wrong_device'))
  expect((await doors(good.token.toLowerCase(), 'good-1'))[0]).toBe('401 unauthorized')
  expect(await upgrade(roost, '/session', byHeaders('', 'good-1'))).toBe('400 bad_request')
  // An expired token opens nothing but its own renewal, and that ends every other token of the board.
  const renewed = await provision(roost, { device_id: 'old-1' }, { Authorization: `Bearer ${expired}` })
  expect(renewed).toMatchObject({ status: 200 })
  expect(await doors((renewed.body as { token: string }).token, 'old-1')).toEqual(['open', 'open', 'open'])
})

test('a revoked token ends both channels within two seconds and opens nothing any more, across a restart', async () => {
  const dataDir = await freshDir()
  const roost = await startRoost({ dataDir })
  const { place, session } = await openSession(roost, 'gone-1')
  const tools = await openTools(roost, place, { deviceId: 'gone-1', tools: {} })
  await tools.asked
  const client = await roost.rpc()
  const asked = performance.now()
  await client.fleet.revoke({ deviceId: 'gone-1' })
  expect(await Promise.all([session.closed, tools.channel.closed])).toEqual([4401, 4401])
  expect(performance.now() - asked).toBeLessThan(2_000)
  expect(await upgrade(roost, '/session', byHeaders(place.token, 'gone-1'))).toBe('401 token_revoked')
  expect(await telemetry(roost, place.token)).toBe('401 token_revoked')
  expect(roost.logs.some((line) => line.includes('"access ended"') && line.includes('gone-1'))).toBe(true)
  // Its own revoked token is no proof: the board waits for a person.
  expect(await provision(roost, { device_id: 'gone-1' }, { Authorization: `Bearer ${place.token}` })).toMatchObject({
    status: 202,
  })
  await roost.close()
  const later = await startRoost({ dataDir })
  expect(await upgrade(later, '/session', byHeaders(place.token, 'gone-1'))).toBe('401 token_revoked')
})

test('a blocked device is cut at once and refused by policy until it is let in again', async () => {
  const roost = await startRoost()
  const { place, session } = await openSession(roost, 'block-1')
  const client = await roost.rpc()
  await client.fleet.block({ deviceId: 'block-1', blocked: true })
  expect([4401, 1008]).toContain(await session.closed)
  expect(await upgrade(roost, '/session', byHeaders(place.token, 'block-1'))).toBe('403 blocked')
  expect(await provision(roost, { device_id: 'block-1' }, { Authorization: `Bearer ${place.token}` })).toMatchObject({
    status: 403,
    body: { error: { code: 'blocked' } },
  })
  await client.fleet.block({ deviceId: 'block-1', blocked: false })
  expect(await upgrade(roost, '/session', byHeaders(place.token, 'block-1'))).toBe('open')
})

test('guessing is slowed after ten failures of one board, and a good token is never refused for it', async () => {
  const roost = await startRoost()
  const good = await enrol(roost, 'guess-1')
  const answers: string[] = []
  for (let attempt = 0; attempt < 12; attempt += 1) {
    answers.push(await upgrade(roost, '/session', byHeaders(secret(), 'guess-1')))
  }
  expect(answers).toEqual([...Array<string>(10).fill('401 unauthorized'), '429 too_many', '429 too_many'])
  expect(await upgrade(roost, '/session', byHeaders(good.token, 'guess-1'))).toBe('open')
  expect(await upgrade(roost, '/session', byHeaders(secret(), 'guess-2'))).toBe('401 unauthorized')
})
