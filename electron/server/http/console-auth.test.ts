import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  type Answer,
  type Rim,
  type RimOptions,
  closeCode,
  nextMessage,
  openRim,
  upgradeResult,
} from '../../../test/support/network-rim.ts'

const password = 'correct horse battery'
const runSecret = 'run-secret-of-this-start-0123456789abcdefghi'
let rim: Rim

beforeAll(async () => {
  rim = await openRim({ auth: { runSecret, desktopSecret: 'desktop-secret' } })
  await rim.auth.createOwner('ada', password)
})
afterAll(() => rim.close())

async function fresh(options: RimOptions = {}): Promise<Rim> {
  const other = await openRim(options)
  onTestFinished(() => other.close())
  return other
}

const post = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
const refusalOf = (answer: Answer) => [answer.status, (answer.json()['error'] as { code: string }).code]

async function cookie(of: Rim = rim, kind: 'tls' | 'loopback' = 'tls'): Promise<string> {
  const answer = await of.ask(kind, '/auth/sign-in', post({ name: 'ada', password }))
  expect(answer.status).toBe(200)
  return String(answer.headers['set-cookie']).split(';', 1)[0] ?? ''
}

test('before an owner exists the LAN sees the setup page and nothing else of the console', async () => {
  const other = await fresh()
  for (const path of ['/', '/fleet', '/auth/state', '/assets/app.js', '/api/nothing']) {
    expect(refusalOf(await other.ask('tls', path))).toEqual([403, 'setup-needed'])
  }
  expect(refusalOf(await other.ask('tls', '/auth/sign-in', post({ name: 'a', password: 'b' })))).toEqual([
    403,
    'setup-needed',
  ])
  const rpc = await upgradeResult(other.socket('tls', '/rpc'))
  expect(rpc).toMatchObject({ open: false, status: 403, code: 'setup-needed' })
  expect((await other.ask('tls', '/api/health')).status).toBe(200)
  expect((await other.provision({ device_id: 'early' })).status).toBe(202)
  expect((await other.ask('loopback', '/auth/state')).json()).toMatchObject({ setupNeeded: true, account: null })
})

test('the setup address makes the owner once', async () => {
  const other = await fresh()
  const url = new URL(String(other.http.setupUrl()))
  const secret = String(url.searchParams.get('secret'))
  const page = await other.ask('tls', `${url.pathname}${url.search}`)
  expect(page.status).toBe(200)
  expect(page.text).toContain('action="/auth/setup"')
  expect((await other.ask('tls', '/setup?secret=wrong')).status).toBe(403)

  const form = (fields: Record<string, string>) => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })
  const weak = await other.ask('tls', '/auth/setup', form({ secret, name: 'ada', password: 'short' }))
  expect([weak.status, weak.text.includes('too short')]).toEqual([400, true])
  expect((await other.ask('tls', '/auth/setup', form({ secret: 'no', name: 'a', password }))).status).toBe(403)
  const done = await other.ask('tls', '/auth/setup', form({ secret, name: 'ada', password }))
  expect([done.status, done.headers['location']]).toEqual([303, '/'])
  const session = String(done.headers['set-cookie'])
  expect(session).toMatch(/^roost_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/)
  const state = await other.ask('tls', '/auth/state', { headers: { cookie: session.split(';', 1)[0] ?? '' } })
  expect(state.json()).toEqual({ setupNeeded: false, account: { name: 'ada', role: 'owner' }, version: '0.0.0-test' })
  expect(other.http.setupUrl()).toBeUndefined()
  const again = await other.ask('tls', '/auth/setup', post({ secret, name: 'eve', password }))
  expect(refusalOf(again)).toEqual([403, 'console-setup-expired'])
})

test('a shell with the secret of this start is the owner by name, so that one goes on with what the other began', async () => {
  const headers = { authorization: `Bearer ${runSecret}` }
  expect((await rim.auth.callerOf(headers, 'loopback'))?.account).toEqual({ name: 'ada', role: 'owner' })
  expect(await rim.auth.callerOf(headers, 'tls')).toBeUndefined()
  const other = await fresh({ auth: { runSecret } })
  expect((await other.auth.callerOf(headers, 'loopback'))?.account.name).toBe('local')
})

test('a signed-in socket is closed with 4401 at sign-out, and the cookie is worth nothing after it', async () => {
  const mine = await cookie()
  const socket = rim.socket('tls', '/rpc', { headers: { Cookie: mine } })
  const greeting = nextMessage(socket)
  await upgradeResult(socket)
  expect(await greeting).toBe('hello')
  const closed = closeCode(socket)
  await rim.ask('tls', '/auth/sign-out', post({}, { cookie: mine }))
  expect(await closed).toBe(4401)
  const again = await upgradeResult(rim.socket('tls', '/rpc', { headers: { Cookie: mine } }))
  expect(again).toMatchObject({ open: false, status: 401, code: 'console-sign-in-needed' })
})

test('wrong passwords are slowed down, and the owner still gets in by the other door', async () => {
  const other = await fresh()
  await other.auth.createOwner('ada', password)
  const statuses: number[] = []
  for (let n = 0; n < 5; n++) {
    statuses.push((await other.ask('tls', '/auth/sign-in', post({ name: 'ada', password: 'guess' }))).status)
  }
  expect(statuses).toEqual([401, 401, 401, 429, 429])
  await cookie(other, 'loopback')
})

test('the secrets of this start count on loopback only', async () => {
  const rpc = async (kind: 'tls' | 'loopback') => {
    const socket = rim.socket(kind, '/rpc', { headers: { Authorization: `Bearer ${runSecret}` } })
    const { open } = await upgradeResult(socket)
    socket.terminate()
    return open
  }
  expect([await rpc('tls'), await rpc('loopback')]).toEqual([false, true])
  const desktop = post({ secret: 'desktop-secret' })
  expect(refusalOf(await rim.ask('tls', '/auth/desktop', desktop))).toEqual([403, 'console-forbidden'])
  const signedIn = await rim.ask('loopback', '/auth/desktop', desktop)
  expect([signedIn.status, String(signedIn.headers['set-cookie']).includes('Secure')]).toEqual([200, false])
  expect(refusalOf(await rim.ask('loopback', '/auth/desktop', post({ secret: 'x' })))).toEqual([
    401,
    'console-sign-in-needed',
  ])
})
