import { expect, test } from 'vitest'
import type { CalendarEvent } from '../../electron/contract/helper-tools.ts'
import { dayKey, dayOf, eventDay, eventsByDay, monthDays, partsOf } from './calendar-month.ts'

const event = (over: Partial<CalendarEvent>): CalendarEvent => ({
  id: 'e',
  title: 'Lesson',
  start: 0,
  end: null,
  allDay: false,
  zone: 'Asia/Shanghai',
  category: '',
  note: '',
  repeat: '',
  remindMinutes: null,
  deviceId: null,
  ...over,
})

test('a month is whole weeks from Monday, its own days in order', () => {
  const days = monthDays(2026, 11)

  expect(days.length % 7).toBe(0)
  expect(dayKey(days[0]!)).toBe('2026-10-26')
  expect(days.filter(({ inMonth }) => inMonth).map(({ day }) => day)).toEqual(
    Array.from({ length: 30 }, (_, at) => at + 1),
  )
  expect(monthDays(2027, 2)).toHaveLength(28)
})

test('an all-day event keeps its day for a reader in another zone', () => {
  const midnight = Date.UTC(2026, 10, 29, 16)

  expect(eventDay(event({ allDay: true, start: midnight }))).toBe('2026-11-30')
})

test('the events of a day are in the order of the clock, all-day ones first', () => {
  const noon = dayOf('2026-11-30').getTime() + 12 * 3_600_000
  const day = dayKey(partsOf(new Date(noon)))
  const late = event({ id: 'late', start: noon + 60_000 })
  const early = event({ id: 'early', start: noon })
  const whole = event({ id: 'whole', allDay: true, zone: 'UTC', start: Date.UTC(2026, 10, 30) })

  expect(
    eventsByDay([late, early, whole])
      .get(day)
      ?.map(({ id }) => id),
  ).toEqual(['whole', 'early', 'late'])
})
