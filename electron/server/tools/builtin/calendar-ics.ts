import { createHash } from 'node:crypto'
import { AppError } from '../../../base/app-error.ts'
import type { CalendarEvent } from '../../../contract/helper-tools.ts'
import { parseRepeat } from './repeat-rule.ts'
import { instantOf, wallParts } from './wall-time.ts'

// The door to ical.js, which only reads and writes the file; it is loaded when first needed.

const maxText = 2_000_000
const maxEvents = 2_000
const load = async () => (await import('ical.js')).default

export interface IcsEvents {
  readonly events: readonly CalendarEvent[]
  /** Events that could not be kept: no start, or a repetition by rules of their own. */
  readonly skipped: number
}

/**
 * Events of an iCalendar text of at most 2 MB. Wall times without a known zone are of `zone`. The id is made from the
 * event's UID, so that a second import changes and does not double. Rejects helper-bad-calendar.
 */
export async function readIcs(text: string, zone: string): Promise<IcsEvents> {
  if (text.length > maxText) throw new AppError('helper-bad-calendar', 'The file is larger than 2 MB')
  const ical = await load()
  let found: InstanceType<typeof ical.Component>[]
  try {
    const parsed: unknown = ical.parse(text)
    const isMany = Array.isArray(parsed) && Array.isArray(parsed[0])
    const roots = (isMany ? parsed : [parsed]) as ConstructorParameters<typeof ical.Component>[0][]
    found = roots.flatMap((root) => new ical.Component(root).getAllSubcomponents('vevent'))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, 120) : 'unknown'
    throw new AppError('helper-bad-calendar', `The calendar file cannot be read: ${reason}`, { cause })
  }
  const events = found.slice(0, maxEvents).flatMap((component) => eventOf(component, zone) ?? [])
  return { events, skipped: found.length - events.length }
}

/** What of ical.js's component is used. */
interface Component {
  getFirstPropertyValue(name: string): unknown
  getFirstProperty(name: string): { getParameter(name: string): unknown; toICALString(): string } | null
  getFirstSubcomponent(name: string): Component | null
}

function eventOf(component: Component, zone: string): CalendarEvent | undefined {
  try {
    const start = momentOf(component, 'dtstart', zone)
    if (!start) return undefined
    const end = momentOf(component, 'dtend', zone)
    const repeat = component.getFirstPropertyValue('rrule')
    const rule = repeat === null || repeat === undefined ? '' : stringOf(repeat).slice(0, 200)
    if (rule !== '') parseRepeat(rule)
    const word = (name: string): string => stringOf(component.getFirstPropertyValue(name) ?? '')
    const uid = word('uid')
    return {
      id: createHash('sha256')
        .update(uid === '' ? `${word('summary')}${start.at}` : uid)
        .digest('hex')
        .slice(0, 32),
      title: word('summary').trim().slice(0, 200) || '–',
      start: start.at,
      end: end && end.at >= start.at ? end.at : null,
      allDay: start.isDate,
      zone: start.zone,
      category: word('categories').slice(0, 40),
      note: word('description').slice(0, 2000),
      repeat: rule,
      remindMinutes: remindOf(component),
      deviceId: null,
    }
  } catch (error) {
    // One event that cannot be kept does not spoil the others; ical.js throws plain errors late, while values are read.
    if (error instanceof Error) return undefined
    throw error
  }
}

const stringOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'object' && value !== null
      ? (value as { toString(): string }).toString()
      : ''

function momentOf(component: Component, name: string, zone: string) {
  const property = component.getFirstProperty(name)
  // "2026-12-01", "2026-12-01T07:00:00", with Z when it is UTC.
  const value = stringOf(component.getFirstPropertyValue(name) ?? '')
  const [, date, time, utc] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2}))?(Z)?$/.exec(value) ?? []
  if (!property || date === undefined) return undefined
  const named = property.getParameter('tzid')
  const there = utc !== undefined ? 'UTC' : typeof named === 'string' && isZone(named) ? named : zone
  return {
    at: instantOf(`${date}T${time ?? '00:00:00'}`, there),
    zone: there === 'UTC' ? zone : there,
    isDate: time === undefined,
  }
}

function isZone(name: string): boolean {
  try {
    wallParts(0, name)
    return true
  } catch {
    return false
  }
}

function remindOf(component: Component): number | null {
  const trigger = stringOf(component.getFirstSubcomponent('valarm')?.getFirstPropertyValue('trigger') ?? '')
  const [, weeks, days, hours, minutes] =
    /^-P(?:(\d{1,2})W)?(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?.*)?$/.exec(trigger) ?? []
  const total = Number(weeks ?? 0) * 10_080 + Number(days ?? 0) * 1440 + Number(hours ?? 0) * 60 + Number(minutes ?? 0)
  return trigger === '' || total > 40_320 ? null : total
}

/** All events as one iCalendar text, which other calendars read. */
export async function writeIcs(events: readonly CalendarEvent[], now: number): Promise<string> {
  const ical = await load()
  const calendar = new ical.Component('vcalendar')
  calendar.addPropertyWithValue('version', '2.0')
  calendar.addPropertyWithValue('prodid', '-//Roost//Calendar//EN')
  const stamp = (at: number) =>
    ical.Time.fromDateTimeString(`${new Date(at).toISOString().slice(0, 19)}Z`, new ical.Property('dtstamp'))
  for (const event of events) {
    const made = new ical.Component('vevent')
    made.addPropertyWithValue('uid', event.id)
    made.addPropertyWithValue('dtstamp', stamp(now))
    for (const [name, at] of [
      ['dtstart', event.start],
      ['dtend', event.end],
    ] as const) {
      if (at === null) continue
      const there = wallParts(at, event.zone)
      const property = new ical.Property(name)
      if (event.allDay) property.setValue(ical.Time.fromDateString(there.date))
      else {
        property.setParameter('tzid', event.zone)
        property.setValue(ical.Time.fromDateTimeString(`${there.date}T${there.time}:00`, property))
      }
      made.addProperty(property)
    }
    made.addPropertyWithValue('summary', event.title)
    if (event.category !== '') made.addPropertyWithValue('categories', event.category)
    if (event.note !== '') made.addPropertyWithValue('description', event.note)
    if (event.repeat !== '') made.addPropertyWithValue('rrule', ical.Recur.fromString(event.repeat))
    if (event.remindMinutes !== null) {
      const alarm = new ical.Component('valarm')
      alarm.addPropertyWithValue('action', 'DISPLAY')
      alarm.addPropertyWithValue('description', event.title)
      alarm.addPropertyWithValue('trigger', ical.Duration.fromString(`-PT${event.remindMinutes}M`))
      made.addSubcomponent(alarm)
    }
    calendar.addSubcomponent(made)
  }
  return `${calendar.toString()}\r\n`
}
