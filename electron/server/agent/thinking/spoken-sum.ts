import type { SpokenLanguage } from '../providers.ts'

const number = '-?\\d{1,12}(?:\\.\\d{1,6})?'
const words = {
  en: {
    before: 'square root of|root of|square of|cube of|cube root of',
    between:
      'plus|and|add|added to|minus|less|take away|subtract|times|multiplied by|multiply by|x|divided by|over|divide by|to power of|to power|modulo|mod|of',
    after: 'squared|cubed',
  },
  zh: {
    before: '根号',
    between: '加上|加|减去|减|乘以|乘|除以|除|的',
    after: '的平方根|的立方根|的平方|的立方|的阶乘',
  },
} as const

/** Regular expression source of a sum in normalised text: "12 times 7", "15% of 80", "3加5", "16的平方根". */
export function sumSource(language: SpokenLanguage): string {
  const { before, between, after } = words[language]
  if (language === 'zh') {
    const term = `(?:${number}%?(?:${after}|的${number}次方)?|${before}${number})`
    return `${term}(?:(?:${between})${term}){1,6}|${number}(?:${after}|的${number}次方)|${before}${number}`
  }
  const term = `(?:(?:${before}) ${number}|${number}%?(?: (?:${after}))?)`
  return `${term}(?: (?:${between}) ${term}){1,6}|${number} (?:${after})|(?:${before}) ${number}`
}

const operators: readonly (readonly [RegExp, string])[] = [
  [/(-?\d+(?:\.\d+)?)%/g, '($1 / 100)'],
  [/cube root of (-?[\d.]+)/g, 'cbrt($1)'],
  [/(?:square root of|root of|根号) ?(-?[\d.]+)/g, 'sqrt($1)'],
  [/square of (-?[\d.]+)/g, '($1)^2'],
  [/cube of (-?[\d.]+)/g, '($1)^3'],
  [/(-?[\d.]+) squared/g, '($1)^2'],
  [/(-?[\d.]+) cubed/g, '($1)^3'],
  [/(-?[\d.]+)的平方根/g, 'sqrt($1)'],
  [/(-?[\d.]+)的立方根/g, 'cbrt($1)'],
  [/(-?[\d.]+)的平方/g, '($1)^2'],
  [/(-?[\d.]+)的立方/g, '($1)^3'],
  [/(-?[\d.]+)的阶乘/g, '($1)!'],
  [/(-?[\d.]+)的(-?[\d.]+)次方/g, '($1)^($2)'],
  [/ (?:to power of|to power) /g, ' ^ '],
  [/ (?:plus|and|add|added to) /g, ' + '],
  [/ (?:minus|less|take away|subtract) /g, ' - '],
  [/ (?:divided by|over|divide by) /g, ' / '],
  [/ (?:modulo|mod) /g, ' mod '],
  [/ (?:times|multiplied by|multiply by|x|of) /g, ' * '],
  [/加上|加/g, ' + '],
  [/减去|减/g, ' - '],
  [/乘以|乘/g, ' * '],
  [/除以|除/g, ' / '],
  // 80的15%
  [/的(?=\()/g, ' * '],
]

/** What sumSource matched, as a formula: "15% of 80" → "(15 / 100) * 80". */
export function sumFormula(said: string): string | undefined {
  const formula = operators.reduce((text, [from, to]) => text.replace(from, to), said)
  return /^[\d\s.+\-*/^()!]*$/.test(formula.replace(/sqrt|cbrt|mod/g, ''))
    ? formula.replace(/\s+/g, ' ').trim()
    : undefined
}
