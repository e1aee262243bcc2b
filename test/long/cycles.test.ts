import { expect, test } from 'vitest'
import { startRoost } from '../support/roost-server.ts'

const mebibyte = 1024 * 1024

/** RSS after what can be freed was freed. */
async function restingBytes(client: Awaited<ReturnType<Awaited<ReturnType<typeof startRoost>>['rpc']>>) {
  return (await client.server.overview()).rssBytes
}

test('a thousand times connect, talk and leave: the server keeps no session, no turn and no memory of it', async () => {
  const roost = await startRoost()
  const client = await roost.rpc()
  const cycle = async (n: number) => {
    const board = roost.board({ deviceId: `cycle-${n % 10}-${n}` })
    await board.online
    await client.talk.type({ deviceId: board.id, text: 'turn on the lamp' })
    await expect.poll(() => board.of('turn').length, { timeout: 20_000 }).toBe(1)
    await board.stop()
    await client.fleet.forget({ deviceId: board.id })
  }
  for (let n = 0; n < 100; n += 1) await cycle(n)
  const before = await restingBytes(client)
  for (let n = 100; n < 1_000; n += 1) await cycle(n)
  const after = await restingBytes(client)
  expect(await client.server.overview()).toMatchObject({ devices: 0, online: 0, talking: 0 })
  expect((after - before) / mebibyte).toBeLessThan(40)
  expect(roost.logs.filter((line) => /"tagMismatches":[1-9]/.test(line))).toEqual([])
})
