import { AppError } from '../../../base/app-error.ts'

// RFC 5545 RRULE, the part that calendars of people use, over days as numbers (days since 1970, UTC). A day is asked
// whether it belongs to the rule, so that no rule can make us look for ever.

const dayMs = 86_400_000
/** 60 years: what is repeated longer ends there. */
const longestDays = 60 * 366

export interface RepeatRule {
  readonly freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  readonly interval: number
  readonly count: number | undefined
  /** The last day, inclusive. */
  readonly untilDay: number | undefined
  /** `nth` 0: each; 1: the first of the month; −1: the last. `weekday` ISO. */
  readonly byDay: readonly { readonly nth: number; readonly weekday: number }[]
  readonly byMonthDay: readonly number[]
  readonly byMonth: readonly number[]
}

const weekdayNames = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

function bad(rule: string, why: string): AppError {
  return new AppError('helper-bad-calendar', `The repetition "${rule.slice(0, 60)}" is not understood: ${why}`)
}

/** Throws helper-bad-calendar for what is none, and for parts that cannot be kept (by the hour, BYSETPOS, …). */
export function parseRepeat(text: string): RepeatRule {
  if (text.length > 200) throw bad(text, 'it is too long')
  const parts = new Map(
    text
      .toUpperCase()
      .split(';')
      .map((part) => part.split('=', 2) as [string, string | undefined]),
  )
  const known = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'BYMONTHDAY', 'BYMONTH', 'WKST']
  const other = [...parts.keys()].find((name) => !known.includes(name))
  if (other !== undefined) throw bad(text, `${other} is not kept`)
  const freq = (['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const).find((name) => name === parts.get('FREQ'))
  if (!freq) throw bad(text, 'FREQ is DAILY, WEEKLY, MONTHLY or YEARLY')
  const whole = (name: string, most: number): number | undefined => {
    const value = parts.get(name)
    if (value === undefined) return undefined
    const parsed = /^\d{1,5}$/.test(value) ? Number(value) : 0
    if (parsed < 1 || parsed > most) throw bad(text, `${name} is 1 to ${most}`)
    return parsed
  }
  const rule: RepeatRule = {
    freq,
    interval: whole('INTERVAL', 1000) ?? 1,
    count: whole('COUNT', 10_000),
    untilDay: untilOf(text, parts.get('UNTIL')),
    byDay: (parts.get('BYDAY')?.split(',') ?? []).map((day) => weekdayOf(text, day)),
    byMonthDay: numbers(text, parts.get('BYMONTHDAY'), 31),
    byMonth: numbers(text, parts.get('BYMONTH'), 12),
  }
  if (freq === 'YEARLY' && rule.byMonth.length === 0 && rule.byDay.length > 0)
    throw bad(text, 'BYDAY of a year needs BYMONTH')
  return rule
}

function untilOf(text: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})(?:T\d{6}Z?)?$/.exec(value) ?? []
  if (year === undefined) throw bad(text, 'UNTIL is no date')
  return Math.floor(Date.UTC(Number(year), Number(month) - 1, Number(day)) / dayMs)
}

function weekdayOf(text: string, day: string): { nth: number; weekday: number } {
  const [, nth = '0', name = ''] = /^([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)$/.exec(day) ?? []
  const weekday = weekdayNames.indexOf(name) + 1
  if (weekday === 0) throw bad(text, 'BYDAY is no day')
  return { nth: Number(nth), weekday }
}

function numbers(text: string, value: string | undefined, most: number): number[] {
  if (value === undefined) return []
  return value.split(',').map((part) => {
    const number = /^-?\d{1,2}$/.test(part) ? Number(part) : 0
    if (number === 0 || Math.abs(number) > most) throw bad(text, `${part.slice(0, 10)} is out of range`)
    return number
  })
}

interface Day {
  readonly number: number
  readonly year: number
  readonly month: number
  readonly day: number
  readonly weekday: number
  readonly daysInMonth: number
}

function dayFrom(number: number): Day {
  const date = new Date(number * dayMs)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1]
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return { number, year, month, day: date.getUTCDate(), weekday: ((date.getUTCDay() + 6) % 7) + 1, daysInMonth }
}

/** The days of the rule in [from, to], at most `limit`; `start` is the first occurrence. */
export function repeatDays(
  rule: RepeatRule,
  start: number,
  range: { from: number; to: number; limit: number },
): number[] {
  const found: number[] = []
  const first = dayFrom(start)
  const last = Math.min(range.to, rule.untilDay ?? Infinity, start + longestDays)
  // Only a count needs the days before the range.
  let seen = 0
  for (let number = rule.count === undefined ? Math.max(start, range.from) : start; number <= last; number++) {
    if (number !== start && !belongs(rule, first, dayFrom(number))) continue
    seen++
    if (rule.count !== undefined && seen > rule.count) break
    if (number >= range.from) found.push(number)
    if (found.length >= range.limit) break
  }
  return found
}

function belongs(rule: RepeatRule, first: Day, day: Day): boolean {
  if (rule.byMonth.length > 0 && !rule.byMonth.includes(day.month)) return false
  switch (rule.freq) {
    case 'DAILY':
      return (day.number - first.number) % rule.interval === 0 && inParts(rule, day, true)
    case 'WEEKLY': {
      const weeks = Math.floor((day.number - first.number + first.weekday - 1) / 7)
      const days = rule.byDay.map(({ weekday }) => weekday)
      return (
        weeks % rule.interval === 0 && (days.length > 0 ? days.includes(day.weekday) : day.weekday === first.weekday)
      )
    }
    case 'MONTHLY': {
      const passed = (day.year - first.year) * 12 + day.month - first.month
      return passed % rule.interval === 0 && inParts(rule, day, day.day === first.day)
    }
    case 'YEARLY': {
      if ((day.year - first.year) % rule.interval !== 0) return false
      return (rule.byMonth.length > 0 || day.month === first.month) && inParts(rule, day, day.day === first.day)
    }
  }
}

function inParts(rule: RepeatRule, day: Day, otherwise: boolean): boolean {
  const { byDay, byMonthDay } = rule
  if (byDay.length === 0 && byMonthDay.length === 0) return otherwise
  const isMonthDay =
    byMonthDay.length === 0 || byMonthDay.some((at) => (at > 0 ? at : day.daysInMonth + 1 + at) === day.day)
  return (
    isMonthDay && (byDay.length === 0 || byDay.some(({ nth, weekday }) => weekday === day.weekday && isNth(nth, day)))
  )
}

function isNth(nth: number, { day, daysInMonth }: Day): boolean {
  if (nth === 0) return true
  return nth > 0 ? Math.ceil(day / 7) === nth : Math.ceil((daysInMonth - day + 1) / 7) === -nth
}
