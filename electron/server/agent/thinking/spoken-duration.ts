import type { SpokenLanguage } from '../providers.ts'

/** Words that come out of normaliseWords: digits for numbers, "50%" for half. */
const unitSeconds: readonly (readonly [RegExp, number])[] = [
  [/^(?:s|sec|second|秒)/, 1],
  [/^(?:min|分)/, 60],
  [/^(?:刻)/, 900],
  [/^(?:h|小时|钟头|个)/, 3600],
  [/^(?:d|天)/, 86_400],
  [/^(?:w|周|星期|礼拜)/, 604_800],
]
/** A year: longer is a date. */
const longest = 366 * 86_400

const english = {
  amount: '(?:\\d{1,6}(?:\\.\\d{1,3})?(?: and 50%)?|50%(?: of)?|quarter(?: of)?|3 quarters of|couple(?: of)?|few)',
  unit: '(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?)',
}
const chinese = {
  amount: '(?:\\d{1,6}(?:\\.\\d{1,3})?个?半?|半个?|一个半?)',
  unit: '(?:秒钟?|分钟?|刻钟|小时|钟头|天|周|星期|礼拜)',
}

/** Regular expression source of a length of time in normalised text: "hour and 50%", "1个半小时". */
export function durationSource(language: SpokenLanguage): string {
  if (language === 'zh') return `(?:${chinese.amount}${chinese.unit}半?){1,4}`
  const part = `(?:${english.amount} ?)?${english.unit}(?: and 50%)?`
  return `${part}(?:(?: and)? ${part}){0,3}`
}

const amountWords: Readonly<Record<string, number>> = {
  '50%': 0.5, quarter: 0.25, '3 quarters': 0.75, couple: 2, few: 3, 半: 0.5, 一个: 1, 一个半: 1.5,
} // prettier-ignore

function amountOf(said: string): number | undefined {
  const word = said.replace(/ of$/, '').trim()
  if (word === '') return 1
  const known = amountWords[word] ?? amountWords[word.replace(/个$/, '')]
  if (known !== undefined) return known
  const half = / and 50%$|半$/.test(word) && /^\d/.test(word) ? 0.5 : 0
  const digits = /^\d+(?:\.\d+)?/.exec(word)?.[0]
  return digits === undefined ? undefined : Number(digits) + half
}

/** Seconds of what durationSource matched; undefined for none, zero, or more than a year. */
export function durationSeconds(said: string, language: SpokenLanguage): number | undefined {
  const { amount, unit } = language === 'en' ? english : chinese
  const parts = new RegExp(`(${amount})? ?(${unit})( and 50%|半)?`, 'g')
  let total = 0
  for (const [, count = '', name = '', tail] of said.matchAll(parts)) {
    const seconds = unitSeconds.find(([pattern]) => pattern.test(name))?.[1]
    const value = amountOf(count)
    if (seconds === undefined || value === undefined) return undefined
    total += (value + (tail === undefined ? 0 : 0.5)) * seconds
  }
  const whole = Math.round(total)
  return whole > 0 && whole <= longest ? whole : undefined
}

/** ISO 8601 of whole seconds: 5400 → PT1H30M. */
export function isoDuration(seconds: number): string {
  const days = Math.floor(seconds / 86_400)
  const rest = seconds % 86_400
  const parts = [
    [Math.floor(rest / 3600), 'H'],
    [Math.floor((rest % 3600) / 60), 'M'],
    [rest % 60, 'S'],
  ] as const
  const time = parts.flatMap(([count, letter]) => (count > 0 ? [`${count}${letter}`] : [])).join('')
  return `P${days > 0 ? `${days}D` : ''}${time === '' ? '' : `T${time}`}`
}
