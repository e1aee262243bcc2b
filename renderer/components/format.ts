import { computed } from 'vue'
import { useI18n } from 'vue-i18n'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago, in the unit that a person would choose. `ageMs` below one second is "now". */
export function formatAge(ageMs: number, locale: string): string {
  const words = new Intl.RelativeTimeFormat(locale, { style: 'narrow', numeric: 'auto' })
  const age = Math.max(0, ageMs)
  if (age < 1_000) return words.format(0, 'second')
  if (age < MINUTE) return words.format(-Math.floor(age / 1_000), 'second')
  if (age < HOUR) return words.format(-Math.floor(age / MINUTE), 'minute')
  if (age < DAY) return words.format(-Math.floor(age / HOUR), 'hour')
  return words.format(-Math.floor(age / DAY), 'day')
}

const unit = (locale: string, name: string, digits = 0) =>
  new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'narrow', maximumFractionDigits: digits })

/** A length of time with the two largest units: "2h 5m", "14s". Under ten seconds with tenths, under one in ms. */
export function formatDuration(ms: number, locale: string): string {
  const length = Math.max(0, ms)
  if (length < 1_000) return `${new Intl.NumberFormat(locale).format(Math.round(length))} ms`
  if (length < 10_000) return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(length / 1_000)} s`
  if (length < MINUTE) return `${Math.round(length / 1_000)} s`
  const part = (value: number, name: string) => unit(locale, name).format(value)
  if (length < HOUR)
    return joined(part(Math.floor(length / MINUTE), 'minute'), part(Math.floor((length % MINUTE) / 1_000), 'second'))
  if (length < DAY)
    return joined(part(Math.floor(length / HOUR), 'hour'), part(Math.floor((length % HOUR) / MINUTE), 'minute'))
  return joined(part(Math.floor(length / DAY), 'day'), part(Math.floor((length % DAY) / HOUR), 'hour'))
}

/** How long something has been going on: whole seconds, because it is read while it grows. */
export function formatElapsed(ms: number, locale: string): string {
  const length = Math.max(0, ms)
  return length < MINUTE ? unit(locale, 'second').format(Math.floor(length / 1_000)) : formatDuration(length, locale)
}

const joined = (...parts: string[]) => parts.join(' ')

export const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

export function formatBytes(bytes: number, locale: string): string {
  const power = bytes < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 2 ** (10 * power)
  const digits = power > 0 && value < 100 ? 1 : 0
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value)} ${BYTE_UNITS[power] ?? 'B'}`
}

/** Dates, numbers and units in the language of the page; everything changes with it at once. */
export function useFormat() {
  const { locale } = useI18n()
  const language = computed(() => locale.value)
  const at = (options: Intl.DateTimeFormatOptions) => (ms: number) =>
    new Intl.DateTimeFormat(language.value, options).format(ms)
  return {
    language,
    age: (ms: number) => formatAge(ms, language.value),
    duration: (ms: number) => formatDuration(ms, language.value),
    elapsed: (ms: number) => formatElapsed(ms, language.value),
    bytes: (value: number) => formatBytes(value, language.value),
    number: (value: number, digits = 0) =>
      new Intl.NumberFormat(language.value, { maximumFractionDigits: digits }).format(value),
    percent: (value: number) => new Intl.NumberFormat(language.value, { style: 'percent' }).format(value),
    // The day has 24 hours in every language: an axis, its table and a turn say the same moment alike.
    clock: at({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }),
    hourMinute: at({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    monthDay: at({ month: 'numeric', day: 'numeric' }),
    dayTime: at({ month: 'numeric', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    date: at({ dateStyle: 'medium' }),
    dateTime: at({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }),
  }
}
