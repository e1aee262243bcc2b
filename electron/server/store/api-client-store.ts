import type { Kysely } from 'kysely'
import type { McpClient } from '../../contract/mcp.ts'
import type { RoostTables } from './schema.ts'

/** `hash`: SHA-256 of the token, which itself is kept nowhere. */
export interface ApiClientRow {
  readonly client: McpClient
  readonly hash: string
}

export interface ApiClientStore {
  all(): Promise<ApiClientRow[]>
  put(row: ApiClientRow): Promise<void>
  /** Only the counters: what a person changed meanwhile stays. */
  noteUse(id: string, use: { lastUsedAt: number; calls: number }): Promise<void>
}

export function createApiClientStore(db: Kysely<RoostTables>): ApiClientStore {
  return {
    async all() {
      const rows = await db.selectFrom('api_clients').selectAll().execute()
      return rows.map((row) => ({
        hash: row.hash,
        client: {
          // Written by put; the columns have the later counters.
          ...(JSON.parse(row.body) as McpClient),
          lastUsedAt: row.last_used_at,
          calls: row.calls,
        },
      }))
    },
    async put({ client, hash }) {
      const row = {
        hash,
        purpose: client.purpose,
        expires_at: client.expiresAt,
        revoked_at: client.revokedAt,
        body: JSON.stringify(client),
      }
      await db
        .insertInto('api_clients')
        .values({ id: client.id, last_used_at: client.lastUsedAt, calls: client.calls, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
    },
    async noteUse(id, { lastUsedAt, calls }) {
      await db.updateTable('api_clients').set({ last_used_at: lastUsedAt, calls }).where('id', '=', id).execute()
    },
  }
}
