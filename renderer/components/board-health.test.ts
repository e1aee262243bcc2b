import { expect, test } from 'vitest'
import type { Device } from '../../electron/contract/device.ts'
import { failedRules } from './board-health.ts'

const healthy: Device = {
  id: 'a',
  name: 'A',
  board: 'box',
  firmware: { name: 'voice', version: '1' },
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
  rssiDbm: -60,
  heapFreeBytes: 80_000,
  replyMs: 900,
  counters: {},
  notice: null,
}

test('a healthy board fails no rule, and one without values neither', () => {
  expect(failedRules(healthy)).toEqual([])
  expect(failedRules({ ...healthy, rssiDbm: null, heapFreeBytes: null, replyMs: null })).toEqual([])
})

test('each bad value names its own rule', () => {
  expect(failedRules({ ...healthy, rssiDbm: -80, heapFreeBytes: 9_000, replyMs: 4_000 })).toEqual([
    'weak-signal',
    'low-heap',
    'slow-reply',
  ])
})

test('old values of a board that is away raise no alarm', () => {
  const away = { ...healthy, rssiDbm: -90, presence: { online: false, evidence: 'none', ageMs: 60_000 } as const }

  expect(failedRules(away)).toEqual([])
})
