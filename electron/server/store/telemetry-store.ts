import { type Kysely, sql } from 'kysely'
import type { SampleColumn } from '../../contract/telemetry.ts'
import type { HistoryBuffer } from './history-writes.ts'
import { inSteps, pruneRows } from './prune-steps.ts'
import type { HistoryTables } from './schema.ts'
import type { TelemetryStore } from './store.ts'

export function createTelemetryStore(db: Kysely<HistoryTables>, buffer: HistoryBuffer): TelemetryStore {
  return {
    async add(deviceId, samples) {
      if (samples.length === 0) return
      const rows = samples.map(({ metric, at, value }) => [deviceId, metric, at, value] as const)
      await buffer.add({ samples: rows }, rows.length)
    },
    async addEvents(events) {
      if (events.length > 0) await buffer.add({ events }, events.length)
    },
    async addLogs(deviceId, lines) {
      if (lines.length === 0) return
      await buffer.add({ logs: lines.map(({ at, line }) => [deviceId, at, line] as const) }, lines.length)
    },
    async events(deviceId, limit) {
      const rows = await db
        .selectFrom('events')
        .select(['device_id', 'at', 'level', 'code', 'message'])
        .where('device_id', '=', deviceId)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ device_id, ...rest }) => ({ deviceId: device_id, ...rest }))
    },
    logs: (deviceId, limit) =>
      db
        .selectFrom('logs')
        .select(['at', 'line'])
        .where('device_id', '=', deviceId)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    latest: (deviceId, metric) =>
      ofSeries(db, deviceId, metric).select(['at', 'value']).orderBy('at', 'desc').limit(1).executeTakeFirst(),
    async metrics(deviceId) {
      let query = db.selectFrom('series').select('metric').distinct().orderBy('metric')
      if (deviceId !== undefined) query = query.where('device_id', '=', deviceId)
      return (await query.execute()).map((row) => row.metric)
    },
    columns: (query) => columns(db, query),
    async oldest() {
      const row = await db
        .selectFrom('samples')
        .select((of) => of.fn.min<number | null>('at').as('at'))
        .executeTakeFirst()
      return row?.at ?? undefined
    },
    prune: (before) => buffer.flush().then(() => prune(db, before)),
    forget: (deviceId) => buffer.flush().then(() => forget(db, deviceId)),
  }
}

function ofSeries(db: Kysely<HistoryTables>, deviceId: string, metric: string) {
  const series = db.selectFrom('series').select('id').where('device_id', '=', deviceId).where('metric', '=', metric)
  return db.selectFrom('samples').where('series', '=', series)
}

/** One row a drawn column, made where the samples are: a month is never sent to be thinned elsewhere. */
async function columns(
  db: Kysely<HistoryTables>,
  query: Parameters<TelemetryStore['columns']>[0],
): Promise<SampleColumn[]> {
  const width = (query.to - query.from) / query.columns
  if (!(width > 0)) return []
  return ofSeries(db, query.deviceId, query.metric)
    .where('at', '>=', query.from)
    .where('at', '<', query.to)
    .select((of) => [
      of.fn.min('at').as('at'),
      of.fn.min('value').as('min'),
      of.fn.max('value').as('max'),
      of.fn.avg<number>('value').as('mean'),
      of.fn.countAll<number>().as('count'),
    ])
    .groupBy(sql`cast(floor((at - ${query.from}) / ${width}) as integer)`)
    .orderBy('at')
    .execute()
}

async function prune(db: Kysely<HistoryTables>, before: number): Promise<number> {
  const samples = db.selectFrom('samples').select(['series', 'at']).where('at', '<', before).limit(pruneRows)
  let gone = await inSteps(() =>
    db
      .deleteFrom('samples')
      .where((of) => of(of.refTuple('series', 'at'), 'in', samples.$asTuple('series', 'at')))
      .executeTakeFirst(),
  )
  for (const table of ['events', 'logs'] as const) {
    const old = db.selectFrom(table).select('id').where('at', '<', before).limit(pruneRows)
    gone += await inSteps(() => db.deleteFrom(table).where('id', 'in', old).executeTakeFirst())
  }
  const calls = db.selectFrom('tool_calls').select('row').where('at', '<', before).limit(pruneRows)
  gone += await inSteps(() => db.deleteFrom('tool_calls').where('row', 'in', calls).executeTakeFirst())
  await sql`delete from series where not exists (select 1 from samples where samples.series = series.id)`.execute(db)
  return gone
}

async function forget(db: Kysely<HistoryTables>, deviceId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const turns = trx.selectFrom('turns').select('row').where('device_id', '=', deviceId)
    await trx.deleteFrom('turn_search').where('rowid', 'in', turns).execute()
    for (const table of ['turns', 'series', 'events', 'logs', 'tool_calls'] as const) {
      await trx.deleteFrom(table).where('device_id', '=', deviceId).execute()
    }
  })
}
