import type { Kysely } from 'kysely'
import type { RoostTables } from './schema.ts'
import type { AccountStore } from './store.ts'

export function createAccountStore(db: Kysely<RoostTables>): AccountStore {
  return {
    async owner() {
      const row = await db.selectFrom('accounts').select('name').orderBy('created_at').limit(1).executeTakeFirst()
      return row?.name
    },
    async count() {
      const row = await db
        .selectFrom('accounts')
        .select((of) => of.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return row.count
    },
    async get(name) {
      const row = await db.selectFrom('accounts').selectAll().where('name', '=', name).executeTakeFirst()
      return row && { name: row.name, role: row.role, passwordHash: row.password_hash, createdAt: row.created_at }
    },
    async add(row) {
      await db
        .insertInto('accounts')
        .values({ name: row.name, role: row.role, password_hash: row.passwordHash, created_at: row.createdAt })
        .execute()
    },
    async putSession(row) {
      const rest = { account: row.account, created_at: row.createdAt, expires_at: row.expiresAt }
      await db
        .insertInto('console_sessions')
        .values({ hash: row.hash, ...rest })
        .onConflict((conflict) => conflict.column('hash').doUpdateSet(rest))
        .execute()
      // Sessions that ended are of no use to anyone; a new login is a good moment to drop them.
      await db.deleteFrom('console_sessions').where('expires_at', '<', row.createdAt).execute()
    },
    async session(hash) {
      const row = await db.selectFrom('console_sessions').selectAll().where('hash', '=', hash).executeTakeFirst()
      return row && { hash: row.hash, account: row.account, createdAt: row.created_at, expiresAt: row.expires_at }
    },
    async removeSession(hash) {
      await db.deleteFrom('console_sessions').where('hash', '=', hash).execute()
    },
  }
}
