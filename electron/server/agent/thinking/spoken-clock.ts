import type { SpokenLanguage } from '../providers.ts'

/** A time of day as it was said. `half`: which half of the day, when that was said. */
export interface ClockTime {
  readonly hour: number
  readonly minute: number
  readonly half: 'am' | 'pm' | undefined
}

const enHour = '\\d{1,2}'
const enTail = '(?: ?(?:am|pm|a m|p m)| in morning| in afternoon| in evening| at night| tonight)'
const zhPart = '(?:凌晨|早上|早晨|清晨|上午|中午|下午|傍晚|晚上|夜里|半夜|今晚|明早|明晚|今早|早|晚)'

/** Regular expression source of a time of day in normalised text: "7 30 pm", "50% past 7", "下午3点半". */
export function clockSource(language: SpokenLanguage): string {
  if (language === 'zh')
    return `(?:${zhPart}的?)?\\d{1,2}点(?:钟|整|半|[13一三]刻|零?\\d{1,2}分?)?|正午|午夜|零点|中午(?!\\d)`
  const plain = `${enHour}(?:[ .](?:oh )?\\d{1,2})?(?: o'?clock)?${enTail}?`
  const relative = `(?:50%|quarter|\\d{1,2})(?: minutes)? (?:past|after|to|before) ${enHour}(?: o'?clock)?${enTail}?`
  return `${relative}|${plain}|noon|midday|midnight`
}

export function clockTime(said: string, language: SpokenLanguage): ClockTime | undefined {
  const time = language === 'zh' ? chineseTime(said) : englishTime(said)
  if (!time || time.hour > 23 || time.minute > 59) return undefined
  if (time.half === undefined || time.hour > 12) return { ...time, half: time.hour > 12 ? 'pm' : time.half }
  return time
}

function englishTime(said: string): ClockTime | undefined {
  if (/^(?:noon|midday)$/.test(said)) return { hour: 12, minute: 0, half: 'pm' }
  if (said === 'midnight') return { hour: 0, minute: 0, half: 'am' }
  const half = /(?:am|a m|morning)$/.test(said)
    ? 'am'
    : /(?:pm|p m|afternoon|evening|night)$/.test(said)
      ? 'pm'
      : undefined
  const relative = /^(50%|quarter|\d+)(?: minutes)? (past|after|to|before) (\d+)/.exec(said)
  if (relative) {
    const [, amount = '', way = '', hour = ''] = relative
    const minutes = amount === '50%' ? 30 : amount === 'quarter' ? 15 : Number(amount)
    const total = Number(hour) * 60 + (/past|after/.test(way) ? minutes : -minutes)
    const around = (total + 1440) % 1440
    // "ten to one" is 12:50 of the same half.
    return { hour: Math.floor(around / 60) || (half === 'pm' ? 12 : 0), minute: around % 60, half }
  }
  const [, hour, minute] = /^(\d+)(?:[ .](?:oh )?(\d+))?/.exec(said) ?? []
  return hour === undefined ? undefined : { hour: Number(hour), minute: Number(minute ?? 0), half }
}

function chineseTime(said: string): ClockTime | undefined {
  if (/^(?:正午|中午)$/.test(said)) return { hour: 12, minute: 0, half: 'pm' }
  if (/^(?:午夜|零点)$/.test(said)) return { hour: 0, minute: 0, half: 'am' }
  const half = /^(?:凌晨|早|清晨|上午|明早|今早)/.test(said)
    ? 'am'
    : /^(?:下午|傍晚|晚|夜里|半夜|今晚|明晚)/.test(said)
      ? 'pm'
      : undefined
  const [, hourText, rest = ''] = /(\d{1,2})点(.*)$/.exec(said) ?? []
  if (hourText === undefined) return undefined
  const hour = Number(hourText)
  const quarter = /^([13一三])刻/.exec(rest)?.[1]
  const minute = rest.startsWith('半')
    ? 30
    : quarter !== undefined
      ? /[1一]/.test(quarter)
        ? 15
        : 45
      : Number(/\d+/.exec(rest)?.[0] ?? 0)
  if (said.startsWith('中午')) return { hour, minute, half: hour < 11 ? 'pm' : hour === 11 ? 'am' : 'pm' }
  return { hour, minute, half }
}

/** On the clock of 24 hours; without a half it is taken as it was said. Midnight said as "12 at night" is 0. */
export function hourOfDay({ hour, half }: ClockTime): number {
  if (half === 'am') return hour === 12 ? 0 : hour
  if (half === 'pm') return hour < 12 ? hour + 12 : hour
  return hour
}
