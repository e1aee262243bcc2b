import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { AppError } from '../../../base/app-error.ts'
import type { Log } from '../../../base/log.ts'
import type { McpClient } from '../../../contract/mcp.ts'
import { refuseUnknownTools } from '../known-names.ts'
import type { ApiClientRow, ApiClientStore } from '../../store/api-client-store.ts'

type Rights = Pick<McpClient, 'readOnly' | 'allowed' | 'deviceIds' | 'transcripts'>
export type ClientOrder = Rights & Pick<McpClient, 'name' | 'purpose'> & { readonly days: number }
export type ClientRefusal = 'mcp-token-unknown' | 'mcp-token-expired' | 'mcp-token-revoked' | 'mcp-wrong-purpose'

/** Outside programs with a token of their own, each with what it may do and until when. */
export interface ApiClients {
  /** Newest first. */
  list(): McpClient[]
  /** The token is returned this once; its hash is kept. Rejects mcp-too-many, tool-names-unknown. */
  make(order: ClientOrder): Promise<{ client: McpClient; token: string }>
  /** A name that stood in the list stays, whatever became of its tool. Rejects mcp-client-unknown, tool-names-unknown. */
  update(change: Rights & Pick<McpClient, 'id'>): Promise<void>
  /** For ever, and at once: live sessions end. */
  revoke(id: string): Promise<void>
  admit(token: string, purpose: McpClient['purpose']): { client: McpClient } | { refusal: ClientRefusal }
  /** Undefined once it has expired or was revoked. */
  current(id: string): McpClient | undefined
  noteCall(id: string): void
  /** Rights changed or ended. */
  onChange(listener: (id: string) => void): void
  close(): Promise<void>
}

export interface ApiClientsOptions {
  readonly store: ApiClientStore
  readonly now: () => number
  readonly log: Log
  /** Names that a list of allowed tools may hold; undefined where nobody knows them yet. */
  readonly toolNames?: (() => Iterable<string> | undefined) | undefined
}

const maxClients = 200
const dayMs = 24 * 3_600_000
const flushMs = 5_000

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

export async function openApiClients({ store, now, log, toolNames }: ApiClientsOptions): Promise<ApiClients> {
  const rows = new Map((await store.all()).map((row) => [row.client.id, row]))
  const byHash = new Map([...rows.values()].map((row) => [row.hash, row.client.id]))
  const listeners = new Set<(id: string) => void>()
  const uses = createUseWriter(store, log)

  function found(id: string) {
    const row = rows.get(id)
    if (!row) throw new AppError('mcp-client-unknown', `There is no client ${id}`)
    return row
  }

  async function change(id: string, part: Partial<McpClient>): Promise<void> {
    const changed = () => ({ ...found(id), client: { ...found(id).client, ...part } })
    await store.put(changed())
    // Anew: calls were counted meanwhile.
    rows.set(id, changed())
    listeners.forEach((listener) => listener(id))
  }

  const current = (id: string) => {
    const client = rows.get(id)?.client
    return client?.revokedAt === null && client.expiresAt > now() ? client : undefined
  }
  const live = () => [...rows.keys()].filter(current)

  async function add(row: ApiClientRow): Promise<void> {
    await store.put(row)
    rows.set(row.client.id, row)
    byHash.set(row.hash, row.client.id)
  }

  return {
    list: () => [...rows.values()].map(({ client }) => client).sort((a, b) => b.createdAt - a.createdAt),
    async make({ days, ...order }) {
      checkNames(order.allowed, [], toolNames)
      if (live().length >= maxClients) throw new AppError('mcp-too-many', `There are ${maxClients} live clients`)
      const token = `roost_${order.purpose}_${randomBytes(32).toString('base64url')}`
      const client = newClient(order, { at: now(), days })
      await add({ client, hash: hashOf(token) })
      return { client, token }
    },
    async update({ id, ...rights }) {
      checkNames(rights.allowed, found(id).client.allowed, toolNames)
      await change(id, rights)
    },
    revoke: async (id) => change(id, { revokedAt: found(id).client.revokedAt ?? now() }),
    admit(token, purpose) {
      // The hash of 256 random bits is what is looked up: how long that takes says nothing about the token.
      const client = rows.get(byHash.get(hashOf(token)) ?? '')?.client
      const refusal = refusalOf(client, purpose, now())
      return client && !refusal ? { client } : { refusal: refusal ?? 'mcp-token-unknown' }
    },
    current,
    noteCall(id) {
      const row = found(id)
      const client = { ...row.client, calls: row.client.calls + 1, lastUsedAt: now() }
      rows.set(id, { ...row, client })
      uses.note(client)
    },
    onChange: (listener) => void listeners.add(listener),
    close: () => uses.close(),
  }
}

function checkNames(
  allowed: readonly string[],
  kept: readonly string[],
  toolNames: ApiClientsOptions['toolNames'],
): void {
  const known = toolNames?.()
  if (known) refuseUnknownTools(allowed, [...known, ...kept])
}

function newClient(rights: Omit<ClientOrder, 'days'>, { at, days }: { at: number; days: number }): McpClient {
  const life = { createdAt: at, expiresAt: at + days * dayMs, lastUsedAt: null, revokedAt: null }
  return { ...rights, ...life, id: randomUUID(), calls: 0 }
}

function refusalOf(client: McpClient | undefined, purpose: McpClient['purpose'], now: number) {
  if (!client) return 'mcp-token-unknown'
  if (client.revokedAt !== null) return 'mcp-token-revoked'
  if (client.expiresAt <= now) return 'mcp-token-expired'
  return client.purpose === purpose ? undefined : 'mcp-wrong-purpose'
}

/** Counters are written in batches: each call a commit of its own would be more work than the call. */
function createUseWriter(store: ApiClientStore, log: Log) {
  const waiting = new Map<string, { lastUsedAt: number; calls: number }>()
  const timer = setInterval(() => void flush(), flushMs).unref()

  async function flush(): Promise<void> {
    const uses = [...waiting]
    waiting.clear()
    for (const [id, use] of uses) {
      await store.noteUse(id, use).catch((error: unknown) => log.warn('use not kept', { error }))
    }
  }

  return {
    note: ({ id, lastUsedAt, calls }: McpClient & { lastUsedAt: number }) =>
      void waiting.set(id, { lastUsedAt, calls }),
    async close(): Promise<void> {
      clearInterval(timer)
      await flush()
    },
  }
}
