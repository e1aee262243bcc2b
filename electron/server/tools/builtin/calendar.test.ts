import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isAppError } from '../../../base/app-error.ts'
import { CalendarEvent } from '../../../contract/helper-tools.ts'
import { openCalendarBook } from './calendar-book.ts'
import { readIcs, writeIcs } from './calendar-ics.ts'
import { instantOf, wallParts } from './wall-time.ts'

const zone = 'Europe/Berlin'
const event = (change: Partial<CalendarEvent> = {}): CalendarEvent => ({
  id: 'a',
  title: 'Choir',
  start: instantOf('2026-03-23T19:00', zone),
  end: instantOf('2026-03-23T20:30', zone),
  allDay: false,
  zone,
  category: 'music',
  note: 'bring, scores; and\nwater',
  repeat: '',
  remindMinutes: 15,
  deviceId: null,
  ...change,
})
const openBook = () =>
  openCalendarBook({ events: async () => [], putEvents: async () => undefined, removeEvent: async () => undefined })

async function starts(repeat: string, from = '2026-03-01T00:00', to = '2026-12-31T00:00') {
  const book = await openBook()
  await book.put([event({ repeat })])
  return book
    .between(instantOf(from, zone), instantOf(to, zone))
    .map(({ start }) => `${wallParts(start, zone).date} ${wallParts(start, zone).time}`)
}

test('a weekly event stays at its wall time over a clock change', async () => {
  expect(await starts('FREQ=WEEKLY;COUNT=3')).toEqual(['2026-03-23 19:00', '2026-03-30 19:00', '2026-04-06 19:00'])
})

test.each([
  ['FREQ=DAILY;INTERVAL=2;COUNT=3', ['23', '25', '27']],
  ['FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20260401T170000Z', ['23', '25', '30', '01']],
  ['FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20260401T165959Z', ['23', '25', '30']],
  ['FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20260401', ['23', '25', '30', '01']],
  ['FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20260401T185900', ['23', '25', '30']],
  ['FREQ=DAILY;UNTIL=20200101', []],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;COUNT=4', ['23', '24', '29', '07']],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;WKST=SU;COUNT=4', ['23', '24', '05', '07']],
  ['FREQ=DAILY;INTERVAL=7;BYDAY=TU', ['23']],
  ['FREQ=MONTHLY;BYDAY=-1FR;COUNT=3', ['23', '27', '24']],
  ['FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3', ['23', '31', '31']],
  ['FREQ=YEARLY', ['23']],
])('%s', async (rule, days) => {
  expect((await starts(rule)).map((start) => start.slice(8, 10))).toEqual(days)
})

test.each([
  'FREQ=SECONDLY',
  'FREQ=DAILY;BYSETPOS=1',
  'FREQ=DAILY;COUNT=0',
  'FREQ=YEARLY;BYDAY=1MO',
  'nonsense',
  'FREQ=MONTHLY;BYMONTHDAY=99',
  'FREQ=MONTHLY;BYMONTHDAY=0',
  'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
  'FREQ=WEEKLY;BYDAY=2MO',
  'FREQ=WEEKLY;BYDAY=XX',
  'FREQ=DAILY;BYMONTHDAY=-1',
  'FREQ=DAILY;COUNT=1001',
  'FREQ=DAILY;INTERVAL=1e3',
  'FREQ=DAILY;UNTIL=soon',
])('the repetition %s is refused', async (repeat) => {
  const book = await openBook()
  await expect(book.put([event({ repeat })])).rejects.toMatchObject({ code: 'helper-bad-calendar' })
})

test('a day that never comes is looked for, and no longer', async () => {
  expect(await starts('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '2026-03-01T00:00', '2027-03-01T00:00')).toEqual([
    '2026-03-23 19:00',
  ])
})

test('a repeated time that the clocks jump over, or that comes twice, is there once each day', async () => {
  const book = await openBook()
  for (const [id, month] of [
    ['gap', '03'],
    ['overlap', '10'],
  ] as const)
    await book.put([event({ id, start: instantOf(`2026-${month}-01T02:30`, zone), end: null, repeat: 'FREQ=DAILY' })])
  const around = (id: string, from: string, to: string) =>
    book.startsOf(id, instantOf(from, zone), instantOf(to, zone)).map((start) => new Date(start).toISOString())
  expect(around('gap', '2026-03-28T00:00', '2026-03-30T23:00')).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:30:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ])
  expect(around('overlap', '2026-10-24T00:00', '2026-10-26T23:00')).toEqual([
    '2026-10-24T00:30:00.000Z',
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ])
})

test('the last days of months of different length are found', async () => {
  expect(await starts('FREQ=MONTHLY;BYMONTHDAY=-1', '2027-11-01T00:00', '2028-03-31T23:00')).toEqual(
    ['2027-11-30', '2027-12-31', '2028-01-31', '2028-02-29', '2028-03-31'].map((date) => `${date} 19:00`),
  )
  expect(await starts('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', '2028-01-01T00:00', '2028-12-31T00:00')).toEqual([
    '2028-02-29 19:00',
  ])
  expect(await starts('FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=4,5', '2030-01-01T00:00', '2030-12-31T00:00')).toEqual([
    '2030-05-31 19:00',
  ])
})

test('what is written as iCalendar is read again', async () => {
  const events = [
    event({ repeat: 'FREQ=WEEKLY;COUNT=3' }),
    event({
      id: 'b',
      title: '生日',
      start: instantOf('2026-05-01T00:00', zone),
      end: null,
      allDay: true,
      note: '',
      category: '',
      remindMinutes: null,
    }),
  ]
  const text = await writeIcs(events, 0)
  expect(text).toContain('BEGIN:VCALENDAR')
  const read = await readIcs(text, 'Asia/Tokyo')
  expect(read.skipped).toBe(0)
  expect(read.events.map(({ id: _id, ...rest }) => rest)).toEqual([
    (({ id: _id, ...rest }) => rest)(events[0]!),
    (({ id: _id, ...rest }) => ({ ...rest, zone: 'Asia/Tokyo', start: instantOf('2026-05-01T00:00', 'Asia/Tokyo') }))(
      events[1]!,
    ),
  ])
})

test('another program’s file: UTC, unknown zones, a repetition that is not kept', async () => {
  const lines = [
    'BEGIN:VCALENDAR', 'VERSION:2.0',
    'BEGIN:VEVENT', 'UID:1', 'SUMMARY:Call', 'DTSTART:20260601T100000Z', 'DTEND:20260601T110000Z', 'END:VEVENT',
    'BEGIN:VEVENT', 'UID:2', 'SUMMARY:Odd', 'DTSTART;TZID=Mars/Base:20260601T100000', 'END:VEVENT',
    'BEGIN:VEVENT', 'UID:3', 'SUMMARY:Often', 'DTSTART:20260601T100000Z', 'RRULE:FREQ=SECONDLY', 'END:VEVENT',
    'BEGIN:VEVENT', 'UID:4', 'SUMMARY:When', 'END:VEVENT',
    'END:VCALENDAR',
  ] // prettier-ignore
  const { events, skipped } = await readIcs(lines.join('\r\n'), zone)
  expect(events.map(({ title, start }) => [title, new Date(start).toISOString()])).toEqual([
    ['Call', '2026-06-01T10:00:00.000Z'],
    ['Odd', '2026-06-01T08:00:00.000Z'],
  ])
  expect(skipped).toBe(2)
})

test('a broken calendar file gives a typed error or events that fit', async () => {
  const whole = await writeIcs([event({ repeat: 'FREQ=WEEKLY' })], 0)
  const broken = fc.oneof(
    fc.string({ maxLength: 400 }),
    fc
      .tuple(fc.nat(whole.length), fc.string({ maxLength: 20 }))
      .map(([at, text]) => whole.slice(0, at) + text + whole.slice(at + text.length)),
  )
  await fc.assert(
    fc.asyncProperty(broken, async (text) => {
      try {
        for (const found of (await readIcs(text, zone)).events) CalendarEvent.parse(found)
      } catch (error) {
        expect(isAppError(error, 'helper-bad-calendar')).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
  await expect(readIcs('x'.repeat(2_000_001), zone)).rejects.toMatchObject({ code: 'helper-bad-calendar' })
})
