import { expect, test } from 'vitest'
import type { Device } from '../../electron/contract/device.ts'
import { compareVersions, filterFleet, parseFleetFilter } from './fleet-filter.ts'

const device = (over: Partial<Device>): Device => ({
  id: 'aa:bb',
  name: 'Board',
  board: 'esp32-s3-box',
  firmware: { name: 'voice', version: '2.4.1' },
  state: 'idle',
  presence: { online: true, evidence: 'session', ageMs: 0 },
  toolChannel: true,
  virtual: false,
  blocked: false,
  enrolledBy: 'claim',
  address: null,
  security: 'tls',
  sessionSince: null,
  createdAt: 0,
  lastSeenAt: null,
  rssiDbm: -50,
  heapFreeBytes: 90_000,
  replyMs: 900,
  counters: {},
  notice: null,
  ...over,
})

const away = device({
  id: 'away',
  name: '小明的灯',
  state: 'offline',
  presence: { online: false, evidence: 'none', ageMs: 9 },
})
const old = device({ id: 'old', firmware: { name: 'voice', version: '2.3.0' } })
const weak = device({ id: 'weak', rssiDbm: -82 })
const twin = device({ id: 'twin', virtual: true, state: 'speaking' })
const all = [away, old, weak, twin]
const found = (query: string) => filterFleet(all, parseFleetFilter(query)).map((one) => one.id)

test('an empty filter keeps every board', () => {
  expect(found('  ')).toEqual(['away', 'old', 'weak', 'twin'])
})

test('a word is looked for in name and id, in any script', () => {
  expect(found('小明')).toEqual(['away'])
  expect(found('OLD')).toEqual(['old'])
})

test('terms narrow by state, problem, kind and firmware, and all must hold', () => {
  expect(found('state:offline')).toEqual(['away'])
  expect(found('state:problem')).toEqual(['weak'])
  expect(found('state:speaking')).toEqual(['twin'])
  expect(found('fw<2.4')).toEqual(['old'])
  expect(found('virtual:no state:online')).toEqual(['old', 'weak'])
})

test('a term that cannot be read is kept as broken and hides nothing', () => {
  expect(parseFleetFilter('state:sideways')).toEqual([{ kind: 'broken', text: 'state:sideways' }])
  expect(found('state:sideways')).toHaveLength(4)
})

test('versions compare by number, and a pre-release is older than its release', () => {
  expect(compareVersions('2.10.0', '2.9.9')).toBe(1)
  expect(compareVersions('2.4', '2.4.1')).toBe(-1)
  expect(compareVersions('2.4.0-rc1', '2.4.0')).toBe(-1)
  expect(compareVersions('2.4.1', '2.4.1')).toBe(0)
})
