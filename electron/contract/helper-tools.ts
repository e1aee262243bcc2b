import { z } from 'zod'

// What the built-in tools keep: alarms, notes, calendar, music. Instants are ms since epoch; a wall time carries its
// time zone, so that "at seven" stays seven when the clocks change.

/** Characters of an announcement: nobody listens for more than half a minute. */
export const longestAnnouncement = 500

/** `on`: ISO weekdays 1–7 of a repeated one; empty: once. */
export const Alarm = z.object({
  id: z.string(),
  kind: z.enum(['timer', 'alarm', 'reminder', 'action']),
  deviceId: z.string(),
  label: z.string().max(200),
  dueAt: z.number(),
  /** Wall time `HH:MM` and IANA zone of an alarm or reminder; null for a timer, which only counts. */
  wall: z.object({ time: z.string(), zone: z.string(), on: z.array(z.number().int().min(1).max(7)) }).nullable(),
  state: z.enum(['waiting', 'ringing', 'snoozed', 'done', 'missed', 'cancelled']),
  /** Runs instead of ringing: a countdown that calls a tool. */
  action: z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }).nullable(),
  language: z.enum(['en', 'zh']),
  createdAt: z.number(),
  rungAt: z.number().nullable(),
  snoozes: z.number().int(),
})
export type Alarm = z.infer<typeof Alarm>

export const NoteList = z.object({
  id: z.string(),
  name: z.string().min(1).max(80),
  items: z
    .array(z.object({ id: z.string(), text: z.string().min(1).max(500), done: z.boolean(), at: z.number() }))
    .max(500),
})
export type NoteList = z.infer<typeof NoteList>

/** `end` null: no length. `allDay`: `start` is midnight in `zone`. `remindMinutes`: before the start; null: none. */
export const CalendarEvent = z.object({
  id: z.string(),
  title: z.string().min(1).max(200),
  start: z.number(),
  end: z.number().nullable(),
  allDay: z.boolean(),
  zone: z.string(),
  category: z.string().max(40),
  note: z.string().max(2000),
  /** RFC 5545 RRULE without the name, or empty. */
  repeat: z.string().max(200),
  remindMinutes: z.number().int().min(0).max(40_320).nullable(),
  deviceId: z.string().nullable(),
})
export type CalendarEvent = z.infer<typeof CalendarEvent>

export const MusicState = z.object({
  folder: z.string().nullable(),
  tracks: z.number().int(),
  playing: z.array(
    z.object({ deviceId: z.string(), track: z.string(), artist: z.string(), at: z.number(), paused: z.boolean() }),
  ),
})
export type MusicState = z.infer<typeof MusicState>
