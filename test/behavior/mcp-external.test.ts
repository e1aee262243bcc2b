import { expect, test } from 'vitest'
import { fixtureServer } from '../support/mcp-external.ts'
import { connectClient, makeClient } from '../support/mcp-client.ts'
import { startRoost } from '../support/roost-server.ts'

test('a tool of an outside server is called on a board after the yes, and again after a restart of the house', async () => {
  const first = await startRoost()
  const rpc = await first.rpc()
  const board = first.board({ deviceId: 'hall' })
  await board.online
  const { id } = await rpc.mcp.putServer({ server: fixtureServer('plain', { KEY: 'a-secret-value' }) })
  const ready = async (client: typeof rpc) => {
    for await (const [server] of await client.mcp.watchServers(undefined, { signal: AbortSignal.timeout(60_000) })) {
      if (server?.state === 'ready') return server
    }
    throw new Error('the outside server never became ready')
  }
  const server = await ready(rpc)
  const name = 'mcp_fixture_weather'
  const offered = async (client: typeof rpc) =>
    (await client.tools.ofDevice({ deviceId: 'hall' })).find((tool) => tool.name === name)
  expect(await offered(rpc)).toBeUndefined()
  const call = { deviceId: 'hall', name, arguments: { town: 'Ulm' } }
  expect(await rpc.tools.call(call)).toMatchObject({ outcome: 'refused', errorCode: 'tool-unknown' })

  const hash = server.tools.find((tool) => tool.name === 'weather')?.hash ?? ''
  await rpc.mcp.consent({ id, tool: 'weather', hash })
  expect(await offered(rpc)).toMatchObject({ source: 'mcp', provider: 'fixture', reachable: true, withheld: null })
  expect(await rpc.tools.call(call)).toMatchObject({ outcome: 'ok', result: { town: 'Ulm', sky: 'sunny' } })
  expect(await rpc.tools.calls({ name, limit: 5 })).toMatchObject([{ ref: `${name}@1` }, { outcome: 'refused' }])

  // What is another server's is not passed on, whatever the list of a client says.
  const { token } = await makeClient(rpc, { allowed: [name], readOnly: false })
  const { client } = await connectClient(first.loopback, token)
  expect((await client.listTools()).tools).toEqual([])
  expect(JSON.stringify([server, first.logs])).not.toContain('a-secret-value')
  await first.close()

  const again = await startRoost({ dataDir: first.dataDir })
  const later = await again.rpc()
  expect((await ready(later)).tools.find((tool) => tool.name === 'weather')?.consent).toBe('given')
  expect(await later.tools.call(call)).toMatchObject({ outcome: 'ok', ref: `${name}@1` })
})
