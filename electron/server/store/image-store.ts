import type { Kysely } from 'kysely'
import type { LibraryImage } from '../../contract/rpc.ts'
import type { RoostTables } from './schema.ts'
import type { ImageStore } from './store.ts'

export function createImageStore(db: Kysely<RoostTables>): ImageStore {
  return {
    async all() {
      const rows = await db.selectFrom('images').select('body').orderBy('added_at').orderBy('id').execute()
      // Written by put.
      return rows.map((row) => JSON.parse(row.body) as LibraryImage)
    },
    async put(image) {
      const rest = { added_at: image.addedAt, body: JSON.stringify(image) }
      await db
        .insertInto('images')
        .values({ id: image.id, ...rest })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
        .execute()
    },
    async remove(id) {
      await db.deleteFrom('images').where('id', '=', id).execute()
    },
  }
}
