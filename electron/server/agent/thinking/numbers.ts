import type { SpokenLanguage } from '../providers.ts'

const small: Readonly<Record<string, number>> = {
  zero: 0, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10,
  eleven: 11, twelve: 12, thirteen: 13, fourteen: 14, fifteen: 15, sixteen: 16, seventeen: 17, eighteen: 18, nineteen: 19,
} // prettier-ignore
const tens: Readonly<Record<string, number>> = {
  twenty: 20, thirty: 30, forty: 40, fourty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90,
} // prettier-ignore
const digitWord = Object.keys(small)
const tensWord = Object.keys(tens)
const largest = 999_999

/** English words of 0 … 999 999 without "and": 145 → "one hundred forty five". Integers outside are clamped. */
export function englishNumber(value: number): string {
  const n = Math.min(largest, Math.max(-largest, Math.round(value)))
  if (n < 0) return `minus ${englishNumber(-n)}`
  if (n < 20) return digitWord[n] ?? ''
  if (n < 100) {
    const ten = tensWord.find((word) => tens[word] === n - (n % 10)) ?? ''
    return n % 10 === 0 ? ten : `${ten} ${englishNumber(n % 10)}`
  }
  const unit = n < 1000 ? 100 : 1000
  const rest = n % unit
  const head = `${englishNumber((n - rest) / unit)} ${unit === 100 ? 'hundred' : 'thousand'}`
  return rest === 0 ? head : `${head} ${englishNumber(rest)}`
}

interface Run {
  readonly value: number
  readonly length: number
}

/** The longest number that starts at `tokens[at]`, or undefined. "twenty two" is one number, "two fifty" is two. */
function englishRun(tokens: readonly string[], at: number): Run | undefined {
  let total = 0
  let group: number | undefined
  let open: 'any' | 'unit' | 'none' = 'any'
  let end = at
  for (let i = at; i < tokens.length; i++) {
    const word = tokens[i] ?? ''
    const isJoin = word === 'and' && end > at && open !== 'none' && isNumberStart(tokens[i + 1] ?? '')
    if (isJoin && (tokens[i - 1] === 'hundred' || tokens[i - 1] === 'thousand')) continue
    if (word === 'hundred' && (group === undefined || group < 100)) group = (group ?? 1) * 100
    else if (word === 'thousand' && (group === undefined || group < 1000) && total === 0) {
      total = (group ?? 1) * 1000
      group = undefined
    } else {
      const value = numberWord(word)
      if (value === undefined || open === 'none' || (open === 'unit' && (value >= 10 || value === 0))) break
      group = (group ?? 0) + value
      open = word in tens ? 'unit' : 'none'
      end = i + 1
      continue
    }
    open = 'any'
    end = i + 1
  }
  return end === at ? undefined : { value: total + (group ?? 0), length: end - at }
}

const isNumberStart = (word: string): boolean => word === 'hundred' || numberWord(word) !== undefined

function numberWord(word: string): number | undefined {
  if (Object.hasOwn(small, word)) return small[word]
  if (Object.hasOwn(tens, word)) return tens[word]
  return /^\d{1,3}$/.test(word) ? Number(word) : undefined
}

function englishNumbers(text: string): string {
  const tokens = text
    .replace(/(\d)\s*%/g, '$1 percent')
    .replace(/\bper cent\b/g, 'percent')
    .split(' ')
  const out: string[] = []
  for (let i = 0; i < tokens.length;) {
    const negative = tokens[i] === 'minus' || tokens[i] === 'negative'
    const run = plainDigits(tokens, negative ? i + 1 : i) ?? englishRun(tokens, negative ? i + 1 : i)
    if (!run) {
      out.push(tokens[i] === 'half' ? '50%' : (tokens[i] ?? ''))
      i++
      continue
    }
    i += run.length + (negative ? 1 : 0)
    let decimals = ''
    if (tokens[i] === 'point') {
      for (let k = i + 1; numberWord(tokens[k] ?? '') !== undefined && (numberWord(tokens[k] ?? '') ?? 10) < 10; k++)
        decimals += String(numberWord(tokens[k] ?? ''))
      if (decimals) i += decimals.length + 1
    }
    const percent = tokens[i] === 'percent'
    if (percent) i++
    out.push(`${negative ? '-' : ''}${run.value}${decimals && `.${decimals}`}${percent ? '%' : ''}`)
  }
  return out.join(' ')
}

function plainDigits(tokens: readonly string[], at: number): Run | undefined {
  const next = tokens[at + 1]
  if (next === 'hundred' || next === 'thousand') return undefined
  return /^-?\d{1,9}(\.\d{1,6})?$/.test(tokens[at] ?? '') ? { value: Number(tokens[at]), length: 1 } : undefined
}

const hanDigits = '零一二三四五六七八九'
const hanUnits: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 }

function hanDigit(char: string): number {
  if (char === '两') return 2
  return char === '〇' ? 0 : hanDigits.indexOf(char)
}

/** 一百五 is 150, 三千零五 3005, 二零二六 2026. */
function hanValue(word: string): number {
  if (!/[十百千万]/.test(word))
    return Number(
      Array.from(word, (char) => String(hanDigit(char)))
        .join('')
        .slice(0, 9),
    )
  let total = 0
  let group = 0
  let digit: number | undefined
  let lastUnit = 1
  for (const char of word) {
    const unit = hanUnits[char]
    if (char === '万') {
      total = (total + group + (digit ?? 0)) * 10_000
      group = 0
      digit = undefined
      lastUnit = 10_000
    } else if (unit !== undefined) {
      // 零十 as in 十四万零十 is ten.
      group += (digit === undefined || digit === 0 ? 1 : digit) * unit
      digit = undefined
      lastUnit = unit
    } else {
      digit = hanDigit(char)
      if (digit === 0) lastUnit = 1
    }
  }
  const tail = digit === undefined ? 0 : digit * (lastUnit > 10 ? lastUnit / 10 : 1)
  return Math.min(total + group + tail, 999_999_999)
}

const hanNumber = '[零〇一二两三四五六七八九十百千万]'
const hanDecimals = '[零〇一二三四五六七八九]'
/** 一点 "a little", 一下, 一会儿, 一起 are words, not the number one. */
const notOne = `(?!一(?:[下会起些样直定个]|点(?!${hanDecimals})))`
const hanPattern = new RegExp(`${notOne}负?${hanNumber}{1,16}(?:点${hanDecimals}{1,6})?`, 'g')

function hanRun(run: string): string {
  const minus = run.startsWith('负') ? '-' : ''
  const [integer = '', decimals = ''] = run.replace('负', '').split('点')
  const fraction = Array.from(decimals, (char) => String(hanDigit(char))).join('')
  return `${minus}${hanValue(integer)}${fraction && `.${fraction}`}`
}

function chineseNumbers(text: string): string {
  return text
    .replaceAll('一半', '50%')
    .replace(new RegExp(`(?<=[到至在为成])(${hanNumber})成$`), (_, n: string) => `${hanDigit(n) * 10}%`)
    .replace(hanPattern, hanRun)
    .replace(/100分之(-?\d+(?:\.\d+)?)/g, '$1%')
}

/**
 * Number words become digits ("forty percent" → "40%", 百分之八十 → 80%, "half" and 一半 → 50%), up to 999 999.
 * Text is expected in lower case, English words parted by one space; what is no number stays as it is.
 */
export function normaliseNumbers(text: string, language: SpokenLanguage): string {
  return language === 'zh' ? chineseNumbers(text) : englishNumbers(text)
}

/** Digits as Chinese characters, for a voice that would read them in English: 26.5 → 二十六点五. */
export function hanFromDigits(text: string): string {
  return text.replace(/(-?\d+(?:\.\d+)?)\s*%/g, '百分之$1').replace(/-?\d+(?:\.\d+)?/g, (number) => {
    const [integer = '', decimals = ''] = number.replace('-', '').split('.')
    const fraction = Array.from(decimals, (digit) => hanDigits[Number(digit)]).join('')
    return `${number.startsWith('-') ? '负' : ''}${hanInteger(integer)}${fraction && `点${fraction}`}`
  })
}

function hanInteger(digits: string): string {
  const n = Number(digits)
  // Long or zero-led strings are codes, read digit by digit.
  if (n > largest || (digits.length > 1 && digits.startsWith('0')))
    return Array.from(digits, (d) => hanDigits[Number(d)]).join('')
  if (n >= 10_000) {
    const rest = n % 10_000
    const join = rest > 0 && rest < 1000 ? '零' : ''
    const tail = rest === 0 ? '' : rest >= 10 && rest < 20 ? `一${hanInteger(String(rest))}` : hanInteger(String(rest))
    return `${hanInteger(String(Math.floor(n / 10_000)))}万${join}${tail}`
  }
  if (n < 10) return hanDigits[n] ?? ''
  const [unit, word] = n >= 1000 ? [1000, '千'] : n >= 100 ? [100, '百'] : [10, '十']
  const head = n >= 10 && n < 20 ? '' : hanDigits[Math.floor(n / unit)]
  const rest = n % unit
  const join = rest > 0 && rest < unit / 10 ? '零' : ''
  const tail = rest === 0 ? '' : rest >= 10 && rest < 20 ? `一${hanInteger(String(rest))}` : hanInteger(String(rest))
  return `${head}${word}${join}${tail}`
}
