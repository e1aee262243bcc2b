import { englishNumber } from '../thinking/numbers.ts'

const ones = Array.from({ length: 9 }, (_, at) => englishNumber(at + 1))
const teens = Array.from({ length: 10 }, (_, at) => englishNumber(at + 10))
const tens = Array.from({ length: 8 }, (_, at) => englishNumber((at + 2) * 10))

/** Of 72 × "eighty percent", soft to loud, 11 were heard as eight and now none; of 90 digits that are meant none is lost. */
const loneDigit = '0.000000001'

/**
 * JSGF rules for whole numbers as words, only as wide as the range needs; `name` is the rule to refer to. A number above
 * the maximum may be heard ("a hundred and fifty" of 120): the matcher clamps it.
 */
export function numberRules(min: number, max: number): { name: string; rules: ReadonlyMap<string, string> } {
  const rules = new Map<string, string>()
  const top = Math.min(999_999, Math.max(Math.abs(min), Math.abs(max)))
  const size = top < 10 ? 'ones' : top < 100 ? 'tens' : top === 100 ? 'percent' : top < 1000 ? 'hundreds' : 'thousands'
  rules.set('ones', ones.join(' | '))
  // Weighed, because "eighty percent" and "eight percent" sound alike and people mostly say round numbers. At the words:
  // the library loses the weight of an alternative that is another rule.
  if (size !== 'ones') {
    rules.set('round', tens.join(' | '))
    const alone = ones.map((word) => `/${loneDigit}/ ${word}`)
    rules.set(
      'tens',
      ['/1/ <round>', '/1/ <round> <ones>', ...alone, ...teens.map((word) => `/1/ ${word}`)].join(' | '),
    )
  }
  if (size === 'percent') rules.set('percent', `<tens> | [ one ] hundred`)
  if (size === 'hundreds' || size === 'thousands')
    rules.set('hundreds', `<tens> | [ <ones> ] hundred [ [ and ] <tens> ]`)
  if (size === 'thousands') rules.set('thousands', `<hundreds> | [ <hundreds> ] thousand [ [ and ] <hundreds> ]`)
  const base = `<${size}> | zero`
  const name = `number_${size}${min < 0 ? '_signed' : ''}`
  rules.set(name, min < 0 ? `[ minus ] ( ${base} )` : base)
  return { name, rules }
}
