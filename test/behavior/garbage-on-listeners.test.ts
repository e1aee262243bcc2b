import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { byHeaders, enrol, helloMessage, openChannel, openSession, openTools, post } from '../support/foreign-client.ts'
import {
  dial,
  encodeFrame,
  type ForeignSocket,
  isForeignRefusal,
  openForeignSocket,
} from '../support/foreign-socket.ts'
import { createHostile } from '../support/hostile-input.ts'
import { type RoostBench, startRoost } from '../support/roost-server.ts'
import { readRunFile } from '../../electron/server/run-file.ts'

const seed = 4_711

/** Sends bytes and reads until the server closes, or 3 s. */
async function exchange(socket: Socket, bytes: string | Uint8Array): Promise<string> {
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => void parts.push(part))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.setTimeout(3_000, () => socket.destroy())
  socket.end(bytes)
  await closed
  return Buffer.concat(parts).toString('latin1')
}

const plainPort = (roost: RoostBench) => connect(roost.server.ports.loopback, '127.0.0.1').on('error', () => undefined)

test('garbage instead of HTTP is answered with bad_request over TLS and in the clear, and health stays under a second', async () => {
  const roost = await startRoost()
  const overTls = async () => dial({ url: roost.url, ca: roost.ca })
  expect(await exchange(await overTls(), 'FLY / NOWHERE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400[^]*"code":"bad_request"/)
  expect(await exchange(plainPort(roost), 'FLY / NOWHERE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400[^]*"code":"bad_request"/)
  const longHeaders = `GET /api/health HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`
  expect(await exchange(await overTls(), longHeaders)).toMatch(/^HTTP\/1\.1 431[^]*"code":"bad_request"/)
  // No TLS at all on the TLS port.
  const raw = connect(roost.server.ports.https, '127.0.0.1').on('error', () => undefined)
  await exchange(raw, 'GET / HTTP/1.1\r\n\r\n')

  const hostile = createHostile(seed)
  for (let n = 0; n < 150; n += 1) {
    const socket =
      n % 3 === 0 ? await overTls() : n % 3 === 1 ? plainPort(roost) : connect(roost.server.ports.https, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.end(hostile.bytes(600))
    if (n % 30 === 0) expect(await roost.isHealthy()).toBe(true)
  }
  expect(await roost.isHealthy()).toBe(true)
  expect(roost.logs.filter((line) => line.includes('"level":"error"'))).toEqual([])
  const refused = roost.logs.filter((line) => line.includes('"connection refused"'))
  expect(refused.join()).toContain('"code":"iotta-bad-request"')
})

test('a flood of connections that say nothing leaves the console and a board usable', async () => {
  const roost = await startRoost()
  const board = roost.board({ deviceId: 'calm-1' })
  await board.online
  const idle = Array.from({ length: 400 }, () =>
    connect(roost.server.ports.https, '127.0.0.1').on('error', () => undefined),
  )
  const half = Array.from({ length: 200 }, () => plainPort(roost))
  for (const socket of half) socket.write('POST /provision HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
  expect(await roost.isHealthy()).toBe(true)
  const client = await roost.rpc()
  await client.talk.type({ deviceId: 'calm-1', text: 'turn on the lamp' })
  await expect.poll(() => board.of('turn').length, { timeout: 20_000 }).toBe(1)
  expect(await roost.isHealthy()).toBe(true)
  for (const socket of [...idle, ...half]) socket.destroy()
})

test('messages that break the schema get bad_message, and the twentieth in a minute closes with 4422', async () => {
  const roost = await startRoost()
  const { session } = await openSession(roost, 'rude-1')
  for (let n = 0; n < 19; n += 1) session.send(n % 2 === 0 ? 'no json' : '{"type":"listen","state":"maybe"}')
  session.say({ type: 'listen', state: 'start' })
  session.say({ type: 'abort' })
  session.send('{"state":"start"}')
  expect(await session.closed).toBe(4422)
  const errors = session.messages.flatMap(({ text }) =>
    text?.includes('"error"') === true ? [JSON.parse(text) as object] : [],
  )
  expect(errors).toHaveLength(20)
  for (const error of errors) expect(error).toMatchObject({ type: 'error', code: 'bad_message' })
  expect(JSON.stringify(errors)).not.toMatch(/node_modules|\.ts|at [A-Z]\w+\./)
  await expect.poll(() => roost.logs.find((line) => line.includes('"session closed"'))).toContain('"badMessages":20')
})

test('too much at once closes with 1009 on both channels: text, depth, frames, fragments that never end', async () => {
  const roost = await startRoost()
  const place = await enrol(roost, 'big-1')
  const credentials = byHeaders(place.token, 'big-1')
  async function closes(url: string, send: (channel: Awaited<ReturnType<typeof openChannel>>) => void) {
    const channel = await openChannel(roost, url, credentials)
    if (url === place.session_url) {
      channel.say(helloMessage)
      await channel.until(({ type }) => type === 'hello')
    }
    send(channel)
    return channel.closed
  }
  const deep = `{"type":"context","data":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`
  const large = JSON.stringify({ type: 'context', data: { a: 'x'.repeat(70_000) } })
  expect(await closes(place.session_url, (channel) => channel.send(large))).toBe(1009)
  expect(await closes(place.session_url, (channel) => channel.send(deep))).toBe(1009)
  expect(await closes(place.session_url, (channel) => channel.send(new Uint8Array(5_000)))).toBe(1009)
  expect(await closes(place.tools_url, (channel) => channel.send(large))).toBe(1009)
  expect(await closes(place.tools_url, (channel) => channel.send(deep.replace('context', 'x')))).toBe(1009)
  expect(await closes(place.tools_url, (channel) => channel.send(new Uint8Array(4)))).toBe(1003)
  const endless = (channel: Awaited<ReturnType<typeof openChannel>>) => {
    channel.frame(1, Buffer.from('{'), { fin: false })
    for (let n = 0; n < 100; n += 1) channel.frame(0, Buffer.from(' '), { fin: false })
  }
  expect([1002, 1008, 1009]).toContain(await closes(place.session_url, endless))
  const announced = encodeFrame({ opcode: 2, payload: Buffer.alloc(0), fin: true, mask: true })
  announced[1] = 0xff
  const huge = Buffer.concat([announced.subarray(0, 2), Buffer.from([0, 0, 0, 9, 0, 0, 0, 0]), Buffer.alloc(4)])
  expect(await closes(place.session_url, (channel) => channel.raw(huge))).toBe(1009)
  expect(await roost.isHealthy()).toBe(true)
})

test('frames that break RFC 6455 close with a protocol error and nothing else', async () => {
  const roost = await startRoost()
  for (const [frame, code] of [
    [encodeFrame({ opcode: 1, payload: Buffer.from('{}'), fin: true, mask: false }), 1002],
    [encodeFrame({ opcode: 3, payload: Buffer.from('{}'), fin: true, mask: true }), 1002],
    [encodeFrame({ opcode: 9, payload: Buffer.alloc(200), fin: true, mask: true }), 1002],
    [encodeFrame({ opcode: 1, payload: Buffer.from([0xff, 0xfe]), fin: true, mask: true }), 1007],
  ] as const) {
    const { session } = await openSession(roost, `rfc-${code}-${frame.length}`)
    session.raw(frame)
    expect(await session.closed).toBe(code)
  }
})

function pester(socket: ForeignSocket, hostile: ReturnType<typeof createHostile>): void {
  for (let n = 0; n < 60; n += 1) {
    if (hostile.random() < 0.5) socket.send(hostile.text())
    else if (hostile.random() < 0.7) socket.send(hostile.bytes(500))
    else socket.raw(hostile.bytes(40))
  }
  socket.socket.destroySoon()
}

test('random frames to all three sockets never stop the server nor the boards beside', async () => {
  const roost = await startRoost()
  const hostile = createHostile(seed)
  const board = roost.board({ deviceId: 'beside-1' })
  await board.online
  const run = readRunFile(roost.dataDir)!
  for (let round = 0; round < 8; round += 1) {
    const { place, session } = await openSession(roost, `fuzz-${round}`)
    const tools = await openTools(roost, place, { deviceId: `fuzz-${round}`, tools: {} })
    const console = await openForeignSocket(
      { url: `${roost.loopback.replace('http', 'ws')}/rpc` },
      { Authorization: `Bearer ${run.secret}` },
    )
    for (const socket of [session, tools.channel, console]) pester(socket, hostile)
    expect(await roost.isHealthy()).toBe(true)
  }
  const client = await roost.rpc()
  await client.talk.type({ deviceId: 'beside-1', text: 'turn on the lamp' })
  await expect.poll(() => board.of('turn').length, { timeout: 20_000 }).toBe(1)
  expect(board.of('closed')).toEqual([])
})

test('bodies that are broken, too large or bombs get 400 or 413 by their code, on every route that takes one', async () => {
  const roost = await startRoost()
  const place = await enrol(roost, 'body-1')
  const run = readRunFile(roost.dataDir)!
  const bearer = { Authorization: `Bearer ${place.token}` }
  const bomb = gzipSync(Buffer.alloc(20_000_000, 0x20))
  const attempts: [string, string | Uint8Array, Record<string, string>, number, string][] = [
    ['/provision', '{', {}, 400, 'bad_request'],
    ['/provision', '[]', {}, 400, 'bad_request'],
    [
      '/provision',
      `{"device_id":"${'x'.repeat(65)}","board":"b","fw":{"name":"f","version":"1"}}`,
      {},
      400,
      'bad_request',
    ],
    ['/provision', 'x'.repeat(65_537), {}, 413, 'bad_request'],
    ['/provision', Buffer.from([0x7b, 0xff, 0x7d]), {}, 400, 'bad_request'],
    ['/telemetry', 'null', bearer, 400, 'bad_request'],
    ['/telemetry', JSON.stringify(Array(501).fill({})), bearer, 400, 'bad_request'],
    ['/telemetry', 'x'.repeat(262_145), bearer, 413, 'bad_request'],
    ['/telemetry', bomb, { ...bearer, 'Content-Encoding': 'gzip' }, 413, 'bad_request'],
    ['/telemetry', 'no gzip', { ...bearer, 'Content-Encoding': 'gzip' }, 400, 'bad_request'],
    ['/auth/sign-in', '{', {}, 400, 'server-bad-request'],
    ['/nowhere', '{}', {}, 404, 'server-not-found'],
  ]
  for (const [path, body, headers, status, code] of attempts) {
    const server = path.startsWith('/auth') || path === '/nowhere' ? { url: roost.loopback } : roost
    const answer = await post(server, path, { body, headers })
    expect([path, answer.status, (answer.body as { error: { code: string } }).error.code]).toEqual([path, status, code])
    expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|SQLITE|\.ts\b/)
  }
  const image = await post({ url: roost.loopback }, '/api/images', {
    body: 'this is no image',
    headers: {
      Authorization: `Bearer ${run.secret}`,
      'Content-Type': 'application/octet-stream',
      'x-image-name': 'a.bin',
    },
  })
  expect([image.status, (image.body as { error: { code: string } }).error.code]).toEqual([400, 'image-not-esp'])
  expect(await roost.isHealthy()).toBe(true)
})

test('an upgrade to nowhere, or without being one, is refused with a code before the 101', async () => {
  const roost = await startRoost()
  const refused = async (path: string, headers: Record<string, string>) =>
    openForeignSocket({ url: `${roost.url}${path}`, ca: roost.ca }, headers).catch((error: unknown) =>
      isForeignRefusal(error) ? [error.status, JSON.parse(error.body) as unknown] : error,
    )
  expect(await refused('/nowhere', {})).toMatchObject([404, { error: { code: 'server-not-found' } }])
  expect(await refused('/session', {})).toMatchObject([400, { error: { code: 'bad_request' } }])
  expect(await refused('/session', { 'Sec-WebSocket-Protocol': 'iotta.v1, iotta.authorization.===' })).toMatchObject([
    400,
    {},
  ])
  expect(await refused('/rpc', {})).toMatchObject([403, { error: { code: 'setup-needed' } }])
})
