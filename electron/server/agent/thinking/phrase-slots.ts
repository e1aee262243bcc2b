import type { ToolVersion } from '../../../contract/tool.ts'
import type { SpokenLanguage } from '../providers.ts'
import { clockSource, clockTime, hourOfDay } from './spoken-clock.ts'
import { dateSource, dateTimeSource, dayOf, isoDate, isoDateTime, momentOf, type WallMs } from './spoken-date.ts'
import { durationSeconds, durationSource, isoDuration } from './spoken-duration.ts'
import { sumFormula, sumSource } from './spoken-sum.ts'
import { numberValue, type Outside, outsideOf, phrasesSource } from './slots.ts'
import { asObject, choiceParam, numberParam, type Property, switchParam } from './spoken-tool.ts'

/** What a gap takes. `text` and `command` take any words, so they are never part of the recogniser's grammar. */
export type GapKind =
  'number' | 'words' | 'duration' | 'time' | 'date' | 'date-time' | 'arithmetic' | 'text' | 'command'

export interface Heard {
  readonly language: SpokenLanguage
  readonly now: WallMs
  /** The words of the person, for a free text. */
  readonly own: (captured: string) => string
  /** The call that these words alone would be; undefined when they are none. */
  command(
    captured: string,
  ): { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> } | undefined
}

/** One parameter as the gap of a sentence. */
export interface Gap {
  readonly param: string
  readonly kind: GapKind
  /** Regular expression source; undefined when nothing that is said could fill it. */
  readonly source: string | undefined
  /** Spoken names of a `words` gap and what they mean. */
  readonly names: ReadonlyMap<string, unknown>
  /** Where there are no names: words of which each filling holds one; empty when it may be any. */
  readonly hints: readonly string[]
  /** The value as the schema wants it; undefined when the words mean none. */
  readonly value: (said: string, heard: Heard) => unknown
  /** The range, where the words are a number beyond it. */
  readonly outside?: (said: string) => Outside | undefined
}

const longestText = 160
const fillingHints: Readonly<Record<SpokenLanguage, Readonly<Partial<Record<GapKind, readonly string[]>>>>> = {
  en: {
    duration: ['second', 'sec', 'minute', 'min', 'hour', 'hr', 'day', 'week'].flatMap((word) => [word, `${word}s`]),
    arithmetic: [
      'plus', 'and', 'add', 'added', 'minus', 'less', 'take', 'subtract', 'times', 'multiplied', 'multiply', 'x', 'divided', 'over',
      'divide', 'to', 'modulo', 'mod', 'of', 'squared', 'cubed',
    ], // prettier-ignore
  },
  zh: {
    duration: ['秒', '分', '刻', '小时', '钟头', '天', '周', '星期', '礼拜'],
    time: ['点', '正午', '午夜', '中午'],
    'date-time': ['点', '正午', '午夜', '中午'],
    arithmetic: ['加', '减', '乘', '除', '的', '根号'],
  },
}

export function gapOf(property: Property, tool: ToolVersion, language: SpokenLanguage): Gap {
  const { schema, name: param } = property
  const type = schema['type']
  const format = schema['format']
  const none: ReadonlyMap<string, unknown> = new Map()
  const gap = (kind: GapKind, source: string | undefined, value: Gap['value']): Gap => ({
    param,
    kind,
    source,
    names: none,
    hints: fillingHints[language][kind] ?? [],
    value,
  })
  if (type === 'integer' || type === 'number') {
    const number = numberParam(property, tool, language)
    const within = (said: string): unknown => numberValue(said, number, language)
    const outside = (said: string): Outside | undefined => outsideOf(said, number, language)
    return { ...gap('number', '-?\\d{1,9}(?:\\.\\d{1,6})?%?', within), outside }
  }
  const names =
    type === 'boolean'
      ? switchNames(property, tool, language)
      : Array.isArray(schema['enum'])
        ? choiceParam(property, tool, language).values
        : none
  if (names.size > 0) return { ...gap('words', phrasesSource(names.keys()), (said) => names.get(said)), names }
  switch (format) {
    case 'duration':
      return gap('duration', durationSource(language), (said) => {
        const seconds = durationSeconds(said, language)
        return seconds === undefined ? undefined : isoDuration(seconds)
      })
    case 'time':
      return gap('time', clockSource(language), (said) => {
        const time = clockTime(said, language)
        return time && `${two(hourOfDay(time))}:${two(time.minute)}`
      })
    case 'date':
      return gap('date', dateSource(language), (said, { now }) => {
        const day = dayOf(said, language, now)
        return day === undefined ? undefined : isoDate(day)
      })
    case 'date-time':
      return gap('date-time', dateTimeSource(language), (said, { now }) => {
        const moment = momentOf(said, language, now)
        return moment === undefined ? undefined : isoDateTime(moment)
      })
    case 'arithmetic':
      return gap('arithmetic', sumSource(language), (said) => sumFormula(said))
    case 'tool-call':
      return gap('command', `.{2,${longestText}}?`, (said, heard) => heard.command(said))
    default: {
      const most = Number(asObject(schema)['maxLength'] ?? longestText)
      const text = gap('text', `.{1,${Math.min(longestText, Math.max(1, most))}}?`, (said, heard) => heard.own(said))
      return type === 'string' ? text : { ...text, source: undefined }
    }
  }
}

const two = (value: number): string => String(value).padStart(2, '0')

function switchNames(property: Property, tool: ToolVersion, language: SpokenLanguage): ReadonlyMap<string, unknown> {
  const { on, off } = switchParam(property, tool, language)
  return new Map([...on.map((word) => [word, true] as const), ...off.map((word) => [word, false] as const)])
}
