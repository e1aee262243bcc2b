import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { AppError } from '../../base/app-error.ts'
import type { Turn } from '../../contract/conversation.ts'
import type { HistoryBuffer } from './history-writes.ts'
import { inSteps, pruneTurns } from './prune-steps.ts'
import type { HistoryTables } from './schema.ts'
import type { TurnStore } from './store.ts'
import { searchQuery } from './turn-search.ts'

type Filter = Parameters<TurnStore['list']>[0]

export function createTurnStore(db: Kysely<HistoryTables>, buffer: HistoryBuffer): TurnStore {
  return {
    put: (turn) => buffer.add({ turn }, 1),
    async get(id) {
      const row = await db.selectFrom('turns').select('body').where('id', '=', id).executeTakeFirst()
      return row && toTurn(row)
    },
    async list(filter) {
      const from = filter.before === undefined ? undefined : readCursor(filter.before)
      const { total } = await filtered(db, filter)
        .select((of) => of.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      const rows = await filtered(db, filter)
        .$if(from !== undefined, (query) => query.where(sql<boolean>`(started_at, id) < (${from?.at}, ${from?.id})`))
        .select('body')
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        // One more than asked tells whether there is a next page.
        .limit(filter.limit + 1)
        .execute()
      const turns = rows.slice(0, filter.limit).map(toTurn)
      const last = turns.at(-1)
      return { turns, total, next: last && rows.length > filter.limit ? `${last.startedAt}~${last.id}` : null }
    },
    async count() {
      const { count } = await ended(db)
        .select((of) => of.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
    async running() {
      await buffer.flush()
      const rows = await db.selectFrom('turns').select('body').where(isRunning).execute()
      return rows.map(toTurn)
    },
    async oldest() {
      const { at } = await db
        .selectFrom('turns')
        .select((of) => of.fn.min<number | null>('started_at').as('at'))
        .executeTakeFirstOrThrow()
      return at ?? undefined
    },
    prune: (before) => buffer.flush().then(() => inSteps(() => pruneStep(db, before), pruneTurns)),
  }
}

function pruneStep(db: Kysely<HistoryTables>, before: number): Promise<{ numDeletedRows: bigint }> {
  return db.transaction().execute(async (trx) => {
    const old = trx
      .selectFrom('turns')
      .select('row')
      .where('started_at', '<', before)
      .orderBy('started_at')
      .orderBy('id')
      .limit(pruneTurns)
    await trx.deleteFrom('turn_search').where('rowid', 'in', old).execute()
    return trx.deleteFrom('turns').where('row', 'in', old).executeTakeFirst()
  })
}

/** Literally the condition of the index `turns_running`: with a parameter SQLite would not use it. */
const isRunning = sql<boolean>`status = 'running'`

/** As contract/conversation.ts has it (`turnKind`). */
const kindOf = sql<string>`case when json_extract(body, '$.source') = 'announcement'
  then coalesce(json_extract(body, '$.announced.kind'), 'announcement') else 'talk' end`

/** By row number, which every index carries: a count needs no look into the turns themselves. */
function ended(db: Kysely<HistoryTables>): SelectQueryBuilder<HistoryTables, 'turns', object> {
  return db.selectFrom('turns').where('row', 'not in', (of) => of.selectFrom('turns').select('row').where(isRunning))
}

function filtered(db: Kysely<HistoryTables>, filter: Filter): SelectQueryBuilder<HistoryTables, 'turns', object> {
  let query = ended(db)
  if (filter.deviceId !== undefined) query = query.where('device_id', '=', filter.deviceId)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (filter.kind !== undefined) query = query.where(kindOf, '=', filter.kind)
  if (filter.withTools !== undefined) query = query.where('calls', filter.withTools ? '>' : '=', 0)
  if (filter.slowerThanMs !== undefined) query = query.where('reply_ms', '>', filter.slowerThanMs)
  if (filter.toolRef !== undefined) {
    // As it stands in the document: inside another text its quotes would be escaped.
    const quoted = JSON.stringify(filter.toolRef).replace(/[\\%_]/g, '\\$&')
    query = query.where(sql<boolean>`body like ${`%${quoted}%`} escape '\\'`)
  }
  if (filter.text !== undefined && filter.text.trim() !== '') {
    const words = searchQuery(filter.text)
    query =
      words === undefined
        ? query.where(sql<boolean>`false`)
        : query.where('row', 'in', (of) =>
            of
              .selectFrom('turn_search')
              .select('rowid')
              .where(sql<boolean>`turn_search match ${words}`),
          )
  }
  return query
}

/** `startedAt~id` of the last turn shown: stable whatever is added or removed in between. */
function readCursor(text: string): { at: number; id: string } {
  const [, at, id] = /^(\d+(?:\.\d+)?)~(.+)$/s.exec(text) ?? []
  if (at === undefined || id === undefined) {
    throw new AppError('server-bad-request', `"${text.slice(0, 80)}" is no place in the list of turns`)
  }
  return { at: Number(at), id }
}

function toTurn(row: { body: string }): Turn {
  // Written by history-writes.ts.
  return JSON.parse(row.body) as Turn
}
