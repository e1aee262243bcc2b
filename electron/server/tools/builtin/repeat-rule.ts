import ICAL from 'ical.js'
import { AppError } from '../../../base/app-error.ts'

// RFC 5545 RRULE by ical.js, in days without a zone: clock changes are for wall-time.ts. ical.js looks for the next
// day from the first one on, one by one and without end, so it is given a start near the days that are asked for, and
// stopped in the year after them.

const dayMs = 86_400_000
/** 60 years: what is repeated longer ends there. */
const longestDays = 60 * 366
const maxInterval = 1_000
/** Counting has to begin at the first day. */
const maxCount = 1_000

export interface RepeatRule {
  readonly text: string
  readonly freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  readonly interval: number
  readonly count: number | undefined
  /** The last day, inclusive, as days since 1970; with `until` the instant or wall time is to be looked at, too. */
  readonly untilDay: number | undefined
  /** `2026-04-01T10:00:00Z`, without Z for a wall time; undefined for a whole day, or none. */
  readonly until: string | undefined
}

const known = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'BYMONTHDAY', 'BYMONTH', 'WKST']

function bad(rule: string, why: string, cause?: unknown): AppError {
  return new AppError('helper-bad-calendar', `The repetition "${rule.slice(0, 60)}" is not understood: ${why}`, {
    cause,
  })
}

/** Throws helper-bad-calendar for what is none, and for parts that are not kept (by the hour, BYSETPOS, …). */
export function parseRepeat(written: string): RepeatRule {
  if (written.length > 200) throw bad(written, 'it is too long')
  const text = written.toUpperCase()
  const parts = new Map(text.split(';').map((part) => part.split('=', 2) as [string, string | undefined]))
  const other = [...parts.keys()].find((name) => !known.includes(name))
  if (other !== undefined) throw bad(text, `${other} is not kept`)
  const whole = (name: string, most: number): number | undefined => {
    const value = parts.get(name)
    if (value === undefined) return undefined
    const parsed = /^\d{1,5}$/.test(value) ? Number(value) : 0
    if (parsed < 1 || parsed > most) throw bad(text, `${name} is 1 to ${most}`)
    return parsed
  }
  const freq = (['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const).find((name) => name === parts.get('FREQ'))
  if (!freq) throw bad(text, 'FREQ is DAILY, WEEKLY, MONTHLY or YEARLY')
  const rule = { text, freq, interval: whole('INTERVAL', maxInterval) ?? 1, count: whole('COUNT', maxCount) }
  const { until, parts: by } = recurOf(text)
  const fault = mixFault(rule, by)
  if (fault !== undefined) throw bad(text, fault)
  return { ...rule, ...untilOf(until) }
}

/**
 * ical.js 2.2 loses or adds days for some mixes of parts, which calendars hardly write: they are refused. What is left
 * is compared with a search day by day in repeat-rule.test.ts.
 */
function mixFault({ freq, interval }: Pick<RepeatRule, 'freq' | 'interval'>, by: Parts): string | undefined {
  const days = by.BYDAY ?? []
  const isNth = days.some((day) => day.length > 2)
  if (days.some((day) => !/^(?:[+-]?[1-5])?[A-Z]{2}$/.test(day))) return 'BYDAY is no day'
  if (by.BYMONTHDAY?.includes(0)) return 'BYMONTHDAY is no day'
  if (by.BYDAY && by.BYMONTHDAY) return 'BYDAY with BYMONTHDAY is not kept'
  switch (freq) {
    case 'DAILY':
      return by.BYMONTHDAY || isNth ? 'a day of the month needs FREQ=MONTHLY' : undefined
    case 'WEEKLY':
      return by.BYMONTHDAY || by.BYMONTH || isNth ? 'a week has days of the week only' : undefined
    case 'MONTHLY':
      if (interval > 1 && days.some((day) => day.includes('5'))) return 'a fifth weekday with INTERVAL is not kept'
      return by.BYMONTH && (interval > 1 || isNegative(by)) ? 'BYMONTH with INTERVAL is not kept' : undefined
    case 'YEARLY':
      if (by.BYDAY && !by.BYMONTH) return 'BYDAY of a year needs BYMONTH'
      return isNegative(by) ? 'a day from the end of the month needs FREQ=MONTHLY' : undefined
  }
}

const isNegative = ({ BYMONTHDAY }: Parts): boolean => (BYMONTHDAY ?? []).some((day) => day < 0)

/** ical.js refuses most of what is wrong by itself, with errors of its own. */
function recurOf(text: string): ICAL.Recur & { parts: Parts } {
  try {
    return ICAL.Recur.fromString(text) as ICAL.Recur & { parts: Parts }
  } catch (cause) {
    throw bad(text, cause instanceof Error ? cause.message.slice(0, 80) : 'it is none', cause)
  }
}

interface Parts {
  BYDAY?: string[]
  BYMONTHDAY?: number[]
  BYMONTH?: number[]
}

function untilOf(until: ICAL.Time | null): Pick<RepeatRule, 'until' | 'untilDay'> {
  if (!until) return { until: undefined, untilDay: undefined }
  const { year, month, day } = until
  const untilDay = dayNumber({ year, month, day })
  // A moment in UTC may be the day before or after in the event's zone.
  return until.isDate ? { until: undefined, untilDay } : { until: until.toString(), untilDay: untilDay + 1 }
}

interface Day {
  readonly year: number
  readonly month: number
  readonly day: number
}

const dayNumber = ({ year, month, day }: Day): number => Math.round(Date.UTC(year, month - 1, day) / dayMs)
function dayOf(number: number): Day {
  const date = new Date(number * dayMs)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}
const timeOf = ({ year, month, day }: Day): ICAL.Time =>
  new ICAL.Time({ year, month, day, hour: 0, minute: 0, second: 0, isDate: true }, ICAL.Timezone.localTimezone)

/**
 * The days of the rule in [from, to] as days since 1970, at most `limit`; `start` is the first occurrence, whether the
 * rule would make it or not.
 */
export function repeatDays(
  rule: RepeatRule,
  start: number,
  range: { from: number; to: number; limit: number },
): number[] {
  const last = Math.min(range.to, rule.untilDay ?? Infinity, start + longestDays)
  const found = start >= range.from && start <= last ? [start] : []
  let seen = 1
  for (const number of daysAfter(rule, { start, from: range.from, last })) {
    if (rule.count !== undefined && ++seen > rule.count) break
    if (number >= range.from) found.push(number)
    if (found.length >= range.limit) break
  }
  return found
}

function* daysAfter(
  rule: RepeatRule,
  { start, from, last }: { start: number; from: number; last: number },
): Generator<number, void, undefined> {
  const recur = recurOf(rule.text)
  // Both are looked at here; ical.js would count from the start that it is given.
  recur.count = null
  recur.until = timeOf(dayOf(last))
  const begin = rule.count === undefined ? nearStart(rule, start, from) : start
  nameParts(recur, dayOf(start))
  const iterator = recur.iterator(timeOf(dayOf(begin)))
  const lastYear = dayOf(last).year
  const isPast = () => iterator.last.year > lastYear
  const check = iterator.check_contracting_rules.bind(iterator)
  // It asks this of each day, and goes on for ever when none is right: "yes" past the end lets it find its end.
  iterator.check_contracting_rules = () => isPast() || check()
  for (let next = iterator.next() as ICAL.Time | null; next && !isPast(); next = iterator.next() as ICAL.Time | null) {
    const number = dayNumber(next)
    if (number > last) return
    // The 31st of a month that has none comes as the first of the next.
    const isMonth = recur.parts.BYMONTH?.includes(next.month) ?? true
    const isDay = recur.parts.BYMONTHDAY?.some((day) => day < 0 || day === next.day) ?? true
    if (number > start && isMonth && isDay) yield number
  }
}

/** What the first day says and the rule does not: a monthly event of the 15th is on the 15ths. */
function nameParts(recur: ICAL.Recur & { parts: Parts }, { year, month, day }: Day): void {
  const { parts } = recur
  parts.BYMONTH?.sort((a, b) => a - b)
  // By the year it finds months that the rule names; by the month it loses some.
  if (recur.freq === 'MONTHLY' && parts.BYMONTH && recur.interval === 1) recur.freq = 'YEARLY'
  const { freq } = recur
  if (freq === 'WEEKLY') parts.BYDAY ??= [weekdayNames[new Date(Date.UTC(year, month - 1, day)).getUTCDay()] ?? 'MO']
  if (freq === 'YEARLY') parts.BYMONTH ??= [month]
  if ((freq === 'MONTHLY' || freq === 'YEARLY') && !parts.BYDAY) parts.BYMONTHDAY ??= [day]
}
const weekdayNames = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** A day at or before `from` from which the rule makes the same days as from its start, but for those of its first period. */
function nearStart({ freq, interval }: RepeatRule, start: number, from: number): number {
  const first = dayOf(start)
  const wanted = dayOf(Math.max(start, from))
  const back = (passed: number): number => Math.max(0, Math.floor(passed / interval) - 1) * interval
  switch (freq) {
    case 'DAILY':
      return start + back(from - start)
    case 'WEEKLY':
      return start + back(Math.floor((from - start) / 7)) * 7
    case 'MONTHLY': {
      const months = back((wanted.year - first.year) * 12 + wanted.month - first.month)
      return dayNumber({ year: first.year, month: first.month + months, day: 1 })
    }
    case 'YEARLY':
      return dayNumber({ year: first.year + back(wanted.year - first.year), month: 1, day: 1 })
  }
}
