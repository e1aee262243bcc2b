import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isAppError } from '../../../base/app-error.ts'
import { sayNumber, workOut } from './sum.ts'
import { convertUnit } from './units.ts'

test.each([
  ['2 + 3 * 4', 14], ['(2 + 3) * 4', 20], ['2^3^2', 512], ['-2^2', -4], ['sqrt(81) + cbrt(27)', 12], ['(15 / 100) * 80', 12],
  ['7 mod 3', 1], ['5!', 120], ['50% * 80', 40], ['round(2 * pi)', 6], ['1 / 4', 0.25], ['0.1 + 0.2', 0.1 + 0.2],
])('%s', (formula, value) => expect(workOut(formula)).toBeCloseTo(value, 10)) // prettier-ignore

test.each([
  '',
  '1 +',
  '(1',
  '1 / 0',
  '5 mod 0',
  '171!',
  'import("fs")',
  'x = 5',
  'constructor(1)',
  '__proto__',
  '9^9^9^9',
  '1 2',
  '('.repeat(50),
])('"%s" has no value', (formula) =>
  expect(() => workOut(formula)).toThrow(expect.objectContaining({ code: 'helper-bad-sum' })),
)

test('whatever is written, it is a finite number or a typed error', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 250 }), (formula) => {
      try {
        expect(Number.isFinite(workOut(formula))).toBe(true)
      } catch (error) {
        expect(isAppError(error, 'helper-bad-sum')).toBe(true)
      }
    }),
  )
})

test('numbers are said without the tails of binary fractions', () => {
  expect([0.1 + 0.2, 1 / 3, 1e6, 2 ** 60, -0].map(sayNumber)).toEqual(['0.3', '0.333333', '1000000', '1.1529e+18', '0'])
})

test('units of one kind turn into each other', () => {
  expect(convertUnit(5, 'mile', 'km')).toBeCloseTo(8.04672, 8)
  expect(convertUnit(100, 'fahrenheit', 'celsius')).toBeCloseTo(37.7778, 3)
  expect(convertUnit(3, 'jin', 'kg')).toBe(1.5)
  expect(convertUnit(1, 'mile', 'kg')).toBeUndefined()
})
