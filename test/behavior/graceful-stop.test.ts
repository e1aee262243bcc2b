import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startChip } from '../support/chip-port.ts'
import { openSession, openTools } from '../support/foreign-client.ts'
import { serveRoost } from '../support/roost-process.ts'
import { freshDir, rpcOf } from '../support/roost-server.ts'

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s closes every socket with 1001, parks jobs and leaves no log of the store',
  async (signal) => {
    const dataDir = await freshDir()
    const server = await serveRoost(dataDir)
    const { place, session } = await openSession(server, 'stop-1')
    const tools = await openTools(server, place, { deviceId: 'stop-1', tools: {} })
    await tools.asked
    const client = await rpcOf(dataDir)
    // A job that would take minutes: its board is slow.
    const chip = await startChip(await freshDir('chip'), ['--fault', 'pace=9600'])
    const { jobId } = await client.flash.start({
      ports: [chip.port],
      imageId: (await client.flash.images())[0]!.id,
      wifi: [],
      name: '',
      provision: false,
      erase: 'none',
    })
    await expect
      .poll(async () => (await client.jobs.get({ id: jobId })).lanes[0]?.phase, { timeout: 20_000 })
      .not.toBe('waiting')

    const asked = performance.now()
    server.child.kill(signal)
    expect(await server.ended).toEqual({ code: 0, signal: null })
    expect(performance.now() - asked).toBeLessThan(5_000)
    expect(await Promise.all([session.closed, tools.channel.closed])).toEqual([1001, 1001])
    expect((await readdir(dataDir)).filter((name) => /-(wal|shm)$/.test(name))).toEqual([])
    expect(existsSync(join(dataDir, 'run.json'))).toBe(false)

    const again = await serveRoost(dataDir)
    const later = await rpcOf(dataDir)
    expect(await later.server.overview()).toMatchObject({ lastStop: 'clean' })
    expect(await later.jobs.get({ id: jobId })).toMatchObject({ state: 'parked', code: 'server-job-parked' })
    expect(again.pid).not.toBe(server.pid)
  },
)
