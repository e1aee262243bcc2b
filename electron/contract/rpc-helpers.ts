import { eventIterator, oc } from '@orpc/contract'
import { z } from 'zod'
import { Alarm, CalendarEvent, MusicState, NoteList } from './helper-tools.ts'

const byId = z.object({ id: z.string() })
const done = z.object({ ok: z.literal(true) })

// What the built-in tools keep, for the console: the same data that a voice reaches.
export const helperRows = {
  alarms: {
    watch: oc.output(eventIterator(z.array(Alarm))),
    add: oc
      .input(
        Alarm.pick({ kind: true, deviceId: true, label: true, dueAt: true, wall: true, action: true, language: true }),
      )
      .output(Alarm),
    cancel: oc.input(byId).output(done),
    snooze: oc.input(byId.extend({ minutes: z.number().int().min(1).max(120) })).output(done),
    dismiss: oc.input(byId).output(done),
  },
  notes: {
    lists: oc.output(z.array(NoteList)),
    put: oc.input(NoteList).output(done),
    remove: oc.input(byId).output(done),
  },
  calendar: {
    /** Occurrences of repeated events are given one by one. */
    between: oc.input(z.object({ from: z.number(), to: z.number() })).output(z.array(CalendarEvent)),
    put: oc.input(CalendarEvent).output(done),
    remove: oc.input(byId).output(done),
    readIcs: oc
      .input(z.object({ text: z.string().max(2_000_000) }))
      .output(z.object({ added: z.number().int(), skipped: z.number().int() })),
    writeIcs: oc.output(z.object({ text: z.string() })),
  },
  music: {
    state: oc.output(MusicState),
    setFolder: oc.input(z.object({ folder: z.string().max(1000).nullable() })).output(MusicState),
  },
  announcements: {
    /**
     * Spoken on each board that has a session, as soon as it is idle: `reached` are those that will say it, `missed` the
     * others, each with the error code that says why. Rejects helper-too-long beyond 500 characters, and the code of
     * the first board when none was reached.
     */
    say: oc
      .input(z.object({ deviceIds: z.array(z.string()).min(1).max(200), text: z.string().trim().min(1).max(20_000) }))
      .output(
        z.object({
          reached: z.array(z.string()),
          missed: z.array(z.object({ deviceId: z.string(), code: z.string() })),
        }),
      ),
  },
}
