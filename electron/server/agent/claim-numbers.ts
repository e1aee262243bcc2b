// Quantities as people say them, in digits and in words of both languages: "twenty-five percent", 三分之一, 一刻钟.

/**
 * `seconds`: a duration. `minutes`: a time of day, since midnight; `half` when it may be of either half of the day.
 * `day`: of a month. `percent`: a share of the whole. `degrees`: of Celsius or Fahrenheit. `plain`: anything else.
 */
export interface Quantity {
  readonly kind: 'seconds' | 'minutes' | 'percent' | 'degrees' | 'day' | 'plain'
  readonly value: number
  readonly half?: boolean
  /** Said with "about" or by a fraction: near is good enough. */
  readonly rough?: boolean
}

const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const ordinals =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'.split(
    ' ',
  )

const small = new Map([
  ...ones.map((word, at) => [word, at] as const),
  ...tens.map((word, at) => [word, (at + 2) * 10] as const),
])

/** English number words as digits: "one hundred and twenty" becomes "120", "twenty-five" "25". */
export function withDigits(text: string): string {
  // Words at even places, what is between them at odd ones.
  const parts = text.split(/([^a-z]+)/)
  const out: string[] = []
  for (let at = 0; at < parts.length;) {
    const read = at % 2 === 0 ? readNumber(parts, at) : undefined
    out.push(read ? String(read.value) : (parts[at] ?? ''))
    at = read ? read.next : at + 1
  }
  return out.join('')
}

function readNumber(parts: readonly string[], from: number): { value: number; next: number } | undefined {
  let value: number | undefined
  let next = from
  for (let at = from; at < parts.length; at += 2) {
    const word = parts[at] ?? ''
    if (at > from && !/^[ -]$/.test(parts[at - 1] ?? '')) break
    const number = small.get(word)
    if (word === 'and' && value !== undefined && value >= 100 && small.has(parts[at + 2] ?? '')) continue
    if (number !== undefined && fitsBehind(value, number)) value = (value ?? 0) + number
    else if (word === 'hundred' && value !== undefined && value < 100) value *= 100
    else if (word === 'a' && value === undefined && parts[at + 2] === 'hundred') value = 1
    else break
    next = at + 1
  }
  return value === undefined ? undefined : { value, next }
}

/** "twenty five" is one number and "two five" are two. */
function fitsBehind(before: number | undefined, number: number): boolean {
  if (before === undefined) return true
  if (before >= 100) return before % 100 === 0
  return before >= 20 && before % 10 === 0 && number > 0 && number < 10
}

const chineseDigits = '零一二三四五六七八九'

/** 三百二十一, 二十五, 两, 十: undefined when it is no numeral. */
export function chineseNumeral(text: string): number | undefined {
  let total = 0
  let digit: number | undefined
  for (const sign of text.replaceAll('两', '二').replaceAll('〇', '零')) {
    const unit = { 十: 10, 百: 100, 千: 1000 }[sign]
    if (unit !== undefined) {
      total += (digit ?? 1) * unit
      digit = undefined
      continue
    }
    const one = chineseDigits.indexOf(sign)
    if (one < 0) return undefined
    digit = digit === undefined || digit === 0 ? one : digit * 10 + one
  }
  return total + (digit ?? 0)
}

/** Chinese numerals before a unit, behind 百分之 or 到, as digits; 半 and 刻 as what they stand for. */
function withChineseDigits(text: string): string {
  const numeral = '[零〇一二两三四五六七八九十百]{1,7}'
  const read = (sign: string) => String(chineseNumeral(sign) ?? sign)
  return text
    .replace(new RegExp(`(${numeral})分之(${numeral})`, 'g'), (all: string, whole: string, part: string) => {
      const [of, some] = [chineseNumeral(whole), chineseNumeral(part)]
      return of && some !== undefined ? `${String(Math.round((some / of) * 100))}%${of === 100 ? '' : '~'}` : all
    })
    .replace(new RegExp(`第(${numeral})`, 'g'), (_, sign: string) => `第${read(sign)}`)
    .replace(/四分之三|3\/4/g, '75%~')
    .replace(new RegExp(`(?<!星期|礼拜|周)(${numeral})点(?=${numeral}度)`, 'g'), (_, a: string) => `${read(a)}.`)
    .replace(
      new RegExp(
        `(?<![周期拜万])(${numeral})(?=个?(?:半)?(?:小时|钟头)|分钟?半?|秒|刻|度|[档挡级成]|厘米|公分|[%号日月岁步圈次遍瓶盒斤包袋颗杯份个米]|点(?!儿|心|播|亮|赞)|毫升)`,
        'g',
      ),
      (all: string, sign: string) => (sign === '十' && /十分(?!钟)/.test(text) ? all : read(sign)),
    )
    .replace(new RegExp(`(?<=\\d点|\\.|[到至为成是])(${numeral})(?=$|[了啦分度,，。！!])`, 'g'), (_, sign: string) =>
      read(sign),
    )
    .replace(/([零〇二两三四五六七八九]?十[一二三四五六七八九]?)(?![分万足字])/g, (all: string, sign: string) =>
      sign.length > 1 ? read(sign) : all,
    )
}

/** What is left behind, compared with or counted from is no claim: "from 40", 比20度, 原来是45. */
const before =
  /\b(?:(?<!counting down )from|was|than|instead of|versus|not|under|below|above|over|every|another|version|out of)(?: (?:about|around))? $|(?:从|由|原来|原本|比|刚才|之前|每)[^\d,，]{0,5}$/
const behind = /^(?: ?(?:minutes?|hours?|seconds?))? ago\b|^(?:分钟|小时|秒)?(?:之?前|以前)/
/** By how much, and not to what. */
const change =
  /\b(?:by|(?:raised|lowered|bumped|dropped|nudged|turned|brought|took|increased|decreased)(?: (?:it|the \w+|things))?(?: (?:up|down))?)(?: (?:by|about|around))? $|(?:调|升|降|提)[高低大小快慢亮暗]?了$|[高低大小快慢亮暗]了$/

const about =
  /\b(?:about|around|roughly|nearly|almost|approximately|just (?:over|under)|close to) $|(?:大约|约|大概|差不多|将近|快到)$/

const unit =
  /^[ -]?(?:(%|percent\b|per cent\b|~)|(°|degrees?\b|度|℃|c\b|celsius|fahrenheit)|(ms\b|milliseconds?|毫秒)|(s\b|sec\b|secs\b|seconds?\b|秒)|(m\b|mins?\b|minutes?\b|分钟?(?![^半\d]*[队组]))|(h\b|hrs?\b|hours?\b|个?半?小时|个?半?钟头)|(刻钟)|(成))/

const monthName =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|aug|sept?|oct|nov|dec)'
const date = new RegExp(
  `\\b${monthName}\\.? (?:the )?(\\d{1,2})(?:st|nd|rd|th)?\\b(?! ?(?:%|:|am|pm|degrees|percent))|\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${monthName}\\b|(?:\\d{1,2}月)?(\\d{1,2})[日号](?!楼|线|房|车|桌|机|位)`,
  'g',
)

/** Quantities in one clause in lower case. Linear in its length. */
export function quantitiesIn(clause: string): Quantity[] {
  const text = fractions(withChineseDigits(withDigits(clause)))
  const days: Quantity[] = []
  const dateless = text.replace(date, (...parts: unknown[]) => {
    days.push({ kind: 'day', value: Number(parts.slice(1, 4).find((part) => part !== undefined)) })
    return ' '
  })
  const { rest, times } = takeTimes(dateless)
  const found: Quantity[] = [...days, ...times]
  let open = -1
  for (const match of rest.matchAll(/\d+(?:[.,]\d+)?/g)) {
    const from = match.index
    const to = from + match[0].length
    const tail = rest.slice(to, to + 24)
    const lead = rest.slice(Math.max(0, from - 24), from)
    if (before.test(lead) || behind.test(tail)) continue
    const quantity = quantityOf(Number(match[0].replace(',', '.')), tail, about.test(lead))
    if (change.test(lead) && (quantity.kind === 'degrees' || quantity.kind === 'percent')) continue
    const last = found[open]
    // "1 hour 30 minutes" is one duration.
    if (
      last?.kind === 'seconds' &&
      quantity.kind === 'seconds' &&
      quantity.value < last.value &&
      isJoined(rest, from)
    ) {
      found[open] = { ...last, value: last.value + quantity.value }
    } else open = found.push(quantity) - 1
  }
  return found
}

function isJoined(text: string, from: number): boolean {
  return /\d ?(?:hours?|hrs?|h|minutes?|mins?|m|个?小时|分钟?)(?: and)? ?$/.test(
    text.slice(Math.max(0, from - 16), from),
  )
}

function quantityOf(value: number, tail: string, rough: boolean): Quantity {
  const [all = '', percent, degrees, milli, seconds, minutes, hours, quarter, tenths] = unit.exec(tail) ?? []
  const withHalf = tail.slice(all.length).startsWith('半') || all.includes('半') ? 0.5 : 0
  if (percent !== undefined) return { kind: 'percent', value, rough: rough || tail[all.length] === '~' }
  if (tenths !== undefined) return { kind: 'percent', value: value * 10, rough }
  if (degrees !== undefined) return { kind: 'degrees', value, rough }
  if (milli !== undefined) return { kind: 'seconds', value: value / 1000, rough }
  if (seconds !== undefined) return { kind: 'seconds', value, rough }
  if (minutes === '分' && !tail.startsWith('分半')) return { kind: 'plain', value, rough }
  if (minutes !== undefined) return { kind: 'seconds', value: (value + withHalf) * 60, rough }
  if (hours !== undefined) return { kind: 'seconds', value: (value + withHalf) * 3600, rough }
  if (quarter !== undefined) return { kind: 'seconds', value: value * 900, rough }
  return { kind: 'plain', value, rough }
}

/** "half an hour", "a quarter", 一半: as numbers with a unit. */
function fractions(text: string): string {
  return text
    .replace(/\bhalf (?:an )?hour\b|(?<!\d个?)半个?(?:小时|钟头)/g, '30 minutes')
    .replace(/\bhalf (?:a )?minute\b|(?<!\d)半分钟/g, '30 seconds')
    .replace(/\b(?:three quarters|3 quarters) of an hour\b/g, '45 minutes')
    .replace(/\b(?:a )?quarter of an hour\b|\bquarter hour\b/g, '15 minutes')
    .replace(/\b(?:an|1) hour and a half\b|\b1 and a half hours?\b/g, '90 minutes')
    .replace(/\b(\d+) and a half (minute|hour)s?\b/g, '$1.5 $2s')
    .replace(/\b(\d+) (minute|hour)s? and a half\b/g, '$1.5 $2s')
    .replace(/\ban hour\b/g, '1 hour')
    .replace(/\ba minute\b(?! ago)/g, '1 minute')
    .replace(/\b(?:3|three) quarters\b|\b3\/4\b/g, '75 %~')
    .replace(/\b(?:2|two) thirds\b|\b2\/3\b/g, '67 %~')
    .replace(/\b(?:a|1|one) third\b|\b1\/3\b/g, '33 %~')
    .replace(/\b(?:a|1|one) quarter\b(?! (?:past|to|after)\b)|\b1\/4\b/g, '25 %~')
    .replace(
      /\b(?:half way|halfway|half open|half closed|half full|(?:at|to|by|in) half(?! (?:past|\d))|half (?:brightness|speed|volume|power))\b|一半|半开/g,
      '50 %~',
    )
    .replace(/\b(?:a )?dozen\b|一打/g, '12')
    .replace(new RegExp(`\\b(?:${ordinals.slice(3).join('|')})\\b`, 'g'), (word) => String(ordinals.indexOf(word)))
}

const meridiem = '(?: ?([ap])\\.?m\\b)?'
const clocks: readonly RegExp[] = [
  new RegExp(`(\\d{1,2})[:：](\\d{2})(?::\\d{2})?${meridiem}`, 'g'),
  /()(\d{1,2}) ?([ap])\.?m\b/g,
  /\b(?:a )?(quarter|half|\d{1,2}(?: minutes)?) (past|to|after) (\d{1,2})(?!\d|%| ?(?:%|percent|degrees|minutes))/g,
  /\b(\d{1,2}) o'?clock\b/g,
  /(\d{1,2})点(?:钟|整)?(?:(\d)刻|(半)|(\d{1,2})分?)?/g,
  /\b(?:at|for|by|until) (\d{1,2}) (\d{2})\b(?! ?(?:%|percent|degrees|minutes))/g,
  /\b(?:at|for) half (\d{1,2})\b/g,
  /\b(noon|midday|midnight)\b|(中午十二点|正午|零点|午夜)/g,
]

/** Times of day out of a text, with what they leave. */
function takeTimes(text: string): { rest: string; times: Quantity[] } {
  const times: Quantity[] = []
  const late = /\b(?:evening|afternoon|tonight|at night)\b|下午|晚上|傍晚|今晚|明晚|夜里/.test(text)
  const early = /\b(?:morning)\b|早上|上午|早晨|清晨|凌晨|明早|今早/.test(text)
  const add = (hour: number, minute: number, mark?: string) => {
    const isLate = mark === 'p' || (mark === undefined && late && !early)
    const isKnown = mark !== undefined || late !== early || hour > 12 || hour === 0
    const full = isLate && hour < 12 ? hour + 12 : (mark === 'a' || (early && !late)) && hour === 12 ? 0 : hour
    times.push({ kind: 'minutes', value: full * 60 + minute, half: !isKnown })
    return ' '
  }
  const readers: readonly ((parts: readonly string[]) => string)[] = [
    ([, h, m, mark]) => add(Number(h), Number(m), mark),
    ([, , h, mark]) => add(Number(h), 0, mark),
    ([, part = '', side, h]) => {
      const minutes = part === 'half' ? 30 : part === 'quarter' ? 15 : parseInt(part, 10)
      const all = Number(h) * 60 + (side === 'to' ? -minutes : minutes)
      return add(Math.floor(all / 60), all % 60)
    },
    ([, h]) => add(Number(h), 0),
    ([, h, quarter, half, m]) => add(Number(h), half ? 30 : quarter ? Number(quarter) * 15 : Number(m ?? 0)),
    ([, h, m]) => add(Number(h), Number(m)),
    ([, h]) => add(Number(h), 30),
    ([, word = '', zh = '']) =>
      add(/mid?night/.test(word) || /零|夜/.test(zh) ? 0 : 12, 0, /night/.test(word) || /零|夜/.test(zh) ? 'a' : 'p'),
  ]
  let rest = text
  clocks.forEach((clock, at) => {
    rest = rest.replace(clock, (...parts: unknown[]) => readers[at]?.(parts as string[]) ?? ' ')
  })
  return { rest, times }
}
