import { once } from 'node:events'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import {
  type Answer,
  type Rim,
  type RimOptions,
  closeCode,
  openRim,
  upgradeResult,
} from '../../../test/support/network-rim.ts'
import { listeningInodes } from './port-holder.ts'
import { routes } from './routes.ts'

const password = 'correct horse battery'
const runSecret = 'run-secret-of-this-start-0123456789abcdefghi'
const reports: unknown[] = []
const images: string[] = []
let rim: Rim

beforeAll(async () => {
  rim = await openRim({
    enrolment: { mode: 'open' },
    auth: { runSecret },
    http: {
      onTelemetry: async (deviceId, body) => {
        reports.push([deviceId, body])
        return { accepted: 1, rejected: [] }
      },
      onImage: async ({ path, name }) => {
        images.push((await readFile(path)).toString('utf8'))
        return { name }
      },
    },
  })
  await mkdir(join(rim.dir, 'console/assets'), { recursive: true })
  await writeFile(join(rim.dir, 'console/index.html'), '<!doctype html><html><head></head><body>Roost</body></html>')
  await writeFile(join(rim.dir, 'console/assets/app-1a2b.js'), 'export {}')
  await rim.auth.createOwner('ada', password)
})
afterAll(() => rim.close())

async function fresh(options: RimOptions = {}): Promise<Rim> {
  const other = await openRim(options)
  onTestFinished(() => other.close())
  return other
}

const json = { 'content-type': 'application/json' }
const post = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { ...json, ...headers },
  body: JSON.stringify(body),
})
const refusalOf = (answer: Answer) => [answer.status, (answer.json()['error'] as { code: string }).code]

async function cookie(of: Rim = rim, kind: 'tls' | 'loopback' = 'tls'): Promise<string> {
  const answer = await of.ask(kind, '/auth/sign-in', post({ name: 'ada', password }))
  expect(answer.status).toBe(200)
  return String(answer.headers['set-cookie']).split(';', 1)[0] ?? ''
}

test('what is served is exactly the route table', () => {
  const table = Object.values(routes).map(({ method, path }) => `${method} ${path}`)
  expect(rim.http.served.toSorted()).toEqual(table.toSorted())
})

test.each(Object.entries(routes).filter(([, { method }]) => method !== 'UPGRADE'))(
  'without credentials %s answers as its scope says',
  async (_name, { method, path, scope }) => {
    const answer = await rim.ask('tls', path.replace('*', 'fleet'), { method, headers: json })
    if (scope === 'console' || scope === 'device' || scope === 'client') expect(answer.status).toBe(401)
    if (scope === 'setup') expect([400, 403]).toContain(answer.status)
    if (scope === 'public' && method === 'GET') expect(answer.status).toBe(200)
    expect(answer.status).toBeLessThan(500)
  },
)

test.each(['tls', 'loopback'] as const)('health and the CA are open on %s', async (kind) => {
  expect((await rim.ask(kind, '/api/health')).json()).toEqual({ ok: true, version: '0.0.0-test' })
  expect((await rim.ask(kind, '/ca.pem')).text).toBe(rim.certificates.caPem)
  const guide = await rim.ask(kind, '/ca')
  expect(guide.text).toContain(rim.certificates.fingerprint)
  expect(guide.text).not.toContain('<script')
})

test('a provisioned board gets the addresses of the listener and the host that it asked', async () => {
  const tls = (await rim.provision({ device_id: 'p-1' })).json()
  const at = `localhost:${rim.http.ports.https}`
  expect(tls).toMatchObject({
    session_url: `wss://${at}/session`,
    tools_url: `wss://${at}/tools`,
    telemetry_url: `https://${at}/telemetry`,
    agent: { id: 'home', name: 'Home', language: 'en' },
    ca_fingerprint: rim.certificates.fingerprint,
  })
  expect(Date.parse(String(tls['token_expires_at'])) - Number(tls['server_time'])).toBeGreaterThan(86_000_000)
  expect(tls['token']).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(Object.keys(tls)).not.toContain('firmware')

  const plain = (await rim.provision({ device_id: 'p-2' }, {}, 'loopback')).json()
  expect(plain['session_url']).toBe(`ws://127.0.0.1:${rim.http.ports.loopback}/session`)
})

test('a foreign host name is never repeated in an address', async () => {
  const reply = (await rim.provision({ device_id: 'p-3' }, { host: 'evil.example' })).json()
  expect(String(reply['session_url'])).not.toContain('evil')
})

test.each([
  ['no JSON', '{', 400],
  ['an array', '[]', 400],
  ['no device_id', '{}', 400],
  ['too large', JSON.stringify({ device_id: 'x'.repeat(70_000) }), 413],
])('a provisioning body that is %s is refused as bad_request', async (_name, body, status) => {
  const answer = await rim.ask('tls', '/provision', { method: 'POST', headers: json, body })
  expect(refusalOf(answer)).toEqual([status, 'bad_request'])
  expect(answer.headers['connection']).toBe('close')
})

test('another media type is 400', async () => {
  const answer = await rim.ask('tls', '/provision', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: '{}',
  })
  expect(refusalOf(answer)).toEqual([400, 'bad_request'])
})

test('in approve mode the code and the request secret travel as the protocol says', async () => {
  const other = await fresh()
  const first = await other.provision({ device_id: 'q' })
  expect([first.status, first.json()]).toEqual([
    202,
    {
      status: 'pending',
      code: expect.stringMatching(/^\d{6}$/) as string,
      request: expect.any(String) as string,
      retry_after: 5,
    },
  ])
  other.enrolment.approve(String(first.json()['code']))
  const second = await other.provision({ device_id: 'q', request: first.json()['request'] })
  expect(second.status).toBe(200)
  for (let n = 0; n < 10; n++) await other.provision({ device_id: 'z' })
  const tooOften = await other.provision({ device_id: 'z' })
  expect(refusalOf(tooOften)).toEqual([429, 'too_many'])
  expect(Number(tooOften.headers['retry-after'])).toBeGreaterThan(0)
})

test('a claim of another board is 403 claim_other_device', async () => {
  const claim = await rim.claims.make({ deviceId: 'somebody' })
  expect(refusalOf(await rim.provision({ device_id: 'nobody', claim }))).toEqual([403, 'claim_other_device'])
  expect(refusalOf(await rim.provision({ device_id: 'nobody', claim: 'x' }))).toEqual([403, 'claim_unknown'])
})

test('telemetry needs the device token, plain or gzip, and says what it kept', async () => {
  const token = String((await rim.provision({ device_id: 't-1' })).json()['token'])
  const headers = { ...json, authorization: `Bearer ${token}` }
  const body = JSON.stringify({ metrics: { rssi_dbm: -60 } })
  const plain = await rim.ask('tls', '/telemetry', { method: 'POST', headers, body })
  expect([plain.status, plain.json()]).toEqual([202, { accepted: 1, rejected: [] }])
  const zipped = { method: 'POST', headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body) }
  expect((await rim.ask('tls', '/telemetry', zipped)).status).toBe(202)
  expect(reports).toEqual([
    ['t-1', { metrics: { rssi_dbm: -60 } }],
    ['t-1', { metrics: { rssi_dbm: -60 } }],
  ])
  const wrong = { ...headers, 'device-id': 'other' }
  expect(refusalOf(await rim.ask('tls', '/telemetry', { method: 'POST', headers: wrong, body }))).toEqual([
    401,
    'wrong_device',
  ])
})

test('256 KiB of telemetry holds before and after gunzip', async () => {
  const token = String((await rim.provision({ device_id: 't-2' })).json()['token'])
  const headers = { ...json, authorization: `Bearer ${token}` }
  const big = JSON.stringify({ logs: [{ line: 'x'.repeat(300_000) }] })
  const bomb = { method: 'POST', headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(big) }
  expect((await rim.ask('tls', '/telemetry', bomb)).status).toBe(413)
  expect((await rim.ask('tls', '/telemetry', { method: 'POST', headers, body: big })).status).toBe(413)
})

test.each([
  ['localhost', undefined, 200],
  ['127.0.0.1', undefined, 200],
  ['[::1]', undefined, 200],
  ['evil.example', undefined, 403],
  ['localhost.evil.example', undefined, 403],
  ['8.8.8.8', undefined, 403],
  ['a b', undefined, 403],
  ['localhost', 'self', 200],
  ['localhost', 'https://evil.example', 403],
  ['localhost', 'null', 403],
  ['localhost', 'https://localhost:1', 403],
  ['localhost', 'file://localhost', 403],
])('the page at host %s for origin %s is %i', async (host, origin, status) => {
  const port = rim.http.ports.https
  const headers: Record<string, string> = { host: `${host}:${port}` }
  if (origin !== undefined) headers['origin'] = origin === 'self' ? `https://localhost:${port}` : origin
  expect((await rim.ask('tls', '/', { headers })).status).toBe(status)
  expect((await rim.ask('tls', '/auth/state', { headers })).status).toBe(status)
  const socket = rim.socket('tls', '/rpc', { headers: { ...headers, Cookie: await cookie() } })
  const result = await upgradeResult(socket)
  expect(result.open ? 200 : result.status).toBe(status)
  socket.terminate()
})

test('the page comes with a strict policy, a fresh nonce and every path of its own router', async () => {
  const [one, two] = [await rim.ask('tls', '/'), await rim.ask('tls', '/fleet/board-1')]
  const nonce = /<meta name="csp-nonce" nonce="([^"]+)">/.exec(one.text)?.[1]
  const policy = String(one.headers['content-security-policy'])
  expect(policy).toContain(`'nonce-${nonce}'`)
  expect(policy).not.toContain('unsafe')
  expect(policy).toContain("frame-ancestors 'none'")
  expect(two.status).toBe(200)
  expect(two.text).not.toContain(String(nonce))
  const script = await rim.ask('tls', '/assets/app-1a2b.js')
  expect([script.text, script.headers['cache-control']]).toEqual(['export {}', 'public, max-age=31536000, immutable'])
})

test.each(['/toolbox/tool/lamp.set', '/toolbox/tool/lamp.js', '/things/fan.v2', '/devices/a.b/tools'])(
  'a name with a dot is a place in the page too, not a file: %s',
  async (path) => {
    const answer = await rim.ask('tls', path)
    expect([answer.status, answer.text.includes('Roost')]).toEqual([200, true])
  },
)

test.each([
  '/firmware/x.bin',
  '/api/nothing',
  '/xiaozhi/ota/',
  '/assets/none.js',
  '/assets/..%2f..%2froost.db',
  '/..%2froost.js',
  '/%00.js',
])('%s is 404', async (path) => {
  expect(refusalOf(await rim.ask('tls', path))).toEqual([404, 'server-not-found'])
})

test('an image goes to disk and to its feature, and leaves no file behind', async () => {
  const headers = { authorization: `Bearer ${runSecret}`, 'content-type': 'application/octet-stream' }
  const named = { ...headers, 'x-image-name': encodeURIComponent('灯.bin') }
  const answer = await rim.ask('loopback', '/api/images', { method: 'POST', headers: named, body: 'bytes' })
  expect([answer.status, answer.json(), images]).toEqual([200, { name: '灯.bin' }, ['bytes']])
  const bad = { ...headers, 'x-image-name': '..%2f..%2fetc' }
  expect((await rim.ask('loopback', '/api/images', { method: 'POST', headers: bad, body: 'x' })).status).toBe(400)
  // The answer does not wait for the file to go.
  await vi.waitFor(async () => expect(await readdir(join(rim.dir, 'uploads'))).toEqual([]))
})

test('a taken port is an error that names its holder, and never another port', async () => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  onTestFinished(() => void blocker.close())
  const { port } = blocker.address() as AddressInfo
  const failed = openRim({ http: { loopbackPort: port } })
  await expect(failed).rejects.toMatchObject({
    code: 'server-port-taken',
    message: expect.stringMatching(`Port ${port} .* in use by .*pid ${process.pid}`) as string,
  })
})

test('the table of the kernel is read by port and state', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:20FB 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1',
    '   1: 0100007F:20FB 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 4712 1',
  ].join('\n')
  expect([listeningInodes(table, 8443), listeningInodes(table, 8444)]).toEqual([['4711'], []])
})

test('the plain listener is reachable on both loopback families and on nothing else', async () => {
  const reach = (host: string) =>
    new Promise((resolve) => {
      const socket = connect(rim.http.ports.loopback, host)
      socket.once('connect', () => (socket.destroy(), resolve('open')))
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    })
  const outside = rim.http.consoleUrls().map((url) => new URL(url).hostname.replace(/[[\]]/g, ''))
  expect(await reach('127.0.0.1')).toBe('open')
  for (const host of outside.filter((name) => name !== 'localhost')) expect(await reach(host)).toBe('ECONNREFUSED')
})

test('closing sends 1001 to every open socket', async () => {
  const other = await openRim({ enrolment: { mode: 'open' } })
  const token = String((await other.provision({ device_id: 'c' })).json()['token'])
  const socket = new WebSocket(`ws://127.0.0.1:${other.http.ports.loopback}/session`, {
    headers: { Authorization: `Bearer ${token}`, 'Device-Id': 'c', 'Protocol-Version': '1' },
  })
  await once(socket, 'open')
  const closed = closeCode(socket)
  await other.close()
  expect(await closed).toBe(1001)
})
