import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { startChip } from '../support/chip-port.ts'
import { enrol, openSession, openTools, post } from '../support/foreign-client.ts'
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

const logs = (dataDir: string) => ['roost.db-wal', 'history.db-wal'].map((name) => join(dataDir, name))
const sizesOf = (paths: readonly string[]) => Promise.all(paths.map(async (path) => (await stat(path)).size))

/** Another program that reads a database, until the test ends: SQLite then keeps the log when the server closes it. */
function holdOpen(path: string): void {
  const reader = new DatabaseSync(path, { readOnly: true })
  onTestFinished(() => reader.close())
  reader.prepare('select count(*) from sqlite_schema').get()
}

test('what was written is in the files themselves after a stop, even when another program holds them open', async () => {
  const dataDir = await freshDir()
  const server = await serveRoost(dataDir)
  const { token } = await enrol(server, 'stop-2')
  const events = Array.from({ length: 100 }, (_, at) => ({ level: 'info', code: 'note', message: `line ${at}` }))
  const body = JSON.stringify({ events })
  expect(await post(server, '/telemetry', { body, headers: { Authorization: `Bearer ${token}` } })).toMatchObject({
    status: 202,
  })
  for (const name of ['roost.db', 'history.db']) holdOpen(join(dataDir, name))
  for (const size of await sizesOf(logs(dataDir))) expect(size).toBeGreaterThan(10_000)

  server.child.kill('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, signal: null })
  expect(await sizesOf(logs(dataDir))).toEqual([0, 0])
  const copyDir = await freshDir('copy')
  for (const name of ['roost.db', 'history.db']) await copyFile(join(dataDir, name), join(copyDir, name))
  const copy = await serveRoost(copyDir)
  const client = await rpcOf(copyDir)
  expect(await client.server.overview()).toMatchObject({ lastStop: 'clean' })
  expect(await client.telemetry.events({ deviceId: 'stop-2', limit: 500 })).toHaveLength(100)
  expect(copy.pid).not.toBe(server.pid)
})

/** Our own entry programs; a voice that speaks one sentence comes and goes. */
const childrenOf = (pid: number) =>
  spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)])
    .stdout.toString()
    .split('\n')
    .flatMap((line) => (/-process\.ts\b/.test(line) ? [Number.parseInt(line, 10)] : []))

test('processes that stand still hold up no stop: what must be saved is, and they are killed', async () => {
  const dataDir = await freshDir()
  const server = await serveRoost(dataDir)
  const client = await rpcOf(dataDir)
  const { jobId } = await client.flash.tryWithoutBoard()
  await expect
    .poll(async () => (await client.jobs.get({ id: jobId })).lanes[0]?.phase, { timeout: 20_000 })
    .not.toBeOneOf([undefined, 'waiting'])
  const children = childrenOf(server.pid)
  // At least the flasher and the chip, which are asked to end and not killed at once.
  expect(children.length).toBeGreaterThanOrEqual(2)
  onTestFinished(() => children.filter(isRunning).forEach((child) => process.kill(child, 'SIGKILL')))
  for (const child of children) process.kill(child, 'SIGSTOP')
  for (const name of ['roost.db', 'history.db']) holdOpen(join(dataDir, name))
  const asked = performance.now()
  server.child.kill('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, signal: null })
  expect(performance.now() - asked).toBeLessThan(5_000)
  expect(await sizesOf(logs(dataDir))).toEqual([0, 0])
  await expect.poll(() => children.filter(isRunning)).toEqual([])
})

/** A zombie has ended: only nobody has asked for it yet. */
const isRunning = (pid: number) =>
  /^[^Z\s]/.test(
    spawnSync('ps', ['-o', 'stat=', '-p', String(pid)])
      .stdout.toString()
      .trim(),
  )
