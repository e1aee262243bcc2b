import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isAppError } from '../../../base/app-error.ts'
import { parseRepeat, repeatDays } from './repeat-rule.ts'

const dayMs = 86_400_000
const names = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']
type Parts = Readonly<Record<string, string>>

/** Whether a day belongs to a rule, asked of each day by itself: slow, and nothing of it is in the product. */
function belongs(parts: Parts, first: Date, day: Date): boolean {
  const month = day.getUTCMonth() + 1
  if (parts['BYMONTH'] && !parts['BYMONTH'].split(',').includes(String(month))) return false
  const interval = Number(parts['INTERVAL'] ?? 1)
  const days = (day.getTime() - first.getTime()) / dayMs
  const months = (day.getUTCFullYear() - first.getUTCFullYear()) * 12 + day.getUTCMonth() - first.getUTCMonth()
  const isSameDay = day.getUTCDate() === first.getUTCDate()
  const inParts = (otherwise: boolean) => ((parts['BYDAY'] ?? parts['BYMONTHDAY']) ? isListed(parts, day) : otherwise)
  switch (parts['FREQ'] ?? '') {
    case 'DAILY':
      return days % interval === 0 && inParts(true)
    case 'WEEKLY': {
      const monday = (first.getUTCDay() + 6) % 7
      return Math.floor((days + monday) / 7) % interval === 0 && inParts(day.getUTCDay() === first.getUTCDay())
    }
    case 'MONTHLY':
      return months % interval === 0 && inParts(isSameDay)
    default: {
      const isMonth = parts['BYMONTH'] !== undefined || day.getUTCMonth() === first.getUTCMonth()
      return (day.getUTCFullYear() - first.getUTCFullYear()) % interval === 0 && isMonth && inParts(isSameDay)
    }
  }
}

function isListed(parts: Parts, day: Date): boolean {
  const date = day.getUTCDate()
  const length = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate()
  if (parts['BYMONTHDAY'])
    return parts['BYMONTHDAY'].split(',').some((at) => (Number(at) > 0 ? Number(at) : length + 1 + Number(at)) === date)
  return (parts['BYDAY'] ?? '').split(',').some((at) => {
    const nth = Number(at.slice(0, -2))
    if (at.slice(-2) !== names[day.getUTCDay()]) return false
    return nth === 0 || (nth > 0 ? Math.ceil(date / 7) === nth : Math.ceil((length - date + 1) / 7) === -nth)
  })
}

function dayByDay(parts: Parts, start: number, range: { from: number; to: number }): number[] {
  const until = parts['UNTIL']?.replace(/(....)(..)(..)/, '$1-$2-$3')
  const last = Math.min(range.to, until === undefined ? Infinity : Date.parse(until) / dayMs)
  const first = new Date(start * dayMs)
  const found: number[] = []
  let seen = 0
  for (let number = start; number <= last; number++) {
    if (number !== start && !belongs(parts, first, new Date(number * dayMs))) continue
    if (++seen > Number(parts['COUNT'] ?? Infinity)) break
    if (number >= range.from) found.push(number)
  }
  return found
}

const listOf = (values: readonly (string | number)[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }).map((some) => some.join(','))
const maybe = (name: string, value: fc.Arbitrary<string | number>) =>
  fc.option(value, { nil: undefined }).map((made): Parts => (made === undefined ? {} : { [name]: String(made) }))
const rules = fc
  .tuple(
    fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY').map((freq): Parts => ({ FREQ: freq })),
    maybe('INTERVAL', fc.integer({ min: 1, max: 5 })),
    maybe('COUNT', fc.integer({ min: 1, max: 40 })),
    maybe(
      'UNTIL',
      fc.integer({ min: 2025, max: 2032 }).map((year) => `${year}0615`),
    ),
    fc.oneof(
      fc.constant<Parts>({}),
      maybe('BYDAY', listOf(names)),
      maybe('BYDAY', listOf(names.flatMap((name) => [`1${name}`, `3${name}`, `5${name}`, `-1${name}`]))),
      maybe('BYMONTHDAY', listOf([1, 2, 13, 28, 29, 30, 31, -1, -3])),
    ),
    maybe('BYMONTH', listOf([1, 2, 3, 6, 10, 12])),
  )
  .map((parts): Parts => Object.assign({}, ...parts) as Parts)
const text = (parts: Parts) => Object.entries(parts).map((part) => part.join('=')).join(';') // prettier-ignore

test('the days of a rule are those that a search day by day finds, or the rule is refused', () => {
  let kept = 0
  fc.assert(
    fc.property(
      rules,
      fc.integer({ min: 18_000, max: 22_000 }),
      fc.integer({ min: -30, max: 3_000 }),
      (parts, start, ahead) => {
        const range = { from: start + ahead, to: start + ahead + 300, limit: 1_000 }
        try {
          const days = repeatDays(parseRepeat(text(parts)), start, range)
          kept++
          expect([text(parts), days]).toEqual([text(parts), dayByDay(parts, start, range)])
        } catch (error) {
          if (!isAppError(error, 'helper-bad-calendar')) throw error
        }
      },
    ),
    { numRuns: 1_500 },
  )
  expect(kept).toBeGreaterThan(700)
})

test('no rule makes it look for ever', () => {
  const never = [
    'FREQ=DAILY;INTERVAL=7;BYDAY=MO',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31',
  ]
  // A Tuesday, the first of September.
  const start = Date.UTC(2026, 8, 1) / dayMs
  for (const rule of never)
    expect([rule, repeatDays(parseRepeat(rule), start, { from: start, to: start + 60 * 366, limit: 1_000 })]).toEqual([
      rule,
      [start],
    ])
})

test('a rule of more than 200 characters is refused', () => {
  expect(() => parseRepeat(`FREQ=DAILY;BYMONTH=${'1,'.repeat(100)}1`)).toThrow(
    expect.objectContaining({ code: 'helper-bad-calendar' }),
  )
})
