import { AppError, isAppError } from '../../../base/app-error.ts'
import { CalendarEvent } from '../../../contract/helper-tools.ts'
import type { HelperStore } from '../../store/helper-store.ts'
import { parseRepeat, repeatDays } from './repeat-rule.ts'
import { instantOf, wallParts } from './wall-time.ts'

const dayMs = 86_400_000
const maxEvents = 5_000
const maxGiven = 1_000
const longestRange = 400 * dayMs
const aheadDays = 7

/** Appointments, kept in memory and in the store alike. */
export interface CalendarBook {
  all(): readonly CalendarEvent[]
  /** Each occurrence by itself, by start; `start` of a repeated one is that of the occurrence. At most 400 days, 1 000. */
  between(from: number, to: number): CalendarEvent[]
  /** When one event begins in that time, once or repeatedly. */
  startsOf(id: string, from: number, to: number): number[]
  /** Rejects helper-too-many, helper-bad-calendar. */
  put(events: readonly CalendarEvent[]): Promise<void>
  /** Rejects helper-not-found. */
  remove(id: string): Promise<void>
}

export async function openCalendarBook(
  store: Pick<HelperStore, 'events' | 'putEvents' | 'removeEvent'>,
): Promise<CalendarBook> {
  const events = new Map((await store.events()).map((event) => [event.id, event]))
  const occurrences = createOccurrences()
  return {
    all: () => [...events.values()].sort((a, b) => a.start - b.start),
    between(from, to) {
      const end = Math.min(to, from + longestRange)
      const found = [...events.values()].flatMap((event) => occurrences(event, from, end))
      return found.sort((a, b) => a.start - b.start).slice(0, maxGiven)
    },
    startsOf(id, from, to) {
      const event = events.get(id)
      return event ? occurrences(event, from, to).map(({ start }) => start) : []
    },
    async put(added) {
      const more = added.filter(({ id }) => !events.has(id)).length
      if (events.size + more > maxEvents) throw new AppError('helper-too-many', `There are ${maxEvents} events at most`)
      for (const event of added) {
        CalendarEvent.parse(event)
        if (event.repeat !== '') parseRepeat(event.repeat)
        instantOf('2026-01-01T00:00', event.zone)
      }
      await store.putEvents(added)
      for (const event of added) events.set(event.id, event)
    },
    async remove(id) {
      if (!events.delete(id)) throw new AppError('helper-not-found', `There is no event ${id}`)
      await store.removeEvent(id)
    },
  }
}

function createOccurrences() {
  /** The days of a repeated event around the last question: reminders ask each few seconds for the same ones. */
  const known = new WeakMap<CalendarEvent, { readonly from: number; readonly to: number; readonly days: number[] }>()

  function daysOf(event: CalendarEvent, from: number, to: number): readonly number[] {
    const held = known.get(event)
    if (held && held.from <= from && held.to >= to) return held.days
    const range = { from, to: Math.max(to, from + aheadDays), limit: maxGiven }
    const days = repeatDays(parseRepeat(event.repeat), dayOf(wallParts(event.start, event.zone).date), range)
    known.set(event, { ...range, days })
    return days
  }
  return (event: CalendarEvent, from: number, to: number): CalendarEvent[] => {
    const length = (event.end ?? event.start) - event.start
    if (event.repeat === '') return event.start <= to && event.start + length >= from ? [event] : []
    const { time } = wallParts(event.start, event.zone)
    const [first, last] = [wallParts(from - length, event.zone), wallParts(to, event.zone)]
    try {
      const end = Math.min(to, untilOf(event))
      return daysOf(event, dayOf(first.date) - 1, dayOf(last.date))
        .map((day) => instantOf(`${new Date(day * dayMs).toISOString().slice(0, 10)}T${time}`, event.zone))
        .filter((start) => start <= end && start + length >= from)
        .map((start) => ({ ...event, start, end: event.end === null ? null : start + length }))
    } catch (error) {
      // Kept by a later version that knew more.
      if (isAppError(error, 'helper-bad-calendar')) return []
      throw error
    }
  }
}

const dayOf = (date: string): number => Math.floor(Date.parse(date) / dayMs)

/** The last instant at which an occurrence may begin, when the rule says it to the second. */
function untilOf({ repeat, zone }: CalendarEvent): number {
  const { until } = parseRepeat(repeat)
  if (until === undefined) return Infinity
  return until.endsWith('Z') ? Date.parse(until) : instantOf(until, zone)
}
