import type { Kysely } from 'kysely'
import { AppError } from '../../base/app-error.ts'
import type { ThingBinding, ThingDraft, ThingValue, ThingVersion } from '../../contract/thing.ts'
import type { HistoryBuffer } from './history-writes.ts'
import type { HistoryTables, RoostTables } from './schema.ts'

/** `draftId`: a simulation of a draft; null: of what is published. */
export interface StoredBinding extends ThingBinding {
  readonly draftId: string | null
}

/** How many values of one property are kept, newest first. */
export const keptValues = 2000

export interface ThingStore {
  versions(): Promise<ThingVersion[]>
  /** One transaction with the draft that it was. Rejects thing-publish-conflict when the number is taken. */
  addVersion(version: ThingVersion, draftId: string | null): Promise<void>
  /** Only what never belongs to the content: who gets it. */
  setCanary(version: Pick<ThingVersion, 'name' | 'version'>, canary: readonly string[]): Promise<void>
  drafts(): Promise<ThingDraft[]>
  putDraft(draft: ThingDraft): Promise<void>
  removeDraft(id: string): Promise<void>
  bindings(): Promise<StoredBinding[]>
  putBinding(binding: StoredBinding): Promise<void>
  /** With its history. */
  removeBinding(id: string): Promise<void>
  /** Versions, drafts and bindings of the name. */
  removeThing(name: string): Promise<void>
  /** Shares a commit with other history. */
  addValues(bindingId: string, values: readonly { property: string; at: number; value: ThingValue }[]): Promise<void>
  /** Oldest first. */
  values(query: { bindingId: string; property: string; limit: number }): Promise<{ at: number; value: ThingValue }[]>
  /** The newest of each property. */
  latest(bindingId: string): Promise<{ property: string; at: number; value: ThingValue }[]>
  /** Keeps the newest `keptValues` of the property. */
  trimValues(bindingId: string, property: string): Promise<void>
}

export function createThingStore(
  db: Kysely<RoostTables>,
  history: Kysely<HistoryTables>,
  buffer: HistoryBuffer,
): ThingStore {
  return { ...versionPart(db), ...draftPart(db), ...bindingPart(db, history), ...valuePart(history, buffer) }
}

function versionPart(db: Kysely<RoostTables>) {
  return {
    async versions() {
      const rows = await db.selectFrom('thing_versions').select('body').orderBy('name').orderBy('version').execute()
      // Written by addVersion.
      return rows.map(({ body }) => JSON.parse(body) as ThingVersion)
    },
    async addVersion(version, draftId) {
      await db.transaction().execute(async (trx) => {
        const { name, version: number, publishedAt } = version
        const added = await trx
          .insertInto('thing_versions')
          .values({ name, version: number, published_at: publishedAt, body: JSON.stringify(version) })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        if (Number(added.numInsertedOrUpdatedRows) === 0) {
          throw new AppError('thing-publish-conflict', `Version ${number} of ${name} was published meanwhile`)
        }
        if (draftId !== null) await trx.deleteFrom('thing_drafts').where('id', '=', draftId).execute()
      })
    },
    async setCanary({ name, version }, canary) {
      const one = db.selectFrom('thing_versions').select('body').where('name', '=', name).where('version', '=', version)
      const row = await one.executeTakeFirst()
      if (!row) return
      const body = JSON.stringify({ ...(JSON.parse(row.body) as ThingVersion), canary })
      await db
        .updateTable('thing_versions')
        .set({ body })
        .where('name', '=', name)
        .where('version', '=', version)
        .execute()
    },
    async removeThing(name) {
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom('thing_versions').where('name', '=', name).execute()
        await trx.deleteFrom('thing_drafts').where('name', '=', name).execute()
        await trx.deleteFrom('thing_bindings').where('thing', '=', name).execute()
      })
    },
  } satisfies Partial<ThingStore>
}

function draftPart(db: Kysely<RoostTables>) {
  return {
    async drafts() {
      const rows = await db.selectFrom('thing_drafts').select('body').orderBy('name').orderBy('author').execute()
      // Written by putDraft.
      return rows.map(({ body }) => JSON.parse(body) as ThingDraft)
    },
    async putDraft(draft) {
      const { id, name, author, revision, updatedAt } = draft
      const rest = { name, author, revision, updated_at: updatedAt, body: JSON.stringify(draft) }
      await db
        .insertInto('thing_drafts')
        .values({ id, ...rest })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
        .execute()
    },
    async removeDraft(id) {
      await db.deleteFrom('thing_drafts').where('id', '=', id).execute()
    },
  } satisfies Partial<ThingStore>
}

function bindingPart(db: Kysely<RoostTables>, history: Kysely<HistoryTables>) {
  return {
    async bindings() {
      const rows = await db.selectFrom('thing_bindings').select('body').orderBy('id').execute()
      // Written by putBinding.
      return rows.map(({ body }) => JSON.parse(body) as StoredBinding)
    },
    async putBinding(binding) {
      const rest = { thing: binding.thing, device_id: binding.deviceId, body: JSON.stringify(binding) }
      await db
        .insertInto('thing_bindings')
        .values({ id: binding.id, ...rest })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
        .execute()
    },
    async removeBinding(id) {
      await db.deleteFrom('thing_bindings').where('id', '=', id).execute()
      await history.deleteFrom('thing_values').where('binding_id', '=', id).execute()
    },
  } satisfies Partial<ThingStore>
}

function valuePart(history: Kysely<HistoryTables>, buffer: HistoryBuffer) {
  const of = (bindingId: string, property: string) =>
    history
      .selectFrom('thing_values')
      .where('binding_id', '=', bindingId)
      .where('property', '=', property)
      .orderBy('at', 'desc')
  // Written by writeThingValues.
  const parsed = (value: string) => JSON.parse(value) as ThingValue
  return {
    async addValues(bindingId, values) {
      const rows = values.map(({ property, at, value }) => [bindingId, property, at, JSON.stringify(value)] as const)
      if (rows.length > 0) await buffer.add({ thingValues: rows }, rows.length)
    },
    async values({ bindingId, property, limit }) {
      const rows = await of(bindingId, property).select(['at', 'value']).limit(limit).execute()
      return rows.map(({ at, value }) => ({ at, value: parsed(value) })).reverse()
    },
    async latest(bindingId) {
      const rows = await history
        .selectFrom('thing_values as newest')
        .select(['newest.property', 'newest.at', 'newest.value'])
        .where('newest.binding_id', '=', bindingId)
        .where('newest.at', '=', (inner) =>
          inner
            .selectFrom('thing_values as any')
            .select((of) => of.fn.max<number>('any.at').as('at'))
            .whereRef('any.binding_id', '=', 'newest.binding_id')
            .whereRef('any.property', '=', 'newest.property'),
        )
        .execute()
      return rows.map(({ property, at, value }) => ({ property, at, value: parsed(value) }))
    },
    async trimValues(bindingId, property) {
      const oldest = await of(bindingId, property).select('at').limit(1).offset(keptValues).executeTakeFirst()
      if (!oldest) return
      await history
        .deleteFrom('thing_values')
        .where('binding_id', '=', bindingId)
        .where('property', '=', property)
        .where('at', '<=', oldest.at)
        .execute()
    },
  } satisfies Partial<ThingStore>
}
