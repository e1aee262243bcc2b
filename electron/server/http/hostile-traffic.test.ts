import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Rim, openRim } from '../../../test/support/network-rim.ts'
import { createLog } from '../../base/log.ts'

const runSecret = 'run-secret-of-this-start-0123456789abcdefghi'
let rim: Rim

beforeAll(async () => {
  rim = await openRim({ enrolment: { mode: 'open' }, auth: { runSecret } })
})
afterAll(() => rim.close())

test('an image over 64 MiB is 413 and leaves no file behind', async () => {
  const socket = rim.raw('loopback')
  await once(socket, 'connect')
  const received = collect(socket)
  const size = 65 * 1024 * 1024
  socket.write(
    `POST /api/images HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${runSecret}\r\nX-Image-Name: a\r\n` +
      `Content-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n`,
  )
  const closed = once(socket, 'close')
  const mebibyte = Buffer.alloc(1024 * 1024)
  for (let sent = 0; sent < size && !socket.destroyed; sent += mebibyte.length) {
    socket.write('100000\r\n')
    socket.write(mebibyte)
    if (!socket.write('\r\n')) await Promise.race([once(socket, 'drain').catch(() => undefined), closed])
  }
  await expect.poll(received).toContain('413')
  socket.destroy()
  await expect.poll(() => readdir(join(rim.dir, 'uploads'))).toEqual([])
})

function collect(socket: Socket): () => string {
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  socket.on('error', () => undefined)
  return () => text
}

async function connectRaw(kind: 'tls' | 'loopback') {
  const socket = rim.raw(kind)
  const received = collect(socket)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, kind === 'tls' ? 'secureConnect' : 'connect')
  return { socket, received, closed }
}

test.each(['tls', 'loopback'] as const)('garbage on %s is refused with JSON and health stays up', async (kind) => {
  for (const garbage of ['\0\x01\x02\xff'.repeat(50), 'GET\r\n\r\n', 'BREW / HTCPCP/1.0\r\n\r\n']) {
    const { socket, received, closed } = await connectRaw(kind)
    socket.write(garbage)
    await closed
    expect(received()).toMatch(/^HTTP\/1\.1 400 [^]*\{"error":\{"code":"bad_request"/)
  }
  expect((await rim.ask(kind, '/api/health')).status).toBe(200)
})

test.each(['tls', 'loopback'] as const)('headers over 16 KiB on %s are 431, on an upgrade too', async (kind) => {
  for (const more of ['', 'Connection: Upgrade\r\nUpgrade: websocket\r\n']) {
    const { socket, received, closed } = await connectRaw(kind)
    socket.write(`GET /session HTTP/1.1\r\nHost: localhost\r\n${more}X: ${'y'.repeat(20_000)}\r\n\r\n`)
    await closed
    expect(received()).toMatch(/^HTTP\/1\.1 431 /)
  }
})

test('plain HTTP on the TLS port, and TLS garbage, end without harm', async () => {
  for (const bytes of ['GET / HTTP/1.1\r\n\r\n', '\x16\x03\x01\xff\xff'.repeat(100)]) {
    const socket = connect(rim.http.ports.https, '127.0.0.1')
    collect(socket)
    const closed = once(socket, 'close')
    socket.write(bytes, 'latin1')
    socket.end()
    await closed
  }
  expect((await rim.ask('tls', '/api/health')).status).toBe(200)
})

test.each(['tls', 'loopback'] as const)(
  'half a request on %s is cut within 15 s, while others are served',
  { timeout: 30_000 },
  async (kind) => {
    const { socket, received, closed } = await connectRaw(kind)
    const started = performance.now()
    socket.write('GET /api/health HTTP/1.1\r\nHost: loc')
    expect((await rim.ask(kind, '/api/health')).status).toBe(200)
    await closed
    expect(performance.now() - started).toBeLessThan(15_000)
    expect(received()).toMatch(/^HTTP\/1\.1 408 /)
  },
)

test.each([
  ['/provision', 'application/json'],
  ['/api/images', 'application/octet-stream'],
])('a peer that goes away in the middle of %s is no error of the server', async (path, type) => {
  const lines: string[] = []
  const log = createLog({ level: 'debug', target: { write: (line) => void lines.push(line) } })
  const other = await openRim({ auth: { runSecret }, http: { log } })
  onTestFinished(() => other.close())
  const socket = other.raw('loopback')
  await once(socket, 'connect')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${runSecret}\r\nX-Image-Name: a\r\n` +
      `Content-Type: ${type}\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`,
  )
  await once(socket, 'data')
  socket.write('{')
  socket.destroy()
  await expect.poll(() => lines.join('')).toContain('ended before its body')
  expect(lines.join('')).not.toMatch(/"level":"(warn|error)"|"stack"/)
})

test.each([
  ['no key', 'Sec-WebSocket-Version: 13\r\n', 400],
  ['a wrong key', 'Sec-WebSocket-Key: abc\r\nSec-WebSocket-Version: 13\r\n', 400],
  ['an old version', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 8\r\n', 400],
])('an upgrade with %s is refused before the 101 and closed', async (_name, lines, status) => {
  const { socket, received, closed } = await connectRaw('loopback')
  socket.write(`GET /session HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines}\r\n`)
  await closed
  expect(received()).toMatch(
    new RegExp(`^HTTP/1\\.1 ${status} [^]*Connection: close[^]*{"error":{"code":"bad_request"`),
  )
})

test('the answer to the subprotocol list names iotta.v1 and no credential', async () => {
  const token = String((await rim.provision({ device_id: 'sub-1' })).json()['token'])
  const b64 = (text: string) => Buffer.from(text).toString('base64url')
  const list = `iotta.v1, iotta.authorization.${b64(`Bearer ${token}`)}, iotta.device-id.${b64('sub-1')}, iotta.protocol-version.${b64('1')}`
  const { socket, received } = await connectRaw('loopback')
  socket.write(
    `GET /session HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Protocol: ${list}\r\n\r\n`,
  )
  await expect.poll(received).toMatch(/\r\n\r\n$/)
  expect(received()).toMatch(/^HTTP\/1\.1 101 /)
  expect(received()).toContain('Sec-WebSocket-Protocol: iotta.v1\r\n')
  expect(received()).not.toContain(b64(`Bearer ${token}`))
  expect(received()).not.toContain('Sec-WebSocket-Extensions')
  socket.destroy()
})
