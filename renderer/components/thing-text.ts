import type { ThingParam, ThingValue } from '../../electron/contract/thing.ts'

type Language = 'en' | 'zh'

const signs: Readonly<Record<string, string>> = { Cel: '°C', deg: '°', '%': '%', mL: 'ml', Pa: 'Pa', lx: 'lx' }

/** A UCUM-like unit as people write it. */
export const unitSign = (unit: string | undefined): string => (unit === undefined ? '' : (signs[unit] ?? unit))

const glued = new Set(['%', '°'])

/** `26 °C`, `40%`, or the value itself. */
export function withUnit(text: string, unit: string | undefined): string {
  const sign = unitSign(unit)
  return sign === '' ? text : glued.has(sign) ? `${text}${sign}` : `${text} ${sign}`
}

/** The range of a number as written in a list: `16–30 °C`, `≥ 0`, or nothing. */
export function rangeText(
  param: Pick<ThingParam, 'type' | 'minimum' | 'maximum' | 'step' | 'unit' | 'values'>,
): string {
  if (param.values) return param.values.join(' · ')
  const { minimum, maximum, step } = param
  const range =
    minimum !== undefined && maximum !== undefined
      ? `${minimum}–${maximum}`
      : minimum !== undefined
        ? `≥ ${minimum}`
        : maximum !== undefined
          ? `≤ ${maximum}`
          : ''
  const text = step === undefined || step === 1 ? range : `${range} / ${step}`
  return withUnit(text, param.unit).trim()
}

export const languageOf = (locale: string): Language => (locale === 'zh-CN' ? 'zh' : 'en')

/** What a person calls a part: its first spoken name in this language, else the identifier. */
export function shownName(named: Pick<ThingParam, 'name' | 'names'>, locale: string): string {
  return named.names[languageOf(locale)][0] ?? named.name
}

/** The title in the language of the page, else in the other one. */
export function titleText(title: { readonly en: string; readonly zh: string }, locale: string): string {
  const first = title[languageOf(locale)].trim()
  return first === '' ? title.en.trim() || title.zh.trim() : first
}

/** A value of a list by the name that people gave it; numbers with their unit. */
export function valueText(param: ThingParam, value: ThingValue, locale: string): string {
  if (typeof value === 'string') return param.valueNames[value]?.[languageOf(locale)][0] ?? value
  if (typeof value === 'number')
    return withUnit(new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(value), param.unit)
  return String(value)
}
