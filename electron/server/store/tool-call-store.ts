import { type Kysely, sql } from 'kysely'
import type { ToolAudit } from '../../contract/tool-registry.ts'
import type { HistoryBuffer } from './history-writes.ts'
import type { HistoryTables } from './schema.ts'
import type { ToolCallStore } from './tool-stores.ts'

export function createToolCallStore(db: Kysely<HistoryTables>, buffer: HistoryBuffer): ToolCallStore {
  return {
    put: (call) => buffer.add({ toolCall: call }, 1),
    async list({ name, deviceId, limit }) {
      // Who looks after their call finds it: writes wait a moment for company.
      await buffer.flush()
      let query = db.selectFrom('tool_calls').select('body')
      if (name !== undefined) query = query.where('name', '=', name)
      if (deviceId !== undefined) query = query.where('device_id', '=', deviceId)
      const rows = await query.orderBy('at', 'desc').orderBy('row', 'desc').limit(limit).execute()
      // Written by history-writes.ts.
      return rows.map(({ body }) => JSON.parse(body) as ToolAudit)
    },
    async usage(since) {
      return db
        .selectFrom('tool_calls')
        .select((of) => [
          'name',
          'version',
          of.fn.countAll<number>().as('calls'),
          of.fn.sum<number>(sql`case when outcome = 'ok' then 1 else 0 end`).as('ok'),
        ])
        .where('at', '>=', since)
        .groupBy(['name', 'version'])
        .execute()
    },
  }
}
