import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../../base/log.ts'
import type { McpClient } from '../../../contract/mcp.ts'
import type { ApiClientRow } from '../../store/api-client-store.ts'
import { openApiClients } from './api-clients.ts'
import { createClientBudget } from './client-budget.ts'
import { createEventLog } from './event-log.ts'

const notice = (size = 0) => ({
  jsonrpc: '2.0' as const,
  method: 'notifications/x',
  params: { text: 'x'.repeat(size) },
})

test('a budget gives a burst at once and then what the minute allows', () => {
  const budget = createClientBudget()
  const take = (count: number, at: number) =>
    Array.from({ length: count }, () => budget.take('call', at)).filter(Boolean).length
  expect([take(30, 1_000), take(30, 1_000), take(30, 11_000), take(30, 600_000)]).toEqual([20, 0, 10, 20])
  expect(budget.take('request', 600_000)).toBe(true)
})

test('what came after an event is replayed in its own stream, without the empty ones', async () => {
  const log = createEventLog()
  const first = await log.storeEvent('a', {} as never)
  await log.storeEvent('b', notice())
  const second = await log.storeEvent('a', notice())
  const sent: string[] = []
  const send = async (id: string) => void sent.push(id)
  expect(await log.replayEventsAfter(first, { send })).toBe('a')
  expect(sent).toEqual([second])
  await expect(log.replayEventsAfter('99', { send })).rejects.toThrow('no longer kept')
})

test('the log of a session never holds more than 200 events or 1 MiB', async () => {
  const log = createEventLog()
  for (let count = 0; count < 201; count += 1) await log.storeEvent('a', notice())
  expect([await log.getStreamIdForEventId?.('1'), await log.getStreamIdForEventId?.('2')]).toEqual([undefined, 'a'])
  for (let count = 0; count < 3; count += 1) await log.storeEvent('a', notice(400_000))
  expect(await log.getStreamIdForEventId?.('202')).toBeUndefined()
  expect(await log.getStreamIdForEventId?.('203')).toBe('a')
})

test('a token opens until its day, for its purpose, and is kept as a hash alone', async () => {
  const kept = new Map<string, ApiClientRow>()
  let now = 1_000
  const store = {
    all: async () => [...kept.values()],
    put: async (row: ApiClientRow) => void kept.set(row.client.id, row),
    noteUse: async () => undefined,
  }
  const clients = await openApiClients({ store, now: () => now, log: silentLog })
  onTestFinished(() => clients.close())
  const ended: string[] = []
  clients.onChange((id) => void ended.push(id))
  const rights = { readOnly: true, allowed: [], deviceIds: [], transcripts: false } satisfies Partial<McpClient>
  const { client, token } = await clients.make({ ...rights, name: 'Desk', purpose: 'mcp', days: 1 })
  expect(JSON.stringify([...kept])).not.toContain(token)
  expect(clients.admit(token, 'mcp')).toEqual({ client })
  expect(clients.admit(token, 'metrics')).toEqual({ refusal: 'mcp-wrong-purpose' })
  expect(clients.admit(`${token}a`, 'mcp')).toEqual({ refusal: 'mcp-token-unknown' })
  now = client.expiresAt
  expect([clients.admit(token, 'mcp'), clients.current(client.id)]).toEqual([
    { refusal: 'mcp-token-expired' },
    undefined,
  ])
  now = 1_000
  await clients.revoke(client.id)
  expect(clients.admit(token, 'mcp')).toEqual({ refusal: 'mcp-token-revoked' })
  expect(ended).toEqual([client.id])
  await expect(clients.revoke('nobody')).rejects.toMatchObject({ code: 'mcp-client-unknown' })
  // Kept over a restart.
  const later = await openApiClients({ store, now: () => now, log: silentLog })
  onTestFinished(() => later.close())
  expect(later.admit(token, 'mcp')).toEqual({ refusal: 'mcp-token-revoked' })
})
