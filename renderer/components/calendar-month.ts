import type { CalendarEvent } from '../../electron/contract/helper-tools.ts'

export interface MonthDay {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly inMonth: boolean
}

/** The weeks of a month, Monday first, with the days of its neighbours that fill the first and the last one. */
export function monthDays(year: number, month: number): MonthDay[] {
  const first = new Date(year, month - 1, 1)
  const lead = (first.getDay() + 6) % 7
  const length = new Date(year, month, 0).getDate()
  const cells = Math.ceil((lead + length) / 7) * 7
  return Array.from({ length: cells }, (_, index) => {
    const date = new Date(year, month - 1, index - lead + 1)
    return {
      year: date.getFullYear(),
      month: date.getMonth() + 1,
      day: date.getDate(),
      inMonth: date.getMonth() === month - 1,
    }
  })
}

export const dayKey = ({ year, month, day }: Pick<MonthDay, 'year' | 'month' | 'day'>): string =>
  `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`

export function dayOf(key: string): Date {
  const [year = 1970, month = 1, day = 1] = key.split('-').map(Number)
  return new Date(year, month - 1, day)
}

/** The day that an event stands on: of an all-day one the day in its own zone, whoever looks. */
export function eventDay(event: Pick<CalendarEvent, 'start' | 'allDay' | 'zone'>): string {
  if (!event.allDay) return dayKey(partsOf(new Date(event.start)))
  // en-CA writes dates as YYYY-MM-DD.
  return new Intl.DateTimeFormat('en-CA', { timeZone: event.zone, dateStyle: 'short' }).format(event.start)
}

export const partsOf = (date: Date) => ({ year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() })

/** Events by day, each day in the order of the clock, all-day ones first. */
export function eventsByDay(events: readonly CalendarEvent[]): ReadonlyMap<string, readonly CalendarEvent[]> {
  const sorted = [...events].sort(
    (left, right) => Number(right.allDay) - Number(left.allDay) || left.start - right.start,
  )
  return Map.groupBy(sorted, eventDay)
}
