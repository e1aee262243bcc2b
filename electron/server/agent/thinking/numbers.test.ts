import fc from 'fast-check'
import { expect, test } from 'vitest'
import { englishNumber, hanFromDigits, normaliseNumbers } from './numbers.ts'

test('every whole number up to 999 999 survives being said in words, in both languages', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999 }), (value) => {
      expect(normaliseNumbers(englishNumber(value), 'en')).toBe(String(value))
      expect(normaliseNumbers(hanFromDigits(String(value)), 'zh')).toBe(String(value))
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['set lamp to forty percent', 'set lamp to 40%'],
  ['twenty two', '22'],
  ['one hundred and five', '105'],
  ['two fifty', '2 50'],
  ['minus five degrees', '-5 degrees'],
  ['twenty point five', '20.5'],
  ['half', '50%'],
  ['2 hundred', '200'],
  ['forty and fifty', '40 and 50'],
])('"%s" becomes "%s"', (said, digits) => {
  expect(normaliseNumbers(said, 'en')).toBe(digits)
})

test.each([
  ['调到百分之八十', '调到80%'],
  ['二十六度', '26度'],
  ['一半', '50%'],
  ['一百五', '150'],
  ['两百', '200'],
  ['一点五', '1.5'],
  ['亮一点', '亮一点'],
  ['百分之百', '100%'],
  ['调到八成', '调到80%'],
])('%s becomes %s', (said, digits) => {
  expect(normaliseNumbers(said, 'zh')).toBe(digits)
})
