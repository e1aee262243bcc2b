import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { byHeaders, helloMessage, openChannel, provision } from '../support/foreign-client.ts'
import { freshDir, plantToken, startRoost } from '../support/roost-server.ts'

// The server has to be up and heard from before a planted token ends, on a busy machine too.
const lifeMs = 12_000

const urlOf = (url: string, path: string) => `${url.replace('https', 'wss')}${path}`

test('a token that ends is announced, and its open channels close with 4401 once it is over', async () => {
  const dataDir = await freshDir()
  const token = randomBytes(32).toString('base64url')
  const expiresAt = Date.now() + lifeMs
  await plantToken(dataDir, { deviceId: 'end-1', token, issuedAt: Date.now() - 1_000, expiresAt })
  const roost = await startRoost({ dataDir })
  const session = await openChannel(roost, urlOf(roost.url, '/session'), byHeaders(token, 'end-1'))
  const tools = await openChannel(roost, urlOf(roost.url, '/tools'), byHeaders(token, 'end-1'))
  session.say(helloMessage)
  const { last } = await session.until(({ code }) => code === 'token_expiring')
  expect(last).toMatchObject({ type: 'error', fatal: false })
  expect(await Promise.all([session.closed, tools.closed])).toEqual([4401, 4401])
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt - 50)
  await expect(openChannel(roost, urlOf(roost.url, '/session'), byHeaders(token, 'end-1'))).rejects.toMatchObject({
    status: 401,
  })
})

test('a board that renews in time keeps its open channel past the end of the old token', async () => {
  const dataDir = await freshDir()
  const token = randomBytes(32).toString('base64url')
  const expiresAt = Date.now() + lifeMs
  await plantToken(dataDir, { deviceId: 'renew-1', token, issuedAt: Date.now() - 1_000, expiresAt })
  const roost = await startRoost({ dataDir, tokenMinutes: 5 })
  const session = await openChannel(roost, urlOf(roost.url, '/session'), byHeaders(token, 'renew-1'))
  session.say(helloMessage)
  await session.until(({ code }) => code === 'token_expiring')
  const renewed = await provision(roost, { device_id: 'renew-1' }, { Authorization: `Bearer ${token}` })
  expect(renewed.status).toBe(200)
  const place = renewed.body as { token: string; token_expires_at: string; server_time: number }
  expect(Date.parse(place.token_expires_at) - place.server_time).toBeGreaterThan(290_000)
  // Renewal leaves the older valid to its own end.
  const old = await openChannel(roost, urlOf(roost.url, '/tools'), byHeaders(token, 'renew-1'))
  old.close(1000)

  await expect.poll(() => Date.now() - expiresAt, { timeout: 2 * lifeMs }).toBeGreaterThan(300)
  expect(session.socket.destroyed).toBe(false)
  const client = await roost.rpc()
  await client.talk.type({ deviceId: 'renew-1', text: 'hello' })
  await session.until(({ type, state }) => type === 'tts' && state === 'stop')
  await expect(openChannel(roost, urlOf(roost.url, '/session'), byHeaders(token, 'renew-1'))).rejects.toMatchObject({
    status: 401,
  })
})
