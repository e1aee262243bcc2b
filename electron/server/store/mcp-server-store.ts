import type { Kysely } from 'kysely'
import type { McpServerInput } from '../../contract/mcp.ts'
import type { RoostTables } from './schema.ts'

/** `secrets`: values of environment variables or headers by name; the input's own records hold none. */
export interface McpServerRow {
  readonly id: string
  readonly server: McpServerInput
  readonly secrets: Readonly<Record<string, string>>
}

export interface McpConsentRow {
  readonly serverId: string
  readonly tool: string
  readonly hash: string
  /** The description that a person agreed to. */
  readonly text: string
  readonly givenAt: number
}

export interface McpServerStore {
  all(): Promise<McpServerRow[]>
  put(row: McpServerRow): Promise<void>
  /** Its consents go with it. */
  remove(id: string): Promise<void>
  consents(serverId: string): Promise<McpConsentRow[]>
  /** Replaces the one of the same tool. */
  putConsent(row: McpConsentRow): Promise<void>
}

export function createMcpServerStore(db: Kysely<RoostTables>): McpServerStore {
  return {
    async all() {
      const rows = await db.selectFrom('mcp_servers').selectAll().orderBy('name').execute()
      // Both texts are written by put.
      return rows.map((row) => ({
        id: row.id,
        server: JSON.parse(row.body) as McpServerInput,
        secrets: JSON.parse(row.secrets) as Record<string, string>,
      }))
    },
    async put({ id, server, secrets }) {
      const row = { name: server.name, body: JSON.stringify(server), secrets: JSON.stringify(secrets) }
      await db
        .insertInto('mcp_servers')
        .values({ id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
    },
    async remove(id) {
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom('mcp_consents').where('server_id', '=', id).execute()
        await trx.deleteFrom('mcp_servers').where('id', '=', id).execute()
      })
    },
    async consents(serverId) {
      const rows = await db.selectFrom('mcp_consents').selectAll().where('server_id', '=', serverId).execute()
      return rows.map((row) => ({
        serverId: row.server_id,
        tool: row.tool,
        hash: row.hash,
        text: row.text,
        givenAt: row.given_at,
      }))
    },
    async putConsent({ serverId, tool, hash, text, givenAt }) {
      const row = { hash, text, given_at: givenAt }
      await db
        .insertInto('mcp_consents')
        .values({ server_id: serverId, tool, ...row })
        .onConflict((conflict) => conflict.columns(['server_id', 'tool']).doUpdateSet(row))
        .execute()
    },
  }
}
