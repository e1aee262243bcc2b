import type { Kysely } from 'kysely'
import type { ToolCase, ToolDraft, ToolRelease } from '../../contract/tool-registry.ts'
import type { RoostTables } from './schema.ts'
import { putVersion } from './tool-store.ts'
import type { ToolEditStore } from './tool-stores.ts'

/** `body` is always written here, from the contract's type, so it is read as one. */
export function createToolEditStore(db: Kysely<RoostTables>): ToolEditStore {
  return {
    async releases() {
      const rows = await db.selectFrom('tool_releases').select('body').orderBy('published_at').execute()
      return rows.map(({ body }) => JSON.parse(body) as ToolRelease)
    },
    putRelease: (release) => putRelease(db, release),
    release: ({ version, release, draftId, deviceId }) =>
      db.transaction().execute(async (trx) => {
        await putVersion(trx, version, deviceId ?? null)
        await putRelease(trx, release)
        if (draftId !== undefined) await trx.deleteFrom('tool_drafts').where('id', '=', draftId).execute()
      }),
    async drafts() {
      const rows = await db.selectFrom('tool_drafts').select('body').orderBy('updated_at').execute()
      return rows.map(({ body }) => JSON.parse(body) as ToolDraft)
    },
    async putDraft(draft) {
      const rest = { revision: draft.revision, updated_at: draft.updatedAt, body: JSON.stringify(draft) }
      await db
        .insertInto('tool_drafts')
        .values({ id: draft.id, name: draft.name, author: draft.author, ...rest })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
        .execute()
    },
    async removeDraft(id) {
      await db.deleteFrom('tool_drafts').where('id', '=', id).execute()
    },
    async settings() {
      const rows = await db.selectFrom('tool_settings').selectAll().execute()
      return rows.map((row) => ({
        name: row.name,
        enabled: row.enabled === 1,
        cases: JSON.parse(row.cases) as ToolCase[],
      }))
    },
    async putSettings({ name, enabled, cases }) {
      const rest = { enabled: Number(enabled), cases: JSON.stringify(cases) }
      await db
        .insertInto('tool_settings')
        .values({ name, ...rest })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(rest))
        .execute()
    },
  }
}

async function putRelease(db: Kysely<RoostTables>, release: ToolRelease): Promise<void> {
  const rest = { published_at: release.publishedAt, body: JSON.stringify(release) }
  await db
    .insertInto('tool_releases')
    .values({ name: release.name, version: release.version, ...rest })
    .onConflict((conflict) => conflict.columns(['name', 'version']).doUpdateSet(rest))
    .execute()
}
