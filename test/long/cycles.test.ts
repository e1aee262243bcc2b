import { expect, test } from 'vitest'
import { serveRoost } from '../support/roost-process.ts'
import { freshDir, rpcOf, startBoard } from '../support/roost-server.ts'

const mebibyte = 1024 * 1024

// The server is a process of its own: what this test keeps of its boards is not the server's memory.
test('a thousand times connect, talk and leave: the server keeps no session, no turn and no memory of it', async () => {
  const server = await serveRoost(await freshDir())
  const client = await rpcOf(server.dataDir)
  const rss = async () => (await client.server.overview()).rssBytes / mebibyte
  const cycle = async (n: number) => {
    const board = startBoard(server, { deviceId: `cycle-${n % 10}-${n}` })
    await board.online
    await client.talk.type({ deviceId: board.id, text: 'turn on the lamp' })
    await expect.poll(() => board.of('turn').length, { timeout: 60_000 }).toBe(1)
    await board.stop()
    await client.fleet.forget({ deviceId: board.id })
    server.out.length = 0
  }
  const seen: number[] = []
  for (let n = 0; n < 1_000; n += 1) {
    await cycle(n)
    if (n % 100 === 99) seen.push(Math.round(await rss()))
  }
  const overview = await client.server.overview()
  expect(overview).toMatchObject({ devices: 0, online: 0, talking: 0 })
  expect(server.err.filter((line) => /"tagMismatches":[1-9]/.test(line))).toEqual([])
  // The first hundreds fill caches and grow the heap to its working size.
  expect((seen.at(-1) ?? 0) - (seen[2] ?? 0), `RSS in MiB after each hundred: ${seen.join(' ')}`).toBeLessThan(40)
  process.stdout.write(`RSS in MiB after each hundred: ${seen.join(' ')}\n`)
})
