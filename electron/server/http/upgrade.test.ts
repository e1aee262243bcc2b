import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Rim,
  closeCode,
  deviceHeaders,
  deviceProtocols,
  nextMessage,
  openRim,
  upgradeResult,
} from '../../../test/support/network-rim.ts'

let rim: Rim
beforeAll(async () => {
  rim = await openRim({ enrolment: { mode: 'open' } })
})
afterAll(() => rim.close())

let ids = 0
async function enrolled(): Promise<{ id: string; token: string }> {
  const id = `board-${ids++}`
  const answer = await rim.provision({ device_id: id })
  expect(answer.status).toBe(200)
  return { id, token: String(answer.json()['token']) }
}

async function refusal(headers: Record<string, string>, path = '/session') {
  const result = await upgradeResult(rim.socket('tls', path, { headers }))
  return result.open ? 'open' : [result.status, result.code]
}

test.each(['/session', '/tools'])('%s opens by headers, without any extension', async (path) => {
  const { id, token } = await enrolled()
  const socket = rim.socket('tls', path, { headers: deviceHeaders(token, id) })
  expect(await upgradeResult(socket)).toEqual({ open: true, protocol: '', extensions: '' })
  socket.send('ping')
  expect(await nextMessage(socket)).toBe('ping')
  socket.terminate()
})

test('a browser opens by the subprotocol list and is told iotta.v1, never a credential', async () => {
  const { id, token } = await enrolled()
  const socket = rim.socket('loopback', '/session', { protocols: deviceProtocols(token, id) })
  expect(await upgradeResult(socket)).toMatchObject({ open: true, protocol: 'iotta.v1' })
  socket.terminate()
})

test('headers and a list that agree open, ids in any case', async () => {
  const { id, token } = await enrolled()
  const options = { headers: deviceHeaders(token, id.toUpperCase()), protocols: deviceProtocols(token, id) }
  const socket = rim.socket('tls', '/session', options)
  expect(await upgradeResult(socket)).toMatchObject({ open: true, protocol: 'iotta.v1' })
  socket.terminate()
})

test('headers and a list that disagree are malformed', async () => {
  const { id, token } = await enrolled()
  const options = { headers: deviceHeaders(token, id), protocols: deviceProtocols(token, 'someone-else') }
  expect(await upgradeResult(rim.socket('tls', '/session', options))).toMatchObject({
    status: 400,
    code: 'bad_request',
  })
})

test.each(['Authorization', 'Device-Id', 'Protocol-Version'])('without %s it is 400', async (name) => {
  const { id, token } = await enrolled()
  const { [name]: _left, ...headers } = deviceHeaders(token, id) as Record<string, string>
  expect(await refusal(headers)).toEqual([400, 'bad_request'])
})

test.each([
  [{ Authorization: 'Basic abc' }],
  [{ Authorization: 'Bearer' }],
  [{ Authorization: '' }],
  [{ 'Device-Id': 'a b' }],
  [{ 'Device-Id': 'x'.repeat(65) }],
])('a malformed header %o is 400', async (wrong) => {
  const { id, token } = await enrolled()
  expect(await refusal({ ...deviceHeaders(token, id), ...wrong })).toEqual([400, 'bad_request'])
})

test('a token in the address opens nothing', async () => {
  const { id, token } = await enrolled()
  const path = `/session?token=${token}&device-id=${id}&authorization=Bearer%20${token}`
  expect(await refusal({ 'Device-Id': id, 'Protocol-Version': '1' }, path)).toEqual([400, 'bad_request'])
})

test('another protocol version is 426 and names the one we speak, even with a wrong token', async () => {
  const socket = rim.socket('tls', '/session', { headers: deviceHeaders('nonsense', 'whoever', '2') })
  const result = await upgradeResult(socket)
  expect(result).toMatchObject({ status: 426, code: 'wrong_version', headers: { 'protocol-version': '1' } })
})

test('an unknown token is 401', async () => {
  const { id } = await enrolled()
  expect(await refusal(deviceHeaders('nonsense', id))).toEqual([401, 'unauthorized'])
})

test('the token of another device is 401', async () => {
  const one = await enrolled()
  const two = await enrolled()
  expect(await refusal(deviceHeaders(one.token, two.id))).toEqual([401, 'wrong_device'])
})

test.each([
  (token: string) => token.slice(0, -1),
  (token: string) => `${token}A`,
  (token: string) => token.toUpperCase(),
])('a token that is nearly right is 401', async (change) => {
  const { id, token } = await enrolled()
  expect(await refusal(deviceHeaders(change(token), id))).toEqual([401, 'unauthorized'])
})

test('the eleventh wrong token is 429 with Retry-After, and the right one still opens', async () => {
  const { id, token } = await enrolled()
  for (let n = 0; n < 10; n++) expect(await refusal(deviceHeaders('wrong', id))).toEqual([401, 'unauthorized'])
  const result = await upgradeResult(rim.socket('tls', '/session', { headers: deviceHeaders('wrong', id) }))
  expect(result).toMatchObject({ status: 429, code: 'too_many' })
  expect(Number(!result.open && result.headers['retry-after'])).toBeGreaterThan(0)

  const good = rim.socket('tls', '/session', { headers: deviceHeaders(token, id) })
  expect(await upgradeResult(good)).toMatchObject({ open: true })
  good.terminate()
})

test('a blocked device is 403 with a good token and 401 with a wrong one', async () => {
  const { id, token } = await enrolled()
  await rim.devices.block(id, true)
  expect(await refusal(deviceHeaders(token, id))).toEqual([403, 'blocked'])
  expect(await refusal(deviceHeaders('wrong', id))).toEqual([401, 'unauthorized'])
})

test('a revoked token is 401', async () => {
  const { id, token } = await enrolled()
  await rim.devices.revoke(id)
  expect(await refusal(deviceHeaders(token, id))).toEqual([401, 'token_revoked'])
})

test('a page of another site is 403 even with a good token', async () => {
  const { id, token } = await enrolled()
  expect(await refusal({ ...deviceHeaders(token, id), Origin: 'https://example.com' })).toEqual([403, 'blocked'])
})

test.each(['/session', '/tools'])('a newer socket on %s closes the older with 4409', async (path) => {
  const { id, token } = await enrolled()
  const older = rim.socket('tls', path, { headers: deviceHeaders(token, id) })
  await upgradeResult(older)
  const closed = closeCode(older)
  const newer = rim.socket('tls', path, { headers: deviceHeaders(token, id) })
  expect(await upgradeResult(newer)).toMatchObject({ open: true })
  expect(await closed).toBe(4409)
  newer.send('still here')
  expect(await nextMessage(newer)).toBe('still here')
  newer.terminate()
})

test.each(['revoke', 'forget', 'block'] as const)('%s closes both live channels with 4401 within 2 s', async (what) => {
  const { id, token } = await enrolled()
  const sockets = ['/session', '/tools'].map((path) => rim.socket('tls', path, { headers: deviceHeaders(token, id) }))
  await Promise.all(sockets.map(upgradeResult))
  const closed = Promise.all(sockets.map(closeCode))
  const started = performance.now()
  await (what === 'block' ? rim.devices.block(id, true) : rim.devices[what](id))
  expect(await closed).toEqual([4401, 4401])
  expect(performance.now() - started).toBeLessThan(2_000)
})

test('a frame over 64 KiB closes with 1009', async () => {
  const { id, token } = await enrolled()
  const socket = rim.socket('tls', '/session', { headers: deviceHeaders(token, id) })
  await upgradeResult(socket)
  const closed = closeCode(socket)
  socket.send(Buffer.alloc(64 * 1024 + 1))
  expect(await closed).toBe(1009)
})

test.each(['/nothing', '/', '/xiaozhi/v1/'])('an upgrade of %s is 404', async (path) => {
  const { id, token } = await enrolled()
  expect(await refusal(deviceHeaders(token, id), path)).toEqual([404, 'server-not-found'])
})

test('binary arrives as bytes and text as text', async () => {
  const seen = Promise.withResolvers<unknown[]>()
  const got: unknown[] = []
  const other = await openRim({
    enrolment: { mode: 'open' },
    http: {
      onSession: (socket) =>
        socket.onMessage((data) => {
          got.push(typeof data === 'string' ? data : [...data])
          if (got.length === 2) seen.resolve(got)
        }),
    },
  })
  const token = String((await other.provision({ device_id: 'b' })).json()['token'])
  const socket = other.socket('loopback', '/session', { headers: deviceHeaders(token, 'b') })
  await upgradeResult(socket)
  socket.send('{"type":"hello"}')
  socket.send(Uint8Array.of(1, 2, 3))
  expect(await seen.promise).toEqual(['{"type":"hello"}', [1, 2, 3]])
  await other.close()
})

test('where the policy forbids a second session it is 409 and the first one lives on', async () => {
  const other = await openRim({ enrolment: { mode: 'open' }, http: { secondSession: 'refuse' } })
  const token = String((await other.provision({ device_id: 'b' })).json()['token'])
  const first = other.socket('loopback', '/session', { headers: deviceHeaders(token, 'b') })
  await upgradeResult(first)
  const second = await upgradeResult(other.socket('loopback', '/session', { headers: deviceHeaders(token, 'b') }))
  expect(second).toMatchObject({ status: 409, code: 'second_session' })
  first.send('alive')
  expect(await nextMessage(first)).toBe('alive')
  await other.close()
})
