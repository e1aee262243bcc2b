import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import type { McpClient, McpServerInput } from '../../contract/mcp.ts'
import { openStore } from './open-store.ts'

async function open() {
  const dir = await mkdtemp(join(tmpdir(), 'roost-mcp-store-'))
  const store = await openStore({ dir, log: silentLog })
  onTestFinished(async () => {
    await store.close()
    await rm(dir, { recursive: true, force: true })
  })
  return store
}

const server: McpServerInput = {
  name: 'files',
  transport: { kind: 'stdio', command: 'node', args: ['x.mjs'], env: { KEY: null }, directory: null },
  enabled: true,
}

test('a server comes back with its secrets, and takes its consents with it when it goes', async () => {
  const { mcpServers } = await open()
  await mcpServers.put({ id: 'a', server, secrets: { KEY: 'one' } })
  await mcpServers.put({ id: 'a', server: { ...server, enabled: false }, secrets: { KEY: 'two' } })
  expect(await mcpServers.all()).toEqual([{ id: 'a', server: { ...server, enabled: false }, secrets: { KEY: 'two' } }])
  await mcpServers.putConsent({ serverId: 'a', tool: 'read', hash: '1', text: 'old', givenAt: 1 })
  await mcpServers.putConsent({ serverId: 'a', tool: 'read', hash: '2', text: 'new', givenAt: 2 })
  expect(await mcpServers.consents('a')).toEqual([{ serverId: 'a', tool: 'read', hash: '2', text: 'new', givenAt: 2 }])
  await mcpServers.remove('a')
  expect([await mcpServers.all(), await mcpServers.consents('a')]).toEqual([[], []])
})

test('counting the use of a client never undoes what a person changed', async () => {
  const { apiClients } = await open()
  const client: McpClient = {
    id: 'c',
    name: 'Desk',
    purpose: 'mcp',
    readOnly: true,
    allowed: ['set_lamp'],
    deviceIds: [],
    transcripts: false,
    createdAt: 1,
    expiresAt: 9,
    lastUsedAt: null,
    revokedAt: null,
    calls: 0,
  }
  await apiClients.put({ client, hash: 'h' })
  await apiClients.put({ client: { ...client, revokedAt: 5 }, hash: 'h' })
  await apiClients.noteUse('c', { lastUsedAt: 4, calls: 7 })
  expect(await apiClients.all()).toEqual([{ hash: 'h', client: { ...client, revokedAt: 5, lastUsedAt: 4, calls: 7 } }])
})
