import type { Kysely } from 'kysely'
import type { DeviceClass, ToolPolicy } from '../../contract/tool-policy.ts'
import type { RoostTables } from './schema.ts'
import type { ToolPolicyStore } from './tool-stores.ts'

export function createToolPolicyStore(db: Kysely<RoostTables>): ToolPolicyStore {
  return {
    async policies() {
      const rows = await db.selectFrom('tool_policies').select('body').orderBy('scope').orderBy('id').execute()
      // Written by putPolicy.
      return rows.map(({ body }) => JSON.parse(body) as ToolPolicy)
    },
    async putPolicy(policy) {
      const body = JSON.stringify(policy)
      await db
        .insertInto('tool_policies')
        .values({ scope: policy.scope, id: policy.id, body })
        .onConflict((conflict) => conflict.columns(['scope', 'id']).doUpdateSet({ body }))
        .execute()
    },
    async removePolicy(scope, id) {
      await db.deleteFrom('tool_policies').where('scope', '=', scope).where('id', '=', id).execute()
    },
    async classes() {
      const rows = await db.selectFrom('classes').select('body').orderBy('id').execute()
      // Written by putClasses.
      return rows.map(({ body }) => JSON.parse(body) as DeviceClass)
    },
    putClasses: (classes) =>
      db.transaction().execute(async (trx) => {
        for (const one of classes) {
          const rest = { active: Number(one.active), body: JSON.stringify(one) }
          await trx
            .insertInto('classes')
            .values({ id: one.id, ...rest })
            .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
            .execute()
        }
      }),
    async removeClass(id) {
      await db.deleteFrom('classes').where('id', '=', id).execute()
    },
  }
}
