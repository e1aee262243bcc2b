import type { Kysely } from 'kysely'
import type { RoostTables } from './schema.ts'
import type { MetaStore } from './store.ts'

export function createMetaStore(db: Kysely<RoostTables>): MetaStore {
  return {
    async get(key) {
      return (await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst())?.value
    },
    async set(key, value) {
      await db
        .insertInto('meta')
        .values({ key, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute()
    },
  }
}
