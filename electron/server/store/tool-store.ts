import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import { AppError } from '../../base/app-error.ts'
import { toolRef, type ToolVersion } from '../../contract/tool.ts'
import type { RoostTables } from './schema.ts'
import type { ToolStore } from './store.ts'

export function createToolStore(db: Kysely<RoostTables>): ToolStore {
  return {
    async all() {
      const rows = await db.selectFrom('tools').select(['body', 'status']).orderBy('name').orderBy('version').execute()
      return rows.map(toVersion)
    },
    put: (version, source) => db.transaction().execute((trx) => putVersion(trx, version, source.deviceId)),
    async setStatus(name, version, status) {
      await db.updateTable('tools').set({ status }).where('name', '=', name).where('version', '=', version).execute()
    },
    async declared(deviceId) {
      const row = await db
        .selectFrom('declared_tools')
        .select('names')
        .where('device_id', '=', deviceId)
        .executeTakeFirst()
      // Written by setDeclared.
      return row ? (JSON.parse(row.names) as string[]) : []
    },
    async setDeclared(deviceId, names) {
      const text = JSON.stringify(names)
      await db
        .insertInto('declared_tools')
        .values({ device_id: deviceId, names: text })
        .onConflict((conflict) => conflict.column('device_id').doUpdateSet({ names: text }))
        .execute()
    },
  }
}

/** Also part of a release (tool-edit-store.ts). */
export async function putVersion(
  trx: Kysely<RoostTables>,
  version: ToolVersion,
  deviceId: string | null,
): Promise<void> {
  const row = {
    status: version.status,
    created_at: version.createdAt,
    device_id: deviceId,
    body: JSON.stringify(version),
  }
  const known = await trx
    .selectFrom('tools')
    .select(['body', 'status'])
    .where('name', '=', version.name)
    .where('version', '=', version.version)
    .executeTakeFirst()
  if (known && known.status !== 'draft') {
    if (isDeepStrictEqual(content(toVersion(known)), content(version))) return
    throw new AppError('tool-version-fixed', `${toolRef(version)} is published with other content`)
  }
  await trx
    .insertInto('tools')
    .values({ name: version.name, version: version.version, ...row })
    .onConflict((conflict) => conflict.columns(['name', 'version']).doUpdateSet(row))
    .execute()
}

/** What must never change under a published number: not its life cycle, nor who brought it when. */
function content(version: ToolVersion): unknown {
  const { status: _status, createdAt: _createdAt, origin: _origin, ...rest } = version
  // Through JSON, so that a key that is undefined equals one that is missing.
  return JSON.parse(JSON.stringify(rest))
}

function toVersion(row: { body: string; status: ToolVersion['status'] }): ToolVersion {
  // Written by putVersion; the column has the later status.
  return { ...(JSON.parse(row.body) as ToolVersion), status: row.status }
}
