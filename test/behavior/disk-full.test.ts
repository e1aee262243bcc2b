import { spawnSync } from 'node:child_process'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { enrol, post } from '../support/foreign-client.ts'
import { followTurns, freshDir, type RoostBench, startRoost } from '../support/roost-server.ts'

async function report(roost: RoostBench, token: string, lines: readonly string[]) {
  const body = JSON.stringify({ logs: lines.map((line) => ({ line })) })
  return post(roost, '/telemetry', { body, headers: { Authorization: `Bearer ${token}` } })
}

/** Telemetry, first in bulk and then by the line, until the store takes nothing any more. */
async function fill(roost: RoostBench, token: string): Promise<void> {
  const bulk = Array<string>(50).fill('x'.repeat(1_900))
  for (const lines of [bulk, bulk.slice(0, 4), ['x'.repeat(200)], ['x']]) {
    let status = 202
    for (let round = 0; status === 202 && round < 2_000; round += 1) {
      const answer = await report(roost, token, lines)
      status = answer.status
      if (status !== 202) expect(answer).toMatchObject({ status: 507, body: { error: { code: 'server-disk-full' } } })
    }
    expect(status).toBe(507)
  }
}

/** Talks through a full disk: the board is answered, the loss is said, what matters still works. */
async function talkOnFullDisk(roost: RoostBench): Promise<void> {
  const board = roost.board({ deviceId: 'full-1' })
  await board.online
  const client = await roost.rpc()
  const place = await enrol(roost, 'filler-1')
  await fill(roost, place.token)
  const turns = await followTurns(client, 'full-1')
  const { turnId } = await client.talk.type({ deviceId: 'full-1', text: 'turn on the lamp' })
  expect(await turns.ended(turnId)).toMatchObject({ status: 'done', calls: [{ outcome: 'ok' }] })
  await expect.poll(() => board.of('turn').length).toBe(1)
  expect(board.of('turn')[0]?.level).toBeGreaterThan(50)
  expect(board.state.lamp.on).toBe(true)
  // Told as long as something cannot be kept; a row that still finds room takes it back.
  const warned = async () => {
    await report(roost, place.token, ['x'])
    return (await client.server.overview()).warnings.map(({ code }) => code)
  }
  await expect.poll(warned, { timeout: 15_000 }).toContain('server-disk-full')
  expect(roost.logs.some((line) => line.includes('"level":"error"') && line.includes('server-disk-full'))).toBe(true)
  expect(await roost.isHealthy()).toBe(true)
}

test('a full history loses history alone: boards talk on, the console says it, and the files stay whole', async () => {
  const roost = await startRoost({ historyMaxPages: 200 })
  await talkOnFullDisk(roost)
  const client = await roost.rpc()
  // Configuration lives in another file and is still saved.
  await client.fleet.rename({ deviceId: 'full-1', name: 'Still here' })
  await client.fleet.revoke({ deviceId: 'filler-1' })
  await roost.close()
  const again = await startRoost({ dataDir: roost.dataDir })
  const later = await again.rpc()
  expect(await later.server.overview()).toMatchObject({ lastStop: 'clean', warnings: [] })
  for await (const fleet of await later.fleet.watch()) {
    const names = fleet.type === 'snapshot' ? fleet.devices.map(({ name }) => name) : []
    expect(names).toContain('Still here')
    break
  }
})

/** Undefined where this user may not mount. */
async function smallDisk(megabytes: number): Promise<string | undefined> {
  const at = join(await freshDir('disk'), 'mount')
  await mkdir(at)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', at]).status !== 0)
    return undefined
  onTestFinished(() => void spawnSync('umount', ['-l', at]))
  return at
}

/** Not one block is left: opening the store needs some all the same, and they are those of the reserve. */
async function startOnFullDisk(disk: string, dataDir: string): Promise<void> {
  spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'rest')}`, 'bs=4k'])
  expect((await stat(join(dataDir, 'reserve.bin'))).size).toBeGreaterThan(1 << 20)
  const roost = await startRoost({ dataDir })
  const board = roost.board({ deviceId: 'full-2' })
  await board.online
  await roost.close()
}

test('a file system that is really full stops no conversation, and nothing is broken after the next start', async ({
  skip,
}) => {
  const disk = await smallDisk(24)
  if (disk === undefined) return skip('a small file system needs root: mount was refused')
  const dataDir = join(disk, 'data')
  const roost = await startRoost({ dataDir })
  // What another program left of the disk.
  const left = Number(spawnSync('df', ['--output=avail', '-B1', disk]).stdout.toString().split('\n')[1])
  await writeFile(join(disk, 'other'), Buffer.alloc(Math.max(0, left - 700_000)))
  await talkOnFullDisk(roost)
  await roost.close()
  await startOnFullDisk(disk, dataDir)
  spawnSync('rm', ['-f', join(disk, 'other'), join(disk, 'rest')])
  const again = await startRoost({ dataDir })
  const client = await again.rpc()
  expect(await client.server.overview()).toMatchObject({ warnings: [] })
  const board = again.board({ deviceId: 'after-1' })
  await board.online
  const turns = await followTurns(client, 'after-1')
  const { turnId } = await client.talk.type({ deviceId: 'after-1', text: 'turn on the lamp' })
  await turns.ended(turnId)
  await expect.poll(async () => (await client.turns.list({ limit: 1 })).turns[0]).toMatchObject({ id: turnId })
})
