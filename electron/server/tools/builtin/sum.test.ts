import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { isAppError } from '../../../base/app-error.ts'
import { systemClock } from '../../../base/clock.ts'
import { sayNumber } from './spoken-forms.ts'
import { createSums } from './sum-thread.ts'
import { turnUnit, workOut } from './sum.ts'
import { units } from './units.ts'

test.each([
  ['2 + 3 * 4', 14], ['(2 + 3) * 4', 20], ['2^3^2', 512], ['-2^2', -4], ['sqrt(81) + cbrt(27)', 12], ['(15 / 100) * 80', 12],
  ['7 mod 3', 1], ['5!', 120], ['50% * 80', 40], ['round(2 * pi)', 6], ['1 / 4', 0.25], ['0.1 + 0.2', 0.1 + 0.2],
  ['6 × 7 ÷ 2 − 1', 20], ['log(1000)', 3], ['ln(e)', 1], ['80 + 10%', 88], ['1e3 + .5', 1000.5], ['cos(0)', 1],
])('%s', (formula, value) => expect(workOut(formula)).toBeCloseTo(value, 10)) // prettier-ignore

test.each([
  '', '1 +', '(1', '1 / 0', '5 mod 0', '171!', 'x = 5', 'constructor(1)', '__proto__', '9^9^9^9', '1 2', '('.repeat(50),
  'import("fs")', 'import({a: 1})', 'createUnit("a")', 'evaluate("1")', 'parse("1")', 'simplify("1")', 'derivative("x", "x")',
  '[1, 2]', '1:9', 'ones(1000, 1000)', '"text"', 'f(x) = 1', 'x', 'i', 'sqrt(-1)', '5 cm', 'cos.constructor("1")()',
  'sqrt(1, 2)', 'e.sqrt(4)', '(sqrt)(4)', 'random()', '1; 2', 'true', '2 > 1', '1 ? 2 : 3', 'not 1', '3 & 1', "1'", 'version', 'help(sqrt)',
  '1'.repeat(201), '1 to 2', 'gamma(170)', '{a: 1}', 'config({})', 'print("$a", {a: 1})', 'null', '0x1F and 1',
])('"%s" has no value', (formula) =>
  expect(() => workOut(formula)).toThrow(expect.objectContaining({ code: 'helper-bad-sum' })),
) // prettier-ignore

const piece = fc.constantFrom(
  ...'0 9 99999999 1e308 1e-308 .5 ! !!! ^ ^^ % + - * / mod ( ) (( )) sqrt( exp( tan( ln( pi e , ; : = [ ] { } " . \' 1e999'.split(
    ' ',
  ),
)
const formulas = fc.oneof(
  fc.string({ maxLength: 250 }),
  fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join('')),
  fc.constantFrom('170!!!!', '('.repeat(99) + '1' + ')'.repeat(99), '9!^'.repeat(60) + '9', '-'.repeat(199) + '1', '2^'.repeat(99) + '2', '(-99999.5)!', '1e308!'),
) // prettier-ignore

test('whatever is written is a finite number or a typed error, within milliseconds', () => {
  let most = 0
  workOut('1')
  fc.assert(
    fc.property(formulas, (formula) => {
      const before = process.cpuUsage()
      try {
        expect(Number.isFinite(workOut(formula))).toBe(true)
      } catch (error) {
        expect(isAppError(error, 'helper-bad-sum')).toBe(true)
      }
      most = Math.max(most, process.cpuUsage(before).user)
    }),
    { numRuns: 1_000 },
  )
  // A few ms each; the rest is room for the compiler's and the collector's turns.
  expect(most / 1000).toBeLessThan(150)
})

test('numbers are said without the tails of binary fractions', () => {
  expect([0.1 + 0.2, 1 / 3, 1e6, 2 ** 60, -0].map(sayNumber)).toEqual(['0.3', '0.333333', '1000000', '1.1529e+18', '0'])
})

test('every unit turns into every other of its kind and back', () => {
  for (const [name, { of, math, en, zh }] of Object.entries(units)) {
    expect([name, en.length > 0 && zh.length > 0]).toEqual([name, true])
    for (const other of Object.values(units).filter((one) => one.of === of))
      expect(turnUnit(turnUnit(50, math, other.math), other.math, math)).toBeCloseTo(50, 8)
  }
})

test('sums and units are worked out in a thread, one after the other', async () => {
  const sums = createSums({ clock: systemClock })
  onTestFinished(() => sums.close())
  const asked = [sums.workOut('12 * 3'), sums.workOut('1 +').catch((error: unknown) => error), sums.workOut('2^10')]
  expect(await Promise.all(asked)).toEqual([36, expect.objectContaining({ code: 'helper-bad-sum' }), 1024])
  const convert = async (value: number, from: string, to: string) =>
    Number((await sums.convert(value, from, to)).toPrecision(11))
  expect(await convert(5, 'mile', 'km')).toBe(8.04672)
  expect(await convert(100, 'fahrenheit', 'celsius')).toBe(37.777777778)
  expect(await convert(-40, 'celsius', 'fahrenheit')).toBe(-40)
  expect(await convert(3, 'jin', 'kg')).toBe(1.5)
  expect(await convert(1, 'acre', 'm2')).toBe(4046.8564224)
  expect(await convert(90, 'kmh', 'ms')).toBe(25)
  for (const to of ['kg', 'nonsense', 'constructor'])
    await expect(sums.convert(1, 'mile', to)).rejects.toMatchObject({ code: 'helper-bad-sum' })
})

test('a thread that does not answer is ended, and the next question gets another', async () => {
  const sums = createSums({ clock: systemClock, patienceMs: 1 })
  onTestFinished(() => sums.close())
  for (let n = 0; n < 2; n++)
    await expect(sums.workOut('1')).rejects.toMatchObject({
      code: 'helper-bad-sum',
      message: expect.stringContaining('too long') as string,
    })
})
