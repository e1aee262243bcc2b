import { wallParts } from './wall-time.ts'

export type Spoken = Readonly<Record<'en' | 'zh', string>>

const weekdays = {
  en: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  zh: ['周一', '周二', '周三', '周四', '周五', '周六', '周日'],
} as const
const months = 'January February March April May June July August September October November December'.split(' ')

/** 5400 s → "1 hour 30 minutes", 1小时30分钟. Two largest units: nobody wants the seconds of a day. */
export function sayDuration(ms: number): Spoken {
  const total = Math.max(0, Math.round(ms / 1000))
  const units = [
    [Math.floor(total / 86_400), 'day', '天'],
    [Math.floor((total % 86_400) / 3600), 'hour', '小时'],
    [Math.floor((total % 3600) / 60), 'minute', '分钟'],
    [total % 60, 'second', '秒'],
  ] as const
  const parts = units.filter(([count]) => count > 0).slice(0, 2)
  if (parts.length === 0) return { en: '0 seconds', zh: '0秒' }
  return {
    en: parts.map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`).join(' '),
    zh: parts.map(([count, , unit]) => `${count}${unit}`).join(''),
  }
}

export function sayTime(at: number, zone: string): Spoken {
  const { hour, minute } = wallParts(at, zone)
  const part =
    hour < 5 ? '凌晨' : hour < 9 ? '早上' : hour < 12 ? '上午' : hour < 13 ? '中午' : hour < 18 ? '下午' : '晚上'
  const twelve = hour % 12 === 0 ? 12 : hour % 12
  const shown = hour === 0 ? 0 : hour > 12 ? hour - 12 : hour
  return {
    en: `${twelve}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`,
    zh: `${part}${shown}点${minute === 0 ? '' : minute === 30 ? '半' : `${minute}分`}`,
  }
}

export function sayDate(at: number, zone: string): Spoken {
  const { year, month, day, weekday } = wallParts(at, zone)
  return {
    en: `${weekdays.en[weekday - 1] ?? ''}, ${months[month - 1] ?? ''} ${day}, ${year}`,
    zh: `${year}年${month}月${day}日，${weekdays.zh[weekday - 1] ?? ''}`,
  }
}

/** "tomorrow at 7:00 AM": as near words as the distance allows. */
export function sayMoment(at: number, { now, zone }: { now: number; zone: string }): Spoken {
  const time = sayTime(at, zone)
  const there = wallParts(at, zone)
  const days = Math.round((Date.parse(there.date) - Date.parse(wallParts(now, zone).date)) / 86_400_000)
  if (days === 0) return { en: `today at ${time.en}`, zh: `今天${time.zh}` }
  if (days === 1) return { en: `tomorrow at ${time.en}`, zh: `明天${time.zh}` }
  if (days > 1 && days < 7)
    return {
      en: `on ${weekdays.en[there.weekday - 1] ?? ''} at ${time.en}`,
      zh: `${weekdays.zh[there.weekday - 1] ?? ''}${time.zh}`,
    }
  return {
    en: `on ${months[there.month - 1] ?? ''} ${there.day} at ${time.en}`,
    zh: `${there.month}月${there.day}日${time.zh}`,
  }
}

export function sayDays(on: readonly number[]): Spoken {
  if (on.length === 0) return { en: '', zh: '' }
  if (on.length === 7) return { en: 'every day', zh: '每天' }
  if (on.join() === '1,2,3,4,5') return { en: 'on weekdays', zh: '工作日' }
  if (on.join() === '6,7') return { en: 'at the weekend', zh: '周末' }
  const named = (language: 'en' | 'zh') => on.map((day) => weekdays[language][day - 1] ?? '')
  return { en: `every ${named('en').join(' and ')}`, zh: `每${named('zh').join('、')}` }
}

/** "milk, eggs and bread" of at most `most`, with how many more there are. */
export function sayList(items: readonly string[], most = 8): Spoken {
  const said = items.slice(0, most)
  const more = items.length - said.length
  const en = said.length < 2 ? (said[0] ?? '') : `${said.slice(0, -1).join(', ')} and ${said.at(-1) ?? ''}`
  return { en: more > 0 ? `${en} and ${more} more` : en, zh: `${said.join('、')}${more > 0 ? `，还有${more}项` : ''}` }
}

/** Both languages as fields of a tool's result: the reply's template takes the one of its language. */
export function told(spoken: Spoken): { readonly spoken_en: string; readonly spoken_zh: string } {
  return { spoken_en: spoken.en.slice(0, 200), spoken_zh: spoken.zh.slice(0, 200) }
}

/** As a person says it: at most six places, no long tails of binary fractions. */
export function sayNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value)
  const rounded = Number(value.toPrecision(10))
  return Math.abs(rounded) >= 1e15 || (rounded !== 0 && Math.abs(rounded) < 1e-6)
    ? rounded.toExponential(4)
    : String(Number(rounded.toFixed(6)))
}
