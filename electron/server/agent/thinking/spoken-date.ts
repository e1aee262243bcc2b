import type { SpokenLanguage } from '../providers.ts'
import { clockSource, clockTime, hourOfDay } from './spoken-clock.ts'

/** A wall time as if its zone were UTC: days can be added to it without a thought about clock changes. */
export type WallMs = number

const dayMs = 86_400_000
const months = 'january february march april may june july august september october november december'.split(' ')
const weekdays = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ')
const ordinals =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth'.split(
    ' ',
  )
const enMonth = `(?:${months.join('|')}|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec)`
const enOrdinal = `(?:(?:[23]0 )?(?:${ordinals.join('|')})|twentieth|thirtieth|\\d{1,2}(?:st|nd|rd|th)?)`
const enPart = '(?:morning|afternoon|evening|night)'

/** Source of a day in normalised text: "day after tomorrow", "on friday", "december 24", "下周3", "12月24号". */
export function dateSource(language: SpokenLanguage): string {
  if (language === 'zh')
    return '大后天|后天|今天|今日|明天|明日|今晚|明早|明晚|今早|(?:下个?|这个?|本)?(?:周|星期|礼拜)[1-6一日天]|(?:(?:\\d{4}|明|今)年)?\\d{1,2}月\\d{1,2}[号日]|\\d{1,2}[号日]|\\d{1,3}天[之以]?后|\\d{4}-\\d{2}-\\d{2}'
  return [
    'day after tomorrow',
    'today',
    'tonight',
    'tomorrow',
    `(?:on |next |coming )?(?:${weekdays.join('|')})`,
    `(?:on )?${enMonth} ${enOrdinal}(?: \\d{4})?`,
    `(?:on )?${enOrdinal}(?: of)? ${enMonth}(?: \\d{4})?`,
    'in \\d{1,3} (?:days?|weeks?)',
    'in (?:day|week)',
    '(?:on )?\\d{4}-\\d{2}-\\d{2}',
  ].join('|')
}

/** Source of a day with a time of day; the day may be left out. */
export function dateTimeSource(language: SpokenLanguage): string {
  const date = `(?:${dateSource(language)})`
  const clock = `(?:${clockSource(language)})`
  if (language === 'zh') return `(?:${date}的?)?${clock}`
  const day = `(?:${date}(?: (?:in )?${enPart})?|(?:in )?${enPart})`
  return `(?:${day} )?(?:at |by )?${clock}(?: ${day})?|${date} ${enPart}`
}

/** Midnight of the day that was said, as wall time; undefined when there is none such. */
export function dayOf(said: string, language: SpokenLanguage, now: WallMs): WallMs | undefined {
  const today = Math.floor(now / dayMs) * dayMs
  const iso = /(\d{4})-(\d{2})-(\d{2})/.exec(said)
  if (iso) return calendarDay(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  return language === 'zh' ? chineseDay(said, today) : englishDay(said, today)
}

function englishDay(said: string, today: WallMs): WallMs | undefined {
  const text = said.replace(/^on /, '')
  if (/^(?:today|tonight)/.test(text)) return today
  if (text.startsWith('tomorrow')) return today + dayMs
  if (text.startsWith('day after')) return today + 2 * dayMs
  const ahead = /^in (?:(\d+) )?(day|week)/.exec(text)
  if (ahead) return today + Number(ahead[1] ?? 1) * (ahead[2] === 'week' ? 7 : 1) * dayMs
  const weekday = weekdays.findIndex((name) => text.replace(/^(?:next|coming) /, '').startsWith(name))
  if (weekday >= 0) return nextWeekday(today, weekday + 1, text.startsWith('next'))
  const word = text.split(' ').find((part) => new RegExp(`^${enMonth}$`).test(part))
  if (word === undefined) return undefined
  const month = months.findIndex((name) => name.startsWith(word.slice(0, 3))) + 1
  const year = /\b\d{4}\b/.exec(text)?.[0]
  const day = ordinalOf(
    text
      .replace(word, '')
      .replace(year ?? '', '')
      .replace(/\bof\b/, '')
      .trim(),
  )
  return day === undefined
    ? undefined
    : yearlyDay(today, { month, day, year: year === undefined ? undefined : Number(year) })
}

function ordinalOf(text: string): number | undefined {
  if (text === 'twentieth') return 20
  if (text === 'thirtieth') return 30
  const parts = /^(?:([23]0) )?([a-z]+)$/.exec(text)
  if (parts) {
    const small = ordinals.indexOf(parts[2] ?? '') + 1
    return small === 0 ? undefined : Number(parts[1] ?? 0) + small
  }
  const digits = /^(\d{1,2})/.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

function chineseDay(said: string, today: WallMs): WallMs | undefined {
  if (/^(?:今天|今日|今晚|今早)/.test(said)) return today
  if (/^(?:明天|明日|明早|明晚)/.test(said)) return today + dayMs
  if (said.startsWith('大后天')) return today + 3 * dayMs
  if (said.startsWith('后天')) return today + 2 * dayMs
  const ahead = /^(\d+)天/.exec(said)
  if (ahead) return today + Number(ahead[1]) * dayMs
  const weekday = /(下个?|这个?|本)?(?:周|星期|礼拜)([1-6一日天])/.exec(said)
  if (weekday) {
    // 周一下午 keeps its 一: before 下 it is no number.
    const number = weekday[2] === '一' ? 1 : /[日天]/.test(weekday[2] ?? '') ? 7 : Number(weekday[2])
    if (weekday[1]?.startsWith('下')) return mondayOf(today) + (7 + number - 1) * dayMs
    return nextWeekday(today, number, false)
  }
  const date = /^(?:(\d{4}|明|今)年)?(?:(\d{1,2})月)?(\d{1,2})[号日]/.exec(said)
  if (!date) return undefined
  const thisYear = new Date(today).getUTCFullYear()
  const year = date[1] === '明' ? thisYear + 1 : date[1] === '今' ? thisYear : date[1] && Number(date[1])
  if (date[2] === undefined) return monthlyDay(today, Number(date[3]))
  return yearlyDay(today, { month: Number(date[2]), day: Number(date[3]), year: year === '' ? undefined : year })
}

const isoWeekday = (day: WallMs): number => ((new Date(day).getUTCDay() + 6) % 7) + 1
const mondayOf = (day: WallMs): WallMs => day - (isoWeekday(day) - 1) * dayMs

/** The next day of this name, today included; `skip`: not in this week ("next friday" said on a Monday is in 11 days). */
function nextWeekday(today: WallMs, weekday: number, skip: boolean): WallMs {
  if (skip) return mondayOf(today) + (7 + weekday - 1) * dayMs
  return today + ((weekday - isoWeekday(today) + 7) % 7) * dayMs
}

function calendarDay(year: number, month: number, day: number): WallMs | undefined {
  const made = new Date(Date.UTC(year, month - 1, day))
  return made.getUTCMonth() === month - 1 && made.getUTCDate() === day ? made.getTime() : undefined
}

/** Without a year the next one to come; 29 February waits for a leap year. */
function yearlyDay(
  today: WallMs,
  { month, day, year }: { month: number; day: number; year: number | undefined },
): WallMs | undefined {
  if (year !== undefined) return calendarDay(year, month, day)
  const first = new Date(today).getUTCFullYear()
  for (let at = first; at < first + 9; at++) {
    const found = calendarDay(at, month, day)
    if (found !== undefined && found >= today) return found
  }
  return undefined
}

function monthlyDay(today: WallMs, day: number): WallMs | undefined {
  const from = new Date(today)
  for (let ahead = 0; ahead < 12; ahead++) {
    const month = from.getUTCMonth() + ahead
    const found = calendarDay(from.getUTCFullYear() + Math.floor(month / 12), (month % 12) + 1, day)
    if (found !== undefined && found >= today) return found
  }
  return undefined
}

const partHour: Readonly<Record<string, number>> = { morning: 8, afternoon: 15, evening: 19, night: 21 }

/**
 * The wall time that was said. Without a day it is the next moment when the clock shows it, morning or evening unless
 * that was said: "at five" said at three o'clock in the afternoon is five o'clock in the afternoon.
 */
export function momentOf(said: string, language: SpokenLanguage, now: WallMs): WallMs | undefined {
  const dateText = new RegExp(`^(?:${dateSource(language)})|(?<= |^)(?:${dateSource(language)})$`).exec(said)?.[0]
  const day = dateText === undefined ? undefined : dayOf(dateText, language, now)
  if (dateText !== undefined && day === undefined) return undefined
  const part = language === 'en' ? /(?:^| )(morning|afternoon|evening|night)(?: |$)/.exec(said)?.[1] : undefined
  const left = dateText === undefined || /^[今明][早晚]/.test(dateText) ? said : said.replace(dateText, '')
  const clock = new RegExp(`(?:${clockSource(language)})(?= |$)`).exec(left.trim())?.[0]
  const time = clock === undefined ? undefined : clockTime(clock, language)
  if (!time)
    return day !== undefined && part !== undefined && clock === undefined
      ? day + (partHour[part] ?? 8) * 3_600_000
      : undefined
  const half =
    time.half ??
    (part === undefined
      ? /^tonight|[今明]晚/.test(dateText ?? '')
        ? 'pm'
        : undefined
      : part === 'morning'
        ? 'am'
        : 'pm')
  // "On Friday at three" is an afternoon: nobody plans for the small hours without saying so.
  const isSmall = half === undefined && day !== undefined && time.hour >= 1 && time.hour <= 4
  const at = hourOfDay({ ...time, half: isSmall ? 'pm' : half }) * 3_600_000 + time.minute * 60_000
  if (day !== undefined && (half !== undefined || day > now || time.hour === 0)) return day + at
  return nextShown(now, at, half === undefined && time.hour >= 1 && time.hour <= 12)
}

function nextShown(now: WallMs, at: number, eitherHalf: boolean): WallMs {
  const today = Math.floor(now / dayMs) * dayMs
  const times = eitherHalf ? [at % (dayMs / 2), (at % (dayMs / 2)) + dayMs / 2] : [at]
  const moments = times.flatMap((time) => [today + time, today + dayMs + time]).sort((a, b) => a - b)
  return moments.find((moment) => moment > now) ?? today + dayMs + at
}

export interface Impossible {
  readonly is: 'time' | 'date'
  /** As it was said, in normalised words: "25 o'clock", "2月30号". */
  readonly said: string
  /** The same sentence with a moment that there is. */
  readonly possible: string
}

/** The times of day and the days of a normalised sentence that do not exist, with what the sentence would be without. */
export function impossibleMoments(text: string, language: SpokenLanguage, now: WallMs): Impossible[] {
  const edge = language === 'en' ? ['(?<![^ ])', '(?![^ ])'] : ['', '']
  const all = (source: string) => [...text.matchAll(new RegExp(`${edge[0] ?? ''}(?:${source})${edge[1] ?? ''}`, 'g'))]
  const put = (at: number, said: string, other: string) => text.slice(0, at) + other + text.slice(at + said.length)
  const dates = all(dateSource(language)).flatMap(({ 0: whole, index }): Impossible[] => {
    if (dayOf(whole, language, now) !== undefined) return []
    const said = whole.replace(/^on /, '')
    return [{ is: 'date', said, possible: put(index, whole, language === 'zh' ? '12月1号' : 'december 1') }]
  })
  const times = all(clockSource(language)).flatMap(({ 0: said, index }): Impossible[] => {
    if (clockTime(said, language)) return []
    return [{ is: 'time', said, possible: put(index, said, language === 'zh' ? '8点' : '8 am') }]
  })
  return [...dates, ...times].slice(0, 4)
}

/** `2026-12-01`, `07:00` and both joined by T, of a wall time. */
export const isoDate = (wall: WallMs): string => new Date(wall).toISOString().slice(0, 10)
export const isoDateTime = (wall: WallMs): string => new Date(wall).toISOString().slice(0, 16)
export const wallOf = (now: Date): WallMs =>
  Date.UTC(now.getFullYear(), now.getMonth(), now.getDate(), now.getHours(), now.getMinutes(), now.getSeconds())
