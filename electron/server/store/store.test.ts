import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import type { Turn } from '../../contract/conversation.ts'
import { openStore, type OpenStoreOptions } from './open-store.ts'
import type { DeviceRow, Store, TokenRow } from './store.ts'

async function freshDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'roost-store-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

async function openFresh(options: Partial<OpenStoreOptions> = {}): Promise<Store> {
  const store = await openStore({ dir: options.dir ?? (await freshDir()), log: silentLog, ...options })
  onTestFinished(() => store.close())
  return store
}

const device = (id: string): DeviceRow => ({
  id,
  name: 'Kitchen',
  board: 'esp32-s3-box-3',
  firmware: { name: 'roost', version: '1.0.0' },
  virtual: false,
  blocked: false,
  enrolledBy: 'claim',
  createdAt: 1000.5,
  lastSeenAt: null,
  lastAddress: null,
})

const token = (hash: string, change: Partial<TokenRow> = {}): TokenRow => ({
  hash,
  deviceId: 'aa:bb',
  issuedAt: 10,
  expiresAt: 1000,
  revokedAt: null,
  firstUsedAt: null,
  claimHash: null,
  ...change,
})

const turn = (id: string, change: Partial<Turn> = {}): Turn => ({
  id,
  sessionId: 's',
  deviceId: 'aa:bb',
  deviceName: 'Kitchen',
  agent: 'default',
  source: 'voice',
  status: 'done',
  language: 'en',
  startedAt: 1000,
  endedAt: 2000,
  userText: 'turn on the kitchen lamp',
  userTextFinal: true,
  confidence: null,
  replyText: 'The lamp is on.',
  toolsOffered: [],
  calls: [],
  stages: [],
  speechEndedAt: null,
  firstFrameAt: null,
  replyMs: null,
  audioMs: null,
  notes: [],
  errorCode: null,
  ...change,
})

const call = { ref: 'lamp.set@1', arguments: {}, outcome: 'ok' as const, startedAt: 1, endedAt: 2 }

test('a device comes back as it was put, changes by part, and takes its tokens along when it goes', async () => {
  const { devices, credentials } = await openFresh()
  await devices.put(device('aa:bb'))
  await credentials.issue({ token: token('t1'), revoke: 'none', keep: 4, device: device('aa:bb') })
  await devices.update('aa:bb', { name: 'Hall', blocked: true, firmware: { name: 'x', version: '2' }, lastSeenAt: 7 })
  const changed = {
    ...device('aa:bb'),
    name: 'Hall',
    blocked: true,
    firmware: { name: 'x', version: '2' },
    lastSeenAt: 7,
  }
  expect(await devices.all()).toEqual([changed])
  await devices.put(changed)
  expect(await credentials.token('t1')).toEqual(token('t1'))
  await devices.remove('aa:bb')
  expect(await devices.get('aa:bb')).toBeUndefined()
  expect(await credentials.token('t1')).toBeUndefined()
})

test('issuing revokes by rule, keeps the newest live tokens and writes the device in one step', async () => {
  const { credentials, devices } = await openFresh()
  const issue = (t: TokenRow, revoke: Parameters<typeof credentials.issue>[0]['revoke'], keep = 2) =>
    credentials.issue({ token: t, revoke, keep, device: device('aa:bb') })
  expect(await issue(token('t1', { issuedAt: 1, claimHash: 'c' }), 'none')).toEqual({ revoked: [] })
  expect(await issue(token('t2', { issuedAt: 2 }), 'none')).toEqual({ revoked: [] })
  expect(await issue(token('t3', { issuedAt: 3 }), 'none')).toEqual({ revoked: ['t1'] })
  expect(await issue(token('t4', { issuedAt: 4 }), { exceptHash: 't3' })).toEqual({ revoked: ['t2'] })
  expect(await issue(token('t5', { issuedAt: 5, claimHash: 'c' }), 'all')).toEqual({ revoked: ['t3', 't4'] })
  expect(await issue(token('t6', { issuedAt: 6 }), { claimHash: 'c' })).toEqual({ revoked: ['t5'] })
  expect((await credentials.tokensOf('aa:bb')).map((row) => row.revokedAt)).toEqual([3, 4, 5, 5, 6, null])
  expect(await devices.get('aa:bb')).toEqual(device('aa:bb'))
  expect(await credentials.revokeAll('aa:bb', 9)).toBe(1)
  expect(await credentials.revokeAll('aa:bb', 9)).toBe(0)
})

test('revoking ends expired tokens too, because an expired token still renews its board', async () => {
  const { credentials } = await openFresh()
  await credentials.issue({ token: token('old', { expiresAt: 5 }), revoke: 'none', keep: 4, device: device('aa:bb') })
  expect(await credentials.revokeAll('aa:bb', 9)).toBe(0)
  expect(await credentials.token('old')).toMatchObject({ revokedAt: 9 })

  await credentials.issue({ token: token('aged', { expiresAt: 10 }), revoke: 'none', keep: 4, device: device('aa:bb') })
  const renewed = token('new', { issuedAt: 20, expiresAt: 30 })
  const { revoked } = await credentials.issue({ token: renewed, revoke: 'all', keep: 4, device: device('aa:bb') })
  expect(revoked).toEqual(['aged'])
})

test('a claim stays with the device that showed it first', async () => {
  const { credentials } = await openFresh()
  await credentials.putClaim({
    hash: 'c1',
    deviceId: null,
    createdAt: 1,
    expiresAt: 100,
    usedAt: null,
    virtual: false,
    name: null,
  })
  await credentials.bindClaim('c1', 'aa:bb')
  await credentials.bindClaim('c1', 'cc:dd')
  expect(await credentials.claim('c1')).toMatchObject({ deviceId: 'aa:bb' })
})

test('a token that cannot be added leaves the old ones valid', async () => {
  const { credentials } = await openFresh()
  const order = { token: token('t1'), revoke: 'all' as const, keep: 2, device: device('aa:bb') }
  await credentials.issue(order)
  await expect(credentials.issue(order)).rejects.toMatchObject({ code: 'server-store-failed' })
  expect((await credentials.token('t1'))?.revokedAt).toBeNull()
})

test('the first use of a token ends its claim, later ones change nothing', async () => {
  const { credentials } = await openFresh()
  const claim = { hash: 'c', deviceId: null, createdAt: 1, expiresAt: 99, usedAt: null, virtual: true, name: 'Desk' }
  await credentials.putClaim(claim)
  await credentials.bindClaim('c', 'aa:bb')
  await credentials.issue({ token: token('t1', { claimHash: 'c' }), revoke: 'none', keep: 2, device: device('aa:bb') })
  await credentials.markUsed('t1', 50)
  await credentials.markUsed('t1', 60)
  expect(await credentials.claim('c')).toEqual({ ...claim, deviceId: 'aa:bb', usedAt: 50 })
  expect((await credentials.token('t1'))?.firstUsedAt).toBe(50)
})

test('accounts and console sessions are kept; ended sessions go at the next login', async () => {
  const { accounts } = await openFresh()
  const account = { name: 'ada', role: 'owner' as const, passwordHash: 'scrypt$x', createdAt: 1 }
  await accounts.add(account)
  await expect(accounts.add(account)).rejects.toMatchObject({ code: 'server-store-failed' })
  expect(await accounts.count()).toBe(1)
  expect(await accounts.get('ada')).toEqual(account)
  await accounts.putSession({ hash: 'old', account: 'ada', createdAt: 1, expiresAt: 5 })
  await accounts.putSession({ hash: 'new', account: 'ada', createdAt: 10, expiresAt: 50 })
  expect(await accounts.session('old')).toBeUndefined()
  expect(await accounts.session('new')).toEqual({ hash: 'new', account: 'ada', createdAt: 10, expiresAt: 50 })
  await accounts.removeSession('new')
  expect(await accounts.session('new')).toBeUndefined()
})

test('a published tool version never changes, a draft does', async () => {
  const { tools } = await openFresh()
  const draft = {
    name: 'lamp.set',
    version: 1,
    status: 'draft' as const,
    description: 'one',
    arguments: { type: 'object' },
    result: null,
    danger: 'harmless' as const,
    idempotent: true,
    timeoutMs: 1000,
    speech: { target: { en: [], zh: ['灯'] }, parameters: {}, values: {}, reply: {} },
    createdAt: 1,
    origin: 'person' as const,
  }
  await tools.put(draft, { deviceId: null })
  await tools.put({ ...draft, description: 'two' }, { deviceId: null })
  await tools.setStatus('lamp.set', 1, 'published')
  const published = { ...draft, description: 'two', status: 'published' as const }
  await tools.put({ ...published, createdAt: 9 }, { deviceId: 'aa:bb' })
  await expect(tools.put({ ...published, description: 'three' }, { deviceId: null })).rejects.toMatchObject({
    code: 'tool-version-fixed',
  })
  await tools.setStatus('lamp.set', 1, 'deprecated')
  expect(await tools.all()).toEqual([{ ...published, status: 'deprecated' }])
  await tools.setDeclared('aa:bb', ['b', 'a'])
  expect(await tools.declared('aa:bb')).toEqual(['b', 'a'])
  expect(await tools.declared('cc')).toEqual([])
})

test('turns are found by words and by Chinese of any length, in what was said and what was answered', async () => {
  const { turns } = await openFresh()
  await Promise.all([
    turns.put(turn('1')),
    turns.put(turn('2', { userText: '把客厅的灯打开', replyText: '好的，客厅灯开了', startedAt: 2000 })),
    turns.put(turn('3', { userText: '明天天气预报', replyText: '晴 "sunny"', startedAt: 3000 })),
  ])
  const found = async (text: string) => (await turns.list({ text, limit: 10 })).turns.map(({ id }) => id)
  expect(await found('客厅')).toEqual(['2'])
  expect(await found('厅的')).toEqual(['2'])
  expect(await found('灯')).toEqual(['2'])
  expect(await found('天气预报')).toEqual(['3'])
  expect(await found('天')).toEqual(['3'])
  expect(await found('厅客')).toEqual([])
  expect(await found('LAMP')).toEqual(['1'])
  expect(await found('kitch')).toEqual(['1'])
  expect(await found('lamp kitchen')).toEqual(['1'])
  expect(await found('"sunny"')).toEqual(['3'])
  expect(await found('sun" OR "lamp')).toEqual([])
  expect(await found('…?!')).toEqual([])
  expect(await found('  ')).toEqual(['3', '2', '1'])
  await turns.put(turn('1', { userText: 'good morning' }))
  expect(await found('kitchen')).toEqual([])
  expect(await found('morning')).toEqual(['1'])
})

test('a page follows the last turn shown, whatever comes in between', async () => {
  const { turns } = await openFresh()
  const ids = Array.from({ length: 25 }, (_, index) => String(index).padStart(2, '0'))
  // Five share each instant, so the id decides.
  await Promise.all(ids.map((id, index) => turns.put(turn(id, { startedAt: 1000.25 + Math.floor(index / 5) }))))
  const seen: string[] = []
  let before: string | undefined
  for (;;) {
    const page = await turns.list({ before, limit: 4 })
    seen.push(...page.turns.map(({ id }) => id))
    await turns.put(turn(`new ${seen.length}`, { startedAt: 9000 }))
    if (page.next === null) break
    before = page.next
  }
  expect(seen).toEqual(ids.toReversed())
  await expect(turns.list({ before: 'nonsense', limit: 4 })).rejects.toMatchObject({ code: 'server-bad-request' })
})

test('filters join, and the total counts all pages', async () => {
  const { turns } = await openFresh()
  await Promise.all([
    turns.put(turn('a', { calls: [call], replyMs: 900 })),
    turns.put(turn('b', { status: 'failed', replyMs: 100, startedAt: 2000 })),
    turns.put(turn('c', { deviceId: 'other', replyMs: 2000, startedAt: 3000 })),
  ])
  const list = async (filter: Partial<Parameters<typeof turns.list>[0]>) => {
    const page = await turns.list({ limit: 1, ...filter })
    return [page.total, ...page.turns.map(({ id }) => id)]
  }
  expect(await list({})).toEqual([3, 'c'])
  expect(await list({ deviceId: 'aa:bb' })).toEqual([2, 'b'])
  expect(await list({ status: 'failed' })).toEqual([1, 'b'])
  expect(await list({ withTools: true })).toEqual([1, 'a'])
  expect(await list({ withTools: false, deviceId: 'aa:bb' })).toEqual([1, 'b'])
  expect(await list({ slowerThanMs: 500, deviceId: 'aa:bb', text: 'lamp' })).toEqual([1, 'a'])
  expect(await turns.count()).toBe(3)
  expect(await turns.get('a')).toEqual(turn('a', { calls: [call], replyMs: 900 }))
  expect(await turns.prune(2500)).toBe(2)
  expect(await list({ text: 'lamp' })).toEqual([1, 'c'])
})

test('a spike of one sample among ten thousand survives thinning', async () => {
  const { telemetry } = await openFresh()
  const samples = Array.from({ length: 10_000 }, (_, at) => ({
    metric: 'rssi_dbm',
    at,
    value: at === 4321 ? -99.5 : -50,
  }))
  await telemetry.add('aa:bb', samples)
  const columns = await telemetry.columns({ deviceId: 'aa:bb', metric: 'rssi_dbm', from: 0, to: 10_000, columns: 10 })
  expect(columns).toHaveLength(10)
  expect(columns.map(({ count }) => count)).toEqual(Array<number>(10).fill(1000))
  expect(columns[4]).toMatchObject({ at: 4000, min: -99.5, max: -50 })
  expect(columns[4]?.mean).toBeCloseTo(-50.0495, 9)
  expect(columns[3]).toEqual({ at: 3000, min: -50, max: -50, mean: -50, count: 1000 })
  const none = { deviceId: 'aa:bb', metric: 'nothing', from: 0, to: 10_000, columns: 10 }
  expect(await telemetry.columns(none)).toEqual([])
  expect(await telemetry.columns({ ...none, metric: 'rssi_dbm', from: 5, to: 5 })).toEqual([])
})

test('pruning goes on in steps until all that is old is gone', async () => {
  const { telemetry } = await openFresh()
  const rows = Array.from({ length: 12_001 }, (_, at) => ({ metric: at % 2 ? 'a' : 'b', at, value: 1 }))
  await telemetry.add('aa:bb', rows)
  await telemetry.addLogs(
    'aa:bb',
    rows.map(({ at }) => ({ at, line: 'x' })),
  )
  expect(await telemetry.prune(12_000)).toBe(24_000)
  expect(await telemetry.oldest()).toBe(12_000)
  expect(await telemetry.metrics()).toEqual(['b'])
  expect(await telemetry.logs('aa:bb', 10)).toEqual([{ at: 12_000, line: 'x' }])
})

test('telemetry is told by device, pruned by age and forgotten with its device', async () => {
  const { telemetry, turns } = await openFresh()
  const event = { deviceId: 'aa:bb', at: 5, level: 'warn' as const, code: 'low-heap', message: '堆' }
  await Promise.all([
    telemetry.add('aa:bb', [
      { metric: 'cpu_pct', at: 1, value: 10 },
      { metric: 'cpu_pct', at: 20, value: 12.25 },
      { metric: 'uptime_s', at: 1, value: 1 },
    ]),
    telemetry.add('cc:dd', [{ metric: 'jitter_ms', at: 20, value: 3 }]),
    telemetry.addEvents([event, { ...event, at: 30 }]),
    telemetry.addLogs('aa:bb', [{ at: 40, line: 'boot' }]),
    turns.put(turn('1')),
  ])
  expect(await telemetry.latest('aa:bb', 'cpu_pct')).toEqual({ at: 20, value: 12.25 })
  expect(await telemetry.metrics('aa:bb')).toEqual(['cpu_pct', 'uptime_s'])
  expect(await telemetry.metrics()).toEqual(['cpu_pct', 'jitter_ms', 'uptime_s'])
  expect(await telemetry.events('aa:bb', 10)).toEqual([{ ...event, at: 30 }, event])
  expect(await telemetry.logs('aa:bb', 10)).toEqual([{ at: 40, line: 'boot' }])
  expect(await telemetry.oldest()).toBe(1)
  expect(await telemetry.prune(10)).toBe(3)
  expect(await telemetry.metrics('aa:bb')).toEqual(['cpu_pct'])
  await telemetry.forget('aa:bb')
  expect(await telemetry.metrics()).toEqual(['jitter_ms'])
  expect(await telemetry.events('aa:bb', 10)).toEqual([])
  expect(await turns.list({ text: 'lamp', limit: 10 })).toEqual({ turns: [], total: 0, next: null })
})

test('lines of a job are numbered from one, and old jobs go with their lines', async () => {
  const { jobs } = await openFresh()
  const job = (id: string, startedAt: number, state: 'done' | 'running' = 'done') => ({
    id,
    kind: 'flash' as const,
    title: id,
    state,
    progress: null,
    lanes: [],
    deviceId: null,
    code: null,
    message: null,
    startedAt,
    endedAt: null,
    retryable: false,
  })
  for (const each of [job('a', 1, 'running'), job('b', 2), job('c', 3)]) await jobs.put(each)
  const line = (text: string) => ({ at: 1, source: 'chip' as const, text })
  await jobs.addLines('b', [line('one'), line('two')])
  await jobs.addLines(
    'b',
    Array.from({ length: 2500 }, (_, index) => line(`more ${index}`)),
  )
  expect(await jobs.lines('b', 0, 2)).toEqual({ lines: [line('one'), line('two')], next: 2 })
  expect(await jobs.lines('b', 2501, 10)).toEqual({ lines: [line('more 2499')], next: 2502 })
  expect(await jobs.lines('b', 2502, 10)).toEqual({ lines: [], next: 2502 })
  await jobs.prune(1)
  expect((await jobs.all(10)).map(({ id }) => id)).toEqual(['c', 'a'])
  expect((await jobs.lines('b', 0, 10)).lines).toEqual([])
})

test('every file is private whatever the umask, and closing leaves no log behind', async () => {
  const dir = await freshDir()
  const umask = process.umask(0)
  onTestFinished(() => void process.umask(umask))
  const store = await openFresh({ dir })
  await store.meta.set('k', 'v')
  await store.turns.put(turn('1'))
  const modes = async () =>
    Object.fromEntries(
      await Promise.all((await readdir(dir)).map(async (name) => [name, (await stat(join(dir, name))).mode & 0o777])),
    ) as Record<string, number>
  const open = await modes()
  expect(Object.keys(open)).toEqual(expect.arrayContaining(['roost.db', 'roost.db-wal', 'history.db-wal', 'lock.db']))
  expect(new Set(Object.values(open))).toEqual(new Set([0o600]))
  expect(await store.sizeBytes()).toBeGreaterThan(50_000)
  await store.close()
  await store.close()
  expect(Object.keys(await modes()).sort()).toEqual(['history.db', 'lock.db', 'reserve.bin', 'roost.db', 'server.pid'])
  await expect(store.meta.get('k')).rejects.toMatchObject({ code: 'server-store-closed' })
})
