import { expect, test, vi } from 'vitest'
import { LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { readRunFile } from '../../electron/server/run-file.ts'
import { connectClient, makeClient } from '../support/mcp-client.ts'
import { ask } from '../support/network-rim.ts'
import { type RoostBench, startRoost } from '../support/roost-server.ts'

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})

// Their declared type is any.
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern)
const anyNumber: unknown = expect.any(Number)

/** One raw request; the status alone. */
async function knock(url: string, headers: Record<string, string>, more: { method?: string; ca?: string } = {}) {
  const { method = 'POST', ca } = more
  const answer = await ask(`${url}/mcp`, {
    method,
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    ...(method === 'POST' ? { body: initialize } : {}),
    ...(ca === undefined ? {} : { ca }),
  })
  return answer.status
}

async function withBoards(roost: RoostBench, ids: readonly string[]) {
  const boards = ids.map((deviceId) => roost.board({ deviceId }))
  await Promise.all(boards.map((board) => board.online))
  return boards
}

test('only a live token for MCP opens the door, on both listeners and with every method', async () => {
  const roost = await startRoost()
  const rpc = await roost.rpc()
  const good = await makeClient(rpc)
  const api = await makeClient(rpc, { purpose: 'api' })
  const gone = await makeClient(rpc)
  await rpc.mcp.revokeClient({ id: gone.client.id })
  const run = readRunFile(roost.dataDir)?.secret ?? ''
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const doors = async (headers: Record<string, string>) => [
    await knock(roost.url, headers, { ca: roost.ca }),
    await knock(roost.loopback, headers),
    await knock(roost.loopback, headers, { method: 'GET' }),
    await knock(roost.loopback, headers, { method: 'DELETE' }),
  ]
  // Without a session there is nothing to listen to or to end.
  expect(await doors(bearer(good.token))).toEqual([200, 200, 400, 400])
  expect(await doors({})).toEqual([401, 401, 401, 401])
  expect(await doors(bearer(`${good.token}x`))).toEqual([401, 401, 401, 401])
  expect(await doors(bearer(gone.token))).toEqual([401, 401, 401, 401])
  expect(await doors(bearer(api.token))).toEqual([403, 403, 403, 403])
  // The secret of this start is for this machine.
  expect(await doors(bearer(run))).toEqual([401, 200, 400, 400])

  const { port } = new URL(roost.loopback)
  const pairs: [Record<string, string>, number][] = [
    [{ host: `evil.example.com:${port}` }, 403],
    [{ host: 'evil.example.com' }, 403],
    [{ origin: 'http://evil.example.com' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: `http://127.0.0.1:1` }, 403],
    [{ host: `localhost:${port}`, origin: `http://127.0.0.1:${port}` }, 403],
    [{ host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` }, 200],
    [{ host: `localhost:${port}` }, 200],
  ]
  for (const [headers, status] of pairs) {
    expect(await knock(roost.loopback, { ...bearer(good.token), ...headers }), JSON.stringify(headers)).toBe(status)
  }
  expect(JSON.stringify(roost.logs)).not.toContain(good.token)
})

test('a client sees and calls what its list, its class and its devices allow, and nothing else', async () => {
  const roost = await startRoost()
  const rpc = await roost.rpc()
  const [hall] = await withBoards(roost, ['hall', 'attic'])
  const of = async (rights: Parameters<typeof makeClient>[1]) => {
    const made = await makeClient(rpc, rights)
    const { client } = await connectClient(roost.loopback, made.token)
    const names = async () => (await client.listTools()).tools.map(({ name }) => name)
    return { id: made.client.id, client, names }
  }
  const nothing = await of({ readOnly: false })
  expect(await nothing.names()).toEqual([])
  await expect(nothing.client.callTool({ name: 'set_lamp', arguments: { on: true } })).rejects.toThrow(/Unknown tool/)

  const allowed = ['set_lamp', 'read_temperature']
  const reader = await of({ allowed })
  expect(await reader.names()).toEqual(['read_temperature'])
  await expect(reader.client.callTool({ name: 'set_lamp', arguments: { on: true } })).rejects.toThrow(/Unknown tool/)
  expect(hall?.state.lamp.on).toBe(false)

  const scoped = await of({ allowed, readOnly: false, deviceIds: ['hall'] })
  const { tools } = await scoped.client.listTools()
  expect(tools).toMatchObject([
    {
      name: 'read_temperature',
      annotations: { readOnlyHint: true, destructiveHint: false },
      outputSchema: { properties: { celsius: { type: 'number' } } },
    },
    {
      name: 'set_lamp',
      annotations: { readOnlyHint: false, idempotentHint: true },
      inputSchema: { properties: { device: { enum: [matching(/hall/)] } } },
    },
  ])
  const other = await scoped.client.callTool({ name: 'set_lamp', arguments: { device: 'attic', on: true } })
  expect(other).toMatchObject({ isError: true, content: [{ text: matching(/^mcp-device-unknown/) }] })
  const done = await scoped.client.callTool({ name: 'set_lamp', arguments: { on: true } })
  expect(done.isError).toBeUndefined()
  expect(hall?.state.lamp.on).toBe(true)
  const warm = await scoped.client.callTool({ name: 'read_temperature', arguments: { device: 'hall' } })
  expect(warm.structuredContent).toEqual({ celsius: anyNumber })
  const bad = await scoped.client.callTool({ name: 'set_lamp', arguments: { on: 'maybe' } })
  expect(bad).toMatchObject({ isError: true, content: [{ text: matching(/^tool-bad-arguments/) }] })

  const { resources } = await scoped.client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual(['roost://devices', 'roost://devices/hall/state'])
  for (const uri of ['roost://devices/attic/state', 'roost://turns/recent']) {
    await expect(scoped.client.readResource({ uri })).rejects.toMatchObject({ code: -32002 })
  }
  await rpc.mcp.updateClient({ id: scoped.id, readOnly: true, allowed, deviceIds: [], transcripts: true })
  expect(await scoped.names()).toEqual(['read_temperature'])
  const state = await scoped.client.readResource({ uri: 'roost://devices/attic/state' })
  expect(JSON.parse((state.contents[0] as { text: string }).text)).toMatchObject({
    id: 'attic',
    online: true,
    things: [],
  })
  const draft = await rpc.things.openDraft({ name: 'fan', template: 'fan' })
  const { id: bindingId } = await rpc.things.simulate({ draftId: draft.id, deviceId: 'attic' })
  await rpc.things.write({ bindingId, property: 'power', value: true })
  const drawn = await scoped.client.readResource({ uri: 'roost://devices/attic/state' })
  expect(JSON.parse((drawn.contents[0] as { text: string }).text)).toMatchObject({
    things: [{ thing: 'fan', reachable: true, values: { power: { value: true, at: matching(/^\d{4}-/) } } }],
  })
  const turns = await scoped.client.readResource({ uri: 'roost://turns/recent' })
  expect(JSON.parse((turns.contents[0] as { text: string }).text)).toEqual([])
})

test('a value of a Thing that changes is told to the clients that follow its device, and to no other', async () => {
  const roost = await startRoost()
  const rpc = await roost.rpc()
  await withBoards(roost, ['attic', 'hall'])
  const follower = await connectClient(roost.loopback, (await makeClient(rpc)).token)
  const told: string[] = []
  follower.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri))
  for (const id of ['attic', 'hall']) await follower.client.subscribeResource({ uri: `roost://devices/${id}/state` })
  const draft = await rpc.things.openDraft({ name: 'fan', template: 'fan' })
  const { id: bindingId } = await rpc.things.simulate({ draftId: draft.id, deviceId: 'attic' })
  await expect.poll(() => told).toContain('roost://devices/attic/state')
  told.length = 0
  for (const value of [true, false, true]) await rpc.things.setReading({ bindingId, property: 'power', value })
  await expect.poll(() => told).toEqual(['roost://devices/attic/state'])
  await follower.client.unsubscribeResource({ uri: 'roost://devices/attic/state' })
  await rpc.things.setReading({ bindingId, property: 'power', value: false })
  // What follows comes after what would have been told before it.
  await rpc.things.simulate({ draftId: draft.id, deviceId: 'hall' })
  await expect.poll(() => told).toContain('roost://devices/hall/state')
  expect(told.filter((uri) => uri.includes('attic'))).toHaveLength(1)
})

test('a destructive call waits for a person, is told to be alive, and runs once after the yes', async () => {
  const roost = await startRoost()
  const rpc = await roost.rpc()
  const [hall] = await withBoards(roost, ['hall'])
  const draft = await rpc.tools.openDraft({ name: 'set_fan' })
  const content = { ...draft.content, danger: 'destructive' as const }
  const saved = await rpc.tools.saveDraft({ id: draft.id, revision: draft.revision, content })
  await rpc.tools.publishDraft({ draftId: saved.id, basedOn: saved.basedOn, note: 'careful', canary: [] })
  const { token } = await makeClient(rpc, { allowed: ['set_fan'], readOnly: false })
  const { client } = await connectClient(roost.loopback, token)
  const told: unknown[] = []
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void told.push(params.data))

  async function callAndAnswer(yes: boolean) {
    const progress: (string | undefined)[] = []
    const call = client.callTool({ name: 'set_fan', arguments: { on: true } }, undefined, {
      onprogress: ({ message }) => void progress.push(message),
    })
    const stop = new AbortController()
    for await (const requests of await rpc.consents.watch(undefined, { signal: stop.signal })) {
      const waiting = requests.find(({ state }) => state === 'waiting')
      if (!waiting) continue
      expect(waiting).toMatchObject({ deviceId: 'hall', arguments: { on: true }, caller: { kind: 'client' } })
      expect(hall?.state.fan.on).toBe(false)
      await vi.waitUntil(() => progress.length > 0)
      await rpc.consents.answer({ id: waiting.id, yes })
      break
    }
    stop.abort()
    return call
  }
  const refused = await callAndAnswer(false)
  expect(refused).toMatchObject({ isError: true, content: [{ text: matching(/^mcp-consent-timeout/) }] })
  expect(hall?.state.fan.on).toBe(false)
  const granted = await callAndAnswer(true)
  expect(granted.isError).toBeUndefined()
  expect(hall?.state.fan.on).toBe(true)
  expect(told).toContain('The call waits for a person in the house')
  const calls = (await rpc.tools.calls({ name: 'set_fan', limit: 10 })).filter(({ outcome }) => outcome === 'ok')
  expect(calls).toHaveLength(1)
})

test('a revoked token ends its sessions within two seconds, and a session belongs to its client alone', async () => {
  const roost = await startRoost()
  const rpc = await roost.rpc()
  await withBoards(roost, ['hall'])
  const mine = await makeClient(rpc, { allowed: ['read_temperature'] })
  const other = await makeClient(rpc, { allowed: ['read_temperature'] })
  const { client, transport } = await connectClient(roost.loopback, mine.token)
  const session = transport.sessionId ?? ''
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
  expect(
    await knock(roost.loopback, { authorization: `Bearer ${other.token}`, ...headers }, { method: 'DELETE' }),
  ).toBe(404)
  expect((await client.listTools()).tools).toHaveLength(1)

  const stream = await fetch(`${roost.loopback}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${other.token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: initialize,
  })
  const id = stream.headers.get('mcp-session-id') ?? ''
  await stream.text()
  const listening = await fetch(`${roost.loopback}/mcp`, {
    headers: { authorization: `Bearer ${other.token}`, accept: 'text/event-stream', 'mcp-session-id': id },
  })
  expect(listening.status).toBe(200)
  const started = performance.now()
  const over = listening.text()
  await rpc.mcp.revokeClient({ id: other.client.id })
  await over
  expect(performance.now() - started).toBeLessThan(2_000)
  expect(await knock(roost.loopback, { authorization: `Bearer ${other.token}` })).toBe(401)
  // Others do not notice.
  expect((await client.listTools()).tools).toHaveLength(1)
  const { calls, lastUsedAt } = (await rpc.mcp.clients()).find((one) => one.id === mine.client.id)!
  expect([calls, lastUsedAt]).toEqual([0, null])
})

test('a client has a budget of its own', async () => {
  const roost = await startRoost()
  const rpc = await roost.rpc()
  await withBoards(roost, ['hall'])
  const make = async () => {
    const { token } = await makeClient(rpc, { allowed: ['get_volume'] })
    return (await connectClient(roost.loopback, token)).client
  }
  const [greedy, modest] = [await make(), await make()]
  const volume = { name: 'get_volume', arguments: {} }
  // More than the burst and than a slow machine is given back meanwhile.
  const answers = await Promise.allSettled(Array.from({ length: 150 }, async () => greedy.callTool(volume)))
  const refused = answers.filter((answer) => answer.status === 'rejected')
  expect(refused.length).toBeGreaterThan(10)
  expect(String(refused[0]?.reason)).toContain('Too many calls')
  const { isError } = await modest.callTool(volume)
  // The board's own brake may have been used up by the other, but the door is open.
  expect([undefined, true]).toContain(isError)
})
