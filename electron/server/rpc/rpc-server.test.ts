import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { AppError } from '../../base/app-error.ts'
import { createLiveFeed } from '../../base/live-feed.ts'
import { createLog, silentLog } from '../../base/log.ts'
import { contract, type FleetEvent } from '../../contract/rpc.ts'
import type { RpcFeatures } from './handlers.ts'
import { type RpcConnection, connectRpc, fromWire } from './rpc-client.ts'
import { createRpcServer } from './rpc-server.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

type Row = (input: never, call: never) => unknown

/** Every row answers that it does not exist, except those given. */
function features(given: Record<string, Record<string, Row>>): RpcFeatures {
  const missing = () => {
    throw new AppError('server-not-found', 'not in this test')
  }
  const rows = Object.entries(contract).map(([area, table]) => [
    area,
    { ...Object.fromEntries(Object.keys(table).map((row) => [row, missing])), ...given[area] },
  ])
  return Object.fromEntries(rows) as RpcFeatures
}

async function serve(given: Record<string, Record<string, Row>>, log = silentLog) {
  const rpc = createRpcServer({ features: features(given), log })
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/rpc', maxPayload: 1024 * 1024 })
  server.on('connection', (socket) => {
    socket.on('error', () => undefined)
    rpc.connect(socket, { account: { name: 'ada', role: 'owner' } })
  })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  closers.push(() => {
    server.clients.forEach((client) => client.terminate())
    server.close()
  })
  return { url, server }
}

async function connected(url: string): Promise<RpcConnection> {
  const connection = await connectRpc({ url, token: 'x' })
  closers.push(() => connection.close())
  return connection
}

async function rawSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc`)
  await once(socket, 'open')
  closers.push(() => socket.terminate())
  return socket
}

test('a call reaches its feature with its input and its caller', async () => {
  const seen: unknown[] = []
  const rename = (input: unknown, { account }: { account: unknown }) => {
    seen.push(input, account)
    return { ok: true }
  }
  const { url } = await serve({ fleet: { rename } })
  const { client } = await connected(url)
  expect(await client.fleet.rename({ deviceId: 'a', name: ' Desk ' })).toEqual({ ok: true })
  expect(seen).toEqual([
    { deviceId: 'a', name: 'Desk' },
    { name: 'ada', role: 'owner' },
  ])
})

test('an error of ours arrives with its code', async () => {
  const { url } = await serve({})
  const { client } = await connected(url)
  const error = fromWire(await client.jobs.get({ id: 'x' }).catch((reason: unknown) => reason))
  expect([error.code, error.message]).toEqual(['server-not-found', 'not in this test'])
})

test('an unknown error arrives without its text but with an id that the log has', async () => {
  const lines: string[] = []
  const log = createLog({ target: { write: (line) => lines.push(line) } })
  const approve = () => {
    throw new TypeError('secret detail at /home/x')
  }
  const { url } = await serve({ enrolment: { approve } }, log)
  const { client } = await connected(url)
  const error = fromWire(await client.enrolment.approve({ code: '1' }).catch((reason: unknown) => reason))
  expect(error.code).toBe('server-internal')
  expect(error.message).not.toContain('secret')
  const id = /\((.+)\)/.exec(error.message)?.[1]
  expect(lines.join('')).toContain(`"id":"${id}"`)
})

test("a broken input is the caller's error", async () => {
  const { url } = await serve({})
  const { client } = await connected(url)
  const error = fromWire(await client.fleet.rename({ deviceId: 'a', name: '' }).catch((reason: unknown) => reason))
  expect(error.code).toBe('server-bad-request')
})

test("an answer that breaks the contract is the server's error", async () => {
  const { url } = await serve({ telemetry: { metrics: () => [1, 2] } })
  const { client } = await connected(url)
  const error = fromWire(await client.telemetry.metrics({}).catch((reason: unknown) => reason))
  expect(error.code).toBe('server-internal')
})

test('a stream gives its snapshot and changes, and its feed is let go when the reader leaves', async () => {
  const feed = createLiveFeed<FleetEvent>()
  const watch = (_input: unknown, { signal }: { signal: AbortSignal }) =>
    feed.subscribe(signal, { snapshot: (revision) => ({ type: 'snapshot', revision, devices: [], pending: [] }) })
  const { url } = await serve({ fleet: { watch } })
  const { client } = await connected(url)
  const types: string[] = []
  for await (const event of await client.fleet.watch()) {
    types.push(event.type)
    if (types.length === 2) break
    feed.publish((revision) => ({ type: 'patch', revision, changed: [], removed: [], pending: [] }))
  }
  expect(types).toEqual(['snapshot', 'patch'])
  await expect.poll(() => feed.subscribers).toBe(0)
})

test('a dropped socket ends its streams on both sides', async () => {
  const feed = createLiveFeed<FleetEvent>()
  const watch = (_input: unknown, { signal }: { signal: AbortSignal }) =>
    feed.subscribe(signal, { snapshot: (revision) => ({ type: 'snapshot', revision, devices: [], pending: [] }) })
  const { url, server } = await serve({ fleet: { watch } })
  const { client } = await connected(url)
  const events = await client.fleet.watch()
  await events.next()
  const waiting = events.next().catch((reason: unknown) => fromWire(reason).code)
  server.clients.forEach((socket) => socket.terminate())
  expect(await waiting).toBe('console-connection-lost')
  await expect.poll(() => feed.subscribers).toBe(0)
})

test('a stream that fails halfway says why', async () => {
  async function* watch() {
    yield { type: 'snapshot', revision: 0, devices: [], pending: [] }
    throw new AppError('server-overloaded', 'too slow')
  }
  const { url } = await serve({ fleet: { watch } })
  const { client } = await connected(url)
  const events = await client.fleet.watch()
  await events.next()
  expect(fromWire(await events.next().catch((reason: unknown) => reason)).code).toBe('server-overloaded')
})

test.each([
  ['text', 'no json at all'],
  ['json', '{"half":true}'],
  ['bytes', Uint8Array.of(1, 2, 3)],
])('twenty frames of %s that are no calls close the socket with 1008', async (_name, frame) => {
  const { url } = await serve({})
  const socket = await rawSocket(url)
  const closed = once(socket, 'close')
  for (let n = 0; n < 20; n++) socket.send(frame)
  expect((await closed)[0]).toBe(1008)
})

test('a flood of messages closes the socket with 1008', async () => {
  const { url } = await serve({})
  const socket = await rawSocket(url)
  const closed = once(socket, 'close')
  for (let n = 0; n < 2_000; n++) socket.send(JSON.stringify({ i: String(n), p: { u: '/server/overview' } }))
  expect((await closed)[0]).toBe(1008)
})

test('a reader that stands still holds the stream back', async () => {
  let made = 0
  const devices = Array.from({ length: 50 }, () => ({ code: 'x'.repeat(1_000) }))
  async function* watch() {
    for (;;) {
      made += 1
      yield { type: 'patch', revision: made, changed: [], removed: devices.map(({ code }) => code), pending: [] }
    }
  }
  const { url, server } = await serve({ fleet: { watch } })
  const socket = await rawSocket(url)
  socket.pause()
  socket.send(JSON.stringify({ i: '1', p: { u: 'http://x/fleet/watch', b: {} } }))
  await expect.poll(() => [...server.clients][0]?.bufferedAmount ?? 0, { timeout: 8_000 }).toBeGreaterThan(256 * 1024)
  const before = made
  // Many turns of the loop later nothing more was made.
  for (let n = 0; n < 200; n++) await new Promise((resolve) => setImmediate(resolve))
  expect(made - before).toBeLessThanOrEqual(1)
})

test('nobody at the address is server-not-running', async () => {
  await expect(connectRpc({ url: 'http://127.0.0.1:9', token: 'x' })).rejects.toMatchObject({
    code: 'server-not-running',
  })
})
