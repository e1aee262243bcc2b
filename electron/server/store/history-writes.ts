import { type Kysely, sql } from 'kysely'
import type { AppError } from '../../base/app-error.ts'
import type { Turn } from '../../contract/conversation.ts'
import type { BoardEvent } from '../../contract/telemetry.ts'
import type { ToolAudit } from '../../contract/tool-registry.ts'
import type { HistoryTables } from './schema.ts'
import { searchShadow } from './turn-search.ts'
import { createWriteBuffer, type WriteBuffer } from './write-buffer.ts'

/** One caller's write to history.db; many of them share a commit. */
export interface HistoryWrite {
  readonly turn?: Turn
  readonly toolCall?: ToolAudit
  readonly samples?: readonly (readonly [deviceId: string, metric: string, at: number, value: number])[]
  readonly events?: readonly BoardEvent[]
  readonly logs?: readonly (readonly [deviceId: string, at: number, line: string])[]
  readonly thingValues?: readonly (readonly [bindingId: string, property: string, at: number, value: string])[]
}

export type HistoryBuffer = WriteBuffer<HistoryWrite>

/** A commit of this file costs well under a millisecond, so 25 ms of company is plenty; 50,000 rows may wait. */
export function createHistoryBuffer(
  db: Kysely<HistoryTables>,
  on: { dropped(rows: number, error: AppError): void; kept(): void },
): HistoryBuffer {
  return createWriteBuffer<HistoryWrite>({
    async write(items) {
      await db.transaction().execute((trx) => writeAll(trx, items))
      on.kept()
    },
    delayMs: 25,
    batchRows: 2000,
    maxRows: 50_000,
    onDropped: (rows, error) => on.dropped(rows, error),
  })
}

async function writeAll(trx: Kysely<HistoryTables>, items: readonly HistoryWrite[]): Promise<void> {
  for (const { turn } of items) if (turn) await writeTurn(trx, turn)
  await writeToolCalls(
    trx,
    items.flatMap((item) => item.toolCall ?? []),
  )
  await writeSamples(
    trx,
    items.flatMap((item) => item.samples ?? []),
  )
  await writeEvents(
    trx,
    items.flatMap((item) => item.events ?? []),
  )
  await writeLogs(
    trx,
    items.flatMap((item) => item.logs ?? []),
  )
  await writeThingValues(
    trx,
    items.flatMap((item) => item.thingValues ?? []),
  )
}

async function writeTurn(trx: Kysely<HistoryTables>, turn: Turn): Promise<void> {
  const rest = {
    device_id: turn.deviceId,
    started_at: turn.startedAt,
    status: turn.status,
    calls: turn.calls.length,
    reply_ms: turn.replyMs,
    body: JSON.stringify(turn),
  }
  const { row } = await trx
    .insertInto('turns')
    .values({ id: turn.id, ...rest })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
    .returning('row')
    .executeTakeFirstOrThrow()
  const words = { user_text: searchShadow(turn.userText), reply_text: searchShadow(turn.replyText) }
  await trx.deleteFrom('turn_search').where('rowid', '=', row).execute()
  await trx
    .insertInto('turn_search')
    .values({ rowid: row, ...words })
    .execute()
}

// Rows of telemetry travel as one JSON parameter: building a statement of 500 rows would cost the main loop
// milliseconds, and the statement would never be the same twice. PostgreSQL's twin of json_each is
// jsonb_array_elements, of ->> with a number the same operator.

async function writeSamples(trx: Kysely<HistoryTables>, rows: readonly (readonly unknown[])[]): Promise<void> {
  if (rows.length === 0) return
  const json = JSON.stringify(rows)
  await sql`insert into series (device_id, metric)
    select distinct value ->> 0, value ->> 1 from json_each(${json}) where true
    on conflict do nothing`.execute(trx)
  await sql`insert into samples (series, at, value)
    select series.id, each.value ->> 2, each.value ->> 3 from json_each(${json}) as each
    join series on series.device_id = each.value ->> 0 and series.metric = each.value ->> 1 where true
    on conflict (series, at) do update set value = excluded.value`.execute(trx)
}

async function writeEvents(trx: Kysely<HistoryTables>, events: readonly BoardEvent[]): Promise<void> {
  if (events.length === 0) return
  const json = JSON.stringify(events.map((event) => [event.deviceId, event.at, event.level, event.code, event.message]))
  await sql`insert into events (device_id, at, level, code, message)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(${json})`.execute(trx)
}

async function writeToolCalls(trx: Kysely<HistoryTables>, calls: readonly ToolAudit[]): Promise<void> {
  if (calls.length === 0) return
  const json = JSON.stringify(
    calls.map((call) => {
      const [name = '', version] = call.ref.split('@')
      return [
        call.id,
        call.at,
        call.deviceId,
        name,
        version ? Number(version) : null,
        call.outcome,
        JSON.stringify(call),
      ]
    }),
  )
  await sql`insert into tool_calls (id, at, device_id, name, version, outcome, body)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
    from json_each(${json}) where true on conflict (id) do nothing`.execute(trx)
}

async function writeLogs(trx: Kysely<HistoryTables>, rows: readonly (readonly unknown[])[]): Promise<void> {
  if (rows.length === 0) return
  await sql`insert into logs (device_id, at, line)
    select value ->> 0, value ->> 1, value ->> 2 from json_each(${JSON.stringify(rows)})`.execute(trx)
}

async function writeThingValues(trx: Kysely<HistoryTables>, rows: readonly (readonly unknown[])[]): Promise<void> {
  if (rows.length === 0) return
  await sql`insert into thing_values (binding_id, property, at, value)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(${JSON.stringify(rows)}) where true
    on conflict (binding_id, property, at) do update set value = excluded.value`.execute(trx)
}
