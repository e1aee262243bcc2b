import type { Kysely } from 'kysely'
import { Alarm, CalendarEvent, NoteList } from '../../contract/helper-tools.ts'
import type { RoostTables } from './schema.ts'

/** What the built-in tools keep. A row that cannot be read (written by a later version) is left out. */
export interface HelperStore {
  /** Those that still have something to do: waiting, ringing, snoozed, missed. */
  alarms(): Promise<Alarm[]>
  putAlarm(alarm: Alarm): Promise<void>
  /** Removes what is over since before that moment. */
  pruneAlarms(before: number): Promise<void>
  noteLists(): Promise<NoteList[]>
  putNoteList(list: NoteList): Promise<void>
  removeNoteList(id: string): Promise<void>
  events(): Promise<CalendarEvent[]>
  /** In one transaction. */
  putEvents(events: readonly CalendarEvent[]): Promise<void>
  removeEvent(id: string): Promise<void>
}

const liveStates = ['waiting', 'ringing', 'snoozed', 'missed']

export function createHelperStore(db: Kysely<RoostTables>): HelperStore {
  return { ...alarmPart(db), ...notePart(db), ...calendarPart(db) }
}

/** Rows of a table of `body` documents that its shape still reads. */
function read<T>(
  rows: readonly { body: string }[],
  shape: { safeParse(value: unknown): { data?: T | undefined } },
): T[] {
  return rows.flatMap(({ body }) => shape.safeParse(JSON.parse(body)).data ?? [])
}

function alarmPart(db: Kysely<RoostTables>) {
  return {
    async alarms() {
      const rows = await db
        .selectFrom('alarms')
        .select('body')
        .where('state', 'in', liveStates)
        .orderBy('due_at')
        .execute()
      return read(rows, Alarm)
    },
    async putAlarm(alarm) {
      const row = { due_at: alarm.dueAt, state: alarm.state, body: JSON.stringify(alarm) }
      await db
        .insertInto('alarms')
        .values({ id: alarm.id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
    },
    async pruneAlarms(before) {
      await db.deleteFrom('alarms').where('state', 'not in', liveStates).where('due_at', '<', before).execute()
    },
  } satisfies Partial<HelperStore>
}

function notePart(db: Kysely<RoostTables>) {
  return {
    async noteLists() {
      return read(await db.selectFrom('note_lists').select('body').execute(), NoteList)
    },
    async putNoteList(list) {
      const body = JSON.stringify(list)
      await db
        .insertInto('note_lists')
        .values({ id: list.id, body })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ body }))
        .execute()
    },
    async removeNoteList(id) {
      await db.deleteFrom('note_lists').where('id', '=', id).execute()
    },
  } satisfies Partial<HelperStore>
}

function calendarPart(db: Kysely<RoostTables>) {
  return {
    async events() {
      return read(await db.selectFrom('calendar_events').select('body').orderBy('start_at').execute(), CalendarEvent)
    },
    async putEvents(events) {
      await db.transaction().execute(async (trx) => {
        for (const event of events) {
          const row = { start_at: event.start, body: JSON.stringify(event) }
          await trx
            .insertInto('calendar_events')
            .values({ id: event.id, ...row })
            .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
            .execute()
        }
      })
    },
    async removeEvent(id) {
      await db.deleteFrom('calendar_events').where('id', '=', id).execute()
    },
  } satisfies Partial<HelperStore>
}
