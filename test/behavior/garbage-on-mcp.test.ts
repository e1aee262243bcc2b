import { expect, test } from 'vitest'
import type { RpcClient } from '../../electron/server/rpc/rpc-client.ts'
import { createHostile } from '../support/hostile-input.ts'
import { connectClient, makeClient } from '../support/mcp-client.ts'
import { ask } from '../support/network-rim.ts'
import { type RoostBench, startRoost } from '../support/roost-server.ts'

const seed = 8_105
const rounds = 300

/** A program that has a token and sends what it likes. */
async function openAttacker(roost: RoostBench, rpc: RpcClient) {
  const { token } = await makeClient(rpc)
  return (body: string | Buffer, session?: string) =>
    ask(`${roost.loopback}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body,
    })
}

function countOf(statuses: readonly number[], from: number, to: number): number {
  return statuses.filter((status) => status >= from && status < to).length
}

test('hostile bodies on /mcp get a refusal of the protocol, and a client beside them notices nothing', async () => {
  const roost = await startRoost()
  const rpc = await roost.rpc()
  const attack = await openAttacker(roost, rpc)
  const { client: calm } = await connectClient(roost.loopback, (await makeClient(rpc)).token)
  const hostile = createHostile(seed)
  const statuses: number[] = []
  for (let n = 0; n < rounds; n += 1) {
    const body = n % 4 === 0 ? Buffer.from(hostile.bytes(600)) : hostile.text()
    const session = n % 5 === 0 ? encodeURIComponent(hostile.text().toWellFormed()).slice(0, 200) : undefined
    statuses.push((await attack(body, session)).status)
    if (n % 60 === 0) expect(await calm.listTools()).toHaveProperty('tools')
  }
  expect(countOf(statuses, 400, 500)).toBe(rounds)
  // Not all of them because there were too many.
  expect(statuses.filter((status) => status === 400).length).toBeGreaterThan(50)
  expect(await roost.isHealthy()).toBe(true)
  expect(roost.logs.filter((line) => line.includes('"level":"error"'))).toEqual([])
})

test('inside of a session, broken requests are answered or refused and never fail the server', async () => {
  const roost = await startRoost()
  const rpc = await roost.rpc()
  const attack = await openAttacker(roost, rpc)
  const begun = await attack(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}',
  )
  const session = String(begun.headers['mcp-session-id'])
  const hostile = createHostile(seed)
  const methods = ['tools/call', 'tools/list', 'resources/read', 'resources/subscribe', 'notifications/cancelled', 'x']
  const statuses: number[] = []
  for (let n = 0; n < rounds; n += 1) {
    const method = methods[n % methods.length]
    const params =
      n % 2 === 0 ? hostile.text() : '{"name":"get_time","arguments":{"a":[1]},"uri":"roost://devices/../x"}'
    const id = n % 7 === 0 ? '{}' : String(n)
    statuses.push(
      (await attack(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`, session)).status,
    )
  }
  expect(countOf(statuses, 500, 600)).toBe(0)
  expect(countOf(statuses, 200, 300)).toBeGreaterThan(20)
  expect(await roost.isHealthy()).toBe(true)
  expect(roost.logs.filter((line) => line.includes('"level":"error"'))).toEqual([])
})
