import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { silentLog } from '../../base/log.ts'
import type { FleetEvent } from '../../contract/rpc.ts'
import type { CredentialStore, DeviceRow, DeviceStore, TokenRow } from '../store/store.ts'
import { createClaims } from './claims.ts'
import { createDevices } from './devices.ts'
import { createEnrolment } from './enrolment.ts'
import { createFleet } from './fleet.ts'
import type { SessionHandle } from './live-device.ts'
import { createRateLimit } from './rate-limit.ts'
import { hashSecret } from './secret.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const row: DeviceRow = {
  id: 'aa:bb',
  name: 'Desk',
  board: 'bench',
  firmware: { name: 'test', version: '1' },
  virtual: false,
  blocked: false,
  enrolledBy: 'claim',
  createdAt: 0,
  lastSeenAt: null,
  lastAddress: null,
}

/** The two stores that the registry uses, in memory: with fake timers a worker thread would stand still. */
function memoryStore() {
  const rows = new Map<string, DeviceRow>()
  const tokens = new Map<string, TokenRow>()
  const devices: DeviceStore = {
    all: async () => [...rows.values()],
    get: async (id) => rows.get(id),
    put: async (one) => void rows.set(one.id, one),
    update: async (id, change) => {
      const before = rows.get(id)
      if (before) rows.set(id, { ...before, ...change })
    },
    remove: async (id) => {
      rows.delete(id)
      for (const [hash, token] of tokens) if (token.deviceId === id) tokens.delete(hash)
    },
  }
  const credentials: CredentialStore = {
    token: async (hash) => tokens.get(hash),
    tokensOf: async (id) => [...tokens.values()].filter((token) => token.deviceId === id),
    claim: async () => undefined,
    putClaim: async () => undefined,
    bindClaim: async () => undefined,
    issue: async ({ token, device }) => {
      rows.set(device.id, device)
      tokens.set(token.hash, token)
      return { revoked: [] }
    },
    markUsed: async (hash, at) => {
      const token = tokens.get(hash)
      if (token) tokens.set(hash, { ...token, firstUsedAt: at })
    },
    revokeAll: async (id, at) => {
      for (const [hash, token] of tokens) if (token.deviceId === id) tokens.set(hash, { ...token, revokedAt: at })
      return tokens.size
    },
  }
  return { devices, credentials }
}

async function open() {
  const store = memoryStore()
  const devices = await createDevices({ store, log: silentLog })
  onTestFinished(() => devices.close())
  const give = (secret: string, lifeMs: number) =>
    devices.issue({
      device: row,
      revoke: 'none',
      token: {
        hash: hashSecret(secret),
        deviceId: row.id,
        issuedAt: Date.now(),
        expiresAt: Date.now() + lifeMs,
        revokedAt: null,
        firstUsedAt: null,
        claimHash: null,
      },
    })
  return { store, devices, give }
}

function handle() {
  const told: unknown[] = []
  const session: SessionHandle = {
    close: (code) => void told.push(code),
    warnTokenExpiring: () => void told.push('expiring'),
    control: (action) => void told.push(action),
  }
  return { session, told }
}

const facts = { address: '192.168.1.20', listener: 'tls' } as const

test('a session makes a device online and speaking, its end makes it offline', async () => {
  const { devices, give } = await open()
  await give('one', 3_600_000)
  const lease = devices.attachSession(row.id, handle().session, facts)
  lease.setPhase('speaking')
  lease.setCounters({ late: 2 })
  lease.setReplyMs(640)
  vi.advanceTimersByTime(3_000)
  expect(devices.get(row.id)).toMatchObject({
    state: 'speaking',
    presence: { online: true, evidence: 'session', ageMs: 3_000 },
    security: 'tls',
    address: facts.address,
    counters: { late: 2 },
    replyMs: 640,
  })
  lease.detach()
  expect(devices.get(row.id)).toMatchObject({ state: 'offline', security: null, presence: { online: false } })
})

test('a lease that was replaced changes nothing', async () => {
  const { devices, give } = await open()
  await give('one', 3_600_000)
  const first = handle()
  const older = devices.attachSession(row.id, first.session, facts)
  const newer = devices.attachSession(row.id, handle().session, facts)
  newer.setPhase('idle')
  older.setPhase('listening')
  older.detach()
  expect(first.told).toEqual([4409])
  expect(devices.get(row.id)?.state).toBe('idle')
})

test('telemetry keeps a device online for twice its rhythm, and never outweighs a session that ended later', async () => {
  const { devices, give } = await open()
  await give('one', 3_600_000)
  devices.noteTelemetry(row.id, { rssi_dbm: -61, heap_free_bytes: 1234 }, facts.address)
  vi.advanceTimersByTime(100_000)
  expect(devices.get(row.id)).toMatchObject({
    presence: { online: true, evidence: 'telemetry' },
    rssiDbm: -61,
    heapFreeBytes: 1234,
  })
  vi.advanceTimersByTime(30_000)
  expect(devices.get(row.id)?.presence).toMatchObject({ online: false, evidence: 'telemetry', ageMs: 130_000 })

  devices.noteTelemetry(row.id, {}, facts.address)
  vi.advanceTimersByTime(1_000)
  devices.attachSession(row.id, handle().session, facts).detach()
  expect(devices.get(row.id)?.presence).toMatchObject({ online: false, evidence: 'none' })
})

test('60 s before the last token ends the board is told, and closed with 4401 when it does', async () => {
  const { devices, give } = await open()
  await give('one', 300_000)
  const { session, told } = handle()
  devices.attachSession(row.id, session, facts).setPhase('idle')
  await vi.advanceTimersByTimeAsync(239_000)
  expect(told).toEqual([])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(told).toEqual(['expiring'])
  expect(devices.get(row.id)?.notice).toBe('iotta-token-expiring')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toEqual(['expiring', 4401])
})

test('a turn that runs when the last token ends may finish first', async () => {
  const { devices, give } = await open()
  await give('one', 300_000)
  const { session, told } = handle()
  const lease = devices.attachSession(row.id, session, facts)
  lease.setPhase('speaking')
  await vi.advanceTimersByTimeAsync(320_000)
  expect(told).toEqual(['expiring'])
  lease.setPhase('idle')
  await vi.advanceTimersByTimeAsync(0)
  expect(told).toEqual(['expiring', 4401])
})

test('a turn that never ends is cut 60 s after the last token', async () => {
  const { devices, give } = await open()
  await give('one', 300_000)
  const { session, told } = handle()
  devices.attachSession(row.id, session, facts).setPhase('speaking')
  await vi.advanceTimersByTimeAsync(359_000)
  expect(told).toEqual(['expiring'])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(told).toEqual(['expiring', 4401])
})

test('a board that renews in time is not closed', async () => {
  const { devices, give } = await open()
  await give('one', 300_000)
  const { session, told } = handle()
  devices.attachSession(row.id, session, facts).setPhase('idle')
  await vi.advanceTimersByTimeAsync(250_000)
  await give('two', 3_600_000)
  await vi.advanceTimersByTimeAsync(3_000_000)
  expect(told).toEqual(['expiring'])
  expect(devices.get(row.id)?.notice).toBeNull()
})

test('a check that began before a revocation is not current after it', async () => {
  const { devices, give } = await open()
  await give('one', 3_600_000)
  const access = await devices.authenticate(row.id, 'one')
  await devices.revoke(row.id)
  expect(access.ok && access.current()).toBe(false)
  expect(await devices.authenticate(row.id, 'one')).toMatchObject({ ok: false, reason: 'token_revoked' })
})

test('reboot and identify reach the session, and need one', async () => {
  const { devices, give } = await open()
  await give('one', 3_600_000)
  expect(() => devices.control(row.id, 'reboot')).toThrow(expect.objectContaining({ code: 'server-not-found' }))
  const { session, told } = handle()
  devices.attachSession(row.id, session, facts)
  devices.control(row.id, 'identify')
  expect(told).toEqual(['identify'])
})

test('the fleet view starts with everything and then tells changes four times a second', async () => {
  const { store, devices, give } = await open()
  await give('one', 3_600_000)
  const claims = createClaims({ credentials: store.credentials, now: Date.now })
  const rateLimit = createRateLimit({ now: Date.now })
  const { credentials } = store
  const enrolment = createEnrolment({ devices, claims, credentials, rateLimit, mode: 'approve', log: silentLog })
  const fleet = createFleet({ devices, enrolment })
  await vi.advanceTimersByTimeAsync(1_000)
  const events = fleet.watch()
  const next = async () => (await events.next()).value as FleetEvent

  expect(await next()).toMatchObject({ type: 'snapshot', devices: [{ id: row.id, name: 'Desk' }], pending: [] })
  for (let n = 0; n < 10; n++) await devices.rename(row.id, `Desk ${n}`)
  const patch = next()
  await vi.advanceTimersByTimeAsync(250)
  expect(await patch).toMatchObject({ type: 'patch', changed: [{ name: 'Desk 9' }], removed: [] })

  await devices.forget(row.id)
  const gone = next()
  await vi.advanceTimersByTimeAsync(250)
  expect(await gone).toMatchObject({ type: 'patch', changed: [], removed: [row.id] })
  fleet.close()
  expect(await events.next()).toMatchObject({ done: true })
})
