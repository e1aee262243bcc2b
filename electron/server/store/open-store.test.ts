import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { entryUrl } from '../../base/entries.ts'
import { silentLog } from '../../base/log.ts'
import type { Turn } from '../../contract/conversation.ts'
import { historyMigrations, migrate } from './migrations.ts'
import { openStore, type OpenStoreOptions, type StoreTrouble } from './open-store.ts'
import { createStoreDialect } from './store-dialect.ts'
import { openStoreLink } from './store-link.ts'
import type { Store } from './store.ts'

async function freshDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'roost-store-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

async function openAt(dir: string, options: Partial<OpenStoreOptions> = {}): Promise<Store> {
  const store = await openStore({ dir, log: silentLog, ...options })
  onTestFinished(() => store.close())
  return store
}

async function openLinkAt(dir: string) {
  const file = (name: string) => ({ path: join(dir, name) })
  const files = { roost: file('roost.db'), history: file('history.db') }
  const open = { do: 'open', lockPath: join(dir, 'lock.db'), files } as const
  const link = await openStoreLink({ entry: entryUrl('store-worker'), open, log: silentLog })
  onTestFinished(() => link.close())
  return link
}

const turn = (id: string, words: string): Turn => ({
  id,
  sessionId: 's',
  deviceId: 'd',
  deviceName: 'Desk',
  agent: 'default',
  source: 'voice',
  status: 'done',
  language: 'en',
  startedAt: 1000,
  endedAt: 2000,
  userText: words,
  userTextFinal: true,
  confidence: null,
  replyText: '',
  toolsOffered: [],
  calls: [],
  stages: [],
  speechEndedAt: null,
  firstFrameAt: null,
  replyMs: null,
  audioMs: null,
  notes: [],
  errorCode: null,
})

/** A server of its own process; `work` sees `store`, a `turn` to copy and `ack(text)`. */
async function startWriter(dir: string, work: string): Promise<ChildProcess> {
  const program = join(dir, 'writer.mjs')
  await writeFile(
    program,
    `import { openStore } from ${JSON.stringify(new URL('open-store.ts', import.meta.url).href)}
     import { silentLog } from ${JSON.stringify(new URL('../../base/log.ts', import.meta.url).href)}
     const store = await openStore({ dir: ${JSON.stringify(dir)}, log: silentLog })
     const turn = ${JSON.stringify(turn('', 'lamp'))}
     const ack = (text) => process.send(text)
     ${work}`,
  )
  const child = fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Kills without warning at the n-th acknowledgement; returns all that arrived, the late ones too. */
async function killAfter(child: ChildProcess, count: number): Promise<string[]> {
  const acked: string[] = []
  child.on('message', (text: string) => {
    acked.push(text)
    if (acked.length === count) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return acked
}

test('nothing acknowledged is lost when the process is killed, five times over', { timeout: 60_000 }, async () => {
  const dir = await freshDir()
  const acked: string[] = []
  for (let round = 0; round < 5; round += 1) {
    const child = await startWriter(
      dir,
      `const forever = async (write) => { for (let n = 0; ; n += 1) { ack(await write(n)) } }
       void forever((n) => store.meta.set('m ${round} ' + n, 'x').then(() => 'm ${round} ' + n))
       void forever((n) => store.turns.put({ ...turn, id: 't ${round} ' + n }).then(() => 't ${round} ' + n))`,
    )
    const now = await killAfter(child, 30 + Math.floor(Math.random() * 200))
    expect(now.length).toBeGreaterThanOrEqual(30)
    acked.push(...now)
  }
  const store = await openAt(dir)
  expect(await store.meta.get('lastStop')).toBe('unclean')
  const lost: string[] = []
  for (const key of acked) {
    const kept = key.startsWith('m') ? await store.meta.get(key) : await store.turns.get(key)
    if (kept === undefined) lost.push(key)
  }
  expect(lost).toEqual([])
  const counted = await store.turns.list({ text: 'lamp', limit: 1 })
  expect(counted.total).toBe(await store.turns.count())
})

test('the stop before is told: first start, clean, unclean', async () => {
  const dir = await freshDir()
  const found: (string | undefined)[] = []
  const visit = async () => {
    const store = await openAt(dir)
    found.push(await store.meta.get('lastStop'))
    await store.close()
  }
  await visit()
  await visit()
  await killAfter(await startWriter(dir, `ack('open')`), 1)
  await visit()
  await visit()
  expect(found).toEqual(['first-start', 'clean', 'unclean', 'clean'])
})

test('configuration is written with FULL and history with NORMAL, at the first open and the next', async () => {
  const dir = await freshDir()
  for (const _open of [1, 2]) {
    const link = await openLinkAt(dir)
    const pragma = async (file: 'roost' | 'history', name: string) =>
      Object.values(
        (await link.send({ do: 'query', file, sql: `pragma ${name}`, parameters: [] })).rows[0] as object,
      )[0] as unknown
    // The silent fall to NORMAL shows only after a write.
    for (const text of ['create table if not exists t (x)', 'insert into t values (1)']) {
      await link.send({ do: 'query', file: 'roost', sql: text, parameters: [] })
      await link.send({ do: 'query', file: 'history', sql: text, parameters: [] })
    }
    expect([await pragma('roost', 'synchronous'), await pragma('roost', 'journal_mode')]).toEqual([2, 'wal'])
    expect([await pragma('history', 'synchronous'), await pragma('history', 'journal_mode')]).toEqual([1, 'wal'])
    expect(await pragma('roost', 'foreign_keys')).toBe(1)
    await link.close()
  }
})

test('a migration that fails leaves nothing half-made, and the repaired one runs', async () => {
  const link = await openLinkAt(await freshDir())
  const db = new Kysely<Record<string, never>>({ dialect: createStoreDialect(link, 'history') })
  const step = (...lines: string[]) => ({
    async up(trx: Kysely<unknown>) {
      for (const line of lines) await sql.raw(line).execute(trx)
    },
  })
  const good = { ...historyMigrations }
  await expect(
    migrate(db, 'history', { ...good, '0009-more': step('create table more (x)', 'create table turns (x)') }),
  ).rejects.toMatchObject({ code: 'server-store-failed' })
  const tables = async () => (await db.introspection.getTables()).map(({ name }) => name)
  expect(await tables()).not.toContain('more')
  const fixed = { ...good, '0009-more': step('create table more (x)') }
  expect(await migrate(db, 'history', fixed)).toEqual([...Object.keys(historyMigrations), '0009-more'])
  expect(await migrate(db, 'history', fixed)).toEqual([])
  expect(await tables()).toContain('more')
  // A file that knows a step which this program does not have comes from a newer one.
  await expect(migrate(db, 'history', good)).rejects.toMatchObject({ code: 'server-store-failed' })
})

test('a second server on the directory is refused by name, and a killed one leaves no lock', async () => {
  const dir = await freshDir()
  const child = await startWriter(dir, `ack('open')`)
  await once(child, 'message')
  await expect(openStore({ dir, log: silentLog })).rejects.toMatchObject({
    code: 'server-already-running',
    message: expect.stringContaining(String(child.pid)) as unknown,
    details: { pid: child.pid },
  })
  child.kill('SIGKILL')
  await once(child, 'close')
  // The process id of a living process in the file of a dead holder is no lock.
  await writeFile(join(dir, 'server.pid'), `${process.ppid}\n`)
  const store = await openAt(dir)
  await expect(openStore({ dir, log: silentLog })).rejects.toMatchObject({ details: { pid: process.pid } })
  await store.close()
  await (await openAt(dir)).close()
})

test('a full disk refuses history loudly, keeps what was acknowledged, and heals when space returns', async () => {
  const dir = await freshDir()
  const troubles: StoreTrouble[] = []
  const store = await openAt(dir, { limits: { historyMaxPages: 120 }, onTrouble: (trouble) => troubles.push(trouble) })
  const acked: string[] = []
  let refusal: unknown
  for (let n = 0; refusal === undefined; n += 1) {
    await store.turns.put(turn(`t${n}`, `word${n} `.repeat(2000))).then(
      () => acked.push(`t${n}`),
      (error: unknown) => (refusal = error),
    )
  }
  expect(refusal).toMatchObject({ code: 'server-disk-full' })
  expect(acked.length).toBeGreaterThan(3)
  expect(troubles).toEqual([{ code: 'server-disk-full', dropped: 1 }])
  await store.meta.set('still', 'works')
  for (const id of acked) expect(await store.turns.get(id)).toBeDefined()
  expect(await store.turns.prune(5000)).toBe(acked.length)
  await store.turns.put(turn('after', 'space'))
  expect(troubles.at(-1)).toEqual({ code: null, dropped: 1 })
  expect((await store.turns.list({ limit: 5 })).turns.map(({ id }) => id)).toEqual(['after'])
})

test('a configuration write that finds the disk full is refused and undone', async () => {
  const store = await openAt(await freshDir(), { limits: { configMaxPages: 120 } })
  let refusal: unknown
  for (let n = 0; refusal === undefined; n += 1) {
    refusal = await store.meta.set(`k${n}`, 'x'.repeat(10_000)).then(
      () => undefined,
      (error: unknown) => error,
    )
  }
  expect(refusal).toMatchObject({ code: 'server-disk-full' })
  await store.meta.set('k0', 'small')
  expect(await store.meta.get('k0')).toBe('small')
})

test('a worker that dies fails what waited for it, and the next call finds another', async () => {
  const dir = await freshDir()
  const entry = new URL(`file://${join(dir, 'mortal.mjs')}`)
  await writeFile(
    entry,
    `import { parentPort } from 'node:worker_threads'
     parentPort.on('message', (message) => { if (message.parameters?.includes('die')) process.exit(3) })
     await import(${JSON.stringify(entryUrl('store-worker').href)})`,
  )
  const store = await openAt(dir, { entry })
  await store.meta.set('k', 'before')
  const put = store.turns.put(turn('t', 'lamp'))
  const [dead, beside] = await Promise.allSettled([store.meta.set('k', 'die'), store.meta.get('k')])
  expect(dead).toMatchObject({ reason: { code: 'server-store-failed' } })
  // Kysely lends the one connection in turn, so this one waited for the other and met the new worker.
  expect(beside).toEqual({ status: 'fulfilled', value: 'before' })
  await put
  expect(await store.turns.get('t')).toBeDefined()
  await store.meta.set('k', 'after')
  expect(await store.meta.get('k')).toBe('after')
})

test('a broken history is set aside and a new one begun; a broken configuration is an error', async () => {
  const dir = await freshDir()
  await (await openAt(dir)).close()
  await writeFile(join(dir, 'history.db'), 'this is no database, whatever its name says; '.repeat(200))
  const store = await openAt(dir)
  await store.turns.put(turn('t', 'lamp'))
  expect((await readdir(dir)).filter((name) => name.startsWith('history-broken-'))).toHaveLength(1)
  await store.close()
  await writeFile(join(dir, 'roost.db'), 'this is no database, whatever its name says; '.repeat(200))
  await expect(openStore({ dir, log: silentLog })).rejects.toMatchObject({ code: 'server-store-failed' })
})
