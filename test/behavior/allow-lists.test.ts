import { expect, test } from 'vitest'
import { fromWire } from '../../electron/server/rpc/rpc-client.ts'
import { connectClient, makeClient } from '../support/mcp-client.ts'
import { freshDir, startRoost } from '../support/roost-server.ts'
import { runRoost } from '../support/roost-process.ts'

// A list of what may be called holds names of tools, and who called is told by name.

const codeOf = async (asked: Promise<unknown>): Promise<string | undefined> =>
  asked.then(
    () => undefined,
    (error: unknown) => fromWire(error).code,
  )

test('a list with a name of no tool is refused over RPC and by the shell, with what is like it', async () => {
  const dataDir = await freshDir()
  const roost = await startRoost({ dataDir })
  const rpc = await roost.rpc()
  const policy = { scope: 'agent', id: 'assistant', mode: 'listed', pins: {} } as const
  expect(await codeOf(rpc.policies.put({ ...policy, allowed: ['set_lamp', 'set_lapm'] }))).toBe('tool-names-unknown')
  expect(await codeOf(rpc.policies.put({ ...policy, allowed: ['set_lamp'] }))).toBeUndefined()
  expect(await codeOf(makeClient(rpc, { allowed: ['set_lapm'] }))).toBe('tool-names-unknown')
  const { client } = await makeClient(rpc, { allowed: ['set_lamp'] })
  const { id, readOnly, deviceIds, transcripts } = client
  const change = (allowed: string[]) => rpc.mcp.updateClient({ id, readOnly, deviceIds, transcripts, allowed })
  expect(await codeOf(change(['set_lamp', 'nothing']))).toBe('tool-names-unknown')
  expect(await codeOf(change(['set_lamp', 'set_fan']))).toBeUndefined()

  const make = async () => {
    const run = runRoost(['token', 'make', '--for', 'mcp', '--allow', 'set_lapm', '--data', dataDir])
    return { ...(await run.ended), out: run.out.join(''), err: run.err.join('') }
  }
  const running = await make()
  expect(running).toMatchObject({ out: '' })
  expect(running.code).not.toBe(0)
  expect(running.err).toContain('set_lamp')
  await roost.close()
  const alone = await make()
  expect(alone.code).not.toBe(0)
  expect(alone.err).toMatch(/"set_lapm" \(perhaps .*set_lamp/)
}, 120_000)

test('a call of an outside program stands in the audit under the name of its token', async () => {
  const roost = await startRoost()
  const rpc = await roost.rpc()
  const board = roost.board({ deviceId: 'desk' })
  await board.online
  const { client: made, token } = await makeClient(rpc, { name: 'Kitchen AI', allowed: ['set_lamp'], readOnly: false })
  const { client } = await connectClient(roost.loopback, token)
  await client.callTool({ name: 'set_lamp', arguments: { on: true } })
  const [call] = await rpc.tools.calls({ name: 'set_lamp', limit: 1 })
  expect(call?.caller).toEqual({ kind: 'client', id: made.id, name: 'Kitchen AI' })
}, 60_000)
