import type { SpokenLanguage } from '../providers.ts'
import { colorNames } from './colors.ts'
import { escapeRegExp } from './pattern.ts'
import type { ChoiceParam, NumberParam, SpokenTool } from './spoken-tool.ts'

/** Words for the ends of a range, and how far along the range they lie. */
const rangeWords = {
  en: {
    max: ['max', 'maximum', 'full', 'highest', 'full power', 'full speed', 'full brightness'],
    min: ['min', 'minimum', 'lowest'],
  },
  zh: { max: ['最大', '最高', '最亮', '最快', '最强', '最响'], min: ['最小', '最低', '最暗', '最慢', '最弱'] },
} as const

const unitSource = {
  en: '(?: (?:percent|degrees?(?: celsius)?|celsius))?',
  zh: '(?:%|摄氏度|度|分|格|档|级)?',
} as const

/** One phrase set as a regular expression source, longest first, so that "led light" is never cut to "led". */
export function phrasesSource(phrases: Iterable<string>): string | undefined {
  const sorted = [...new Set(phrases)].filter((phrase) => phrase !== '').sort((a, b) => b.length - a.length)
  return sorted.length === 0 ? undefined : sorted.map(escapeRegExp).join('|')
}

/** The regular expression sources of every slot that this tool can fill; a slot without phrases is absent. */
export function slotSources(spoken: SpokenTool, language: SpokenLanguage): Map<string, string> {
  const switches = spoken.switches.slice(0, 1)
  const isSwitched = switches.length > 0 || spoken.hasColor || spoken.fixedState !== undefined
  const plain = language === 'en' ? ['on', 'off', 'out'] : []
  const derived = {
    open: language === 'en' ? [] : ['打开', '开启', '开', '点亮'],
    shut: language === 'en' ? [] : ['关闭', '关掉', '关上', '关', '熄灭'],
  }
  const params = [...spoken.numbers, ...spoken.choices].flatMap(({ names }) => names)
  const found: readonly (readonly [string, string | undefined])[] = [
    ['target', phrasesSource(spoken.targets.keys())],
    ['question', phrasesSource(spoken.questions)],
    ['param', phrasesSource(params)],
    ['param2', phrasesSource(params)],
    [
      'state',
      isSwitched
        ? phrasesSource(switches.length > 0 ? switches.flatMap(({ on, off }) => [...on, ...off]) : plain)
        : undefined,
    ],
    [
      'open',
      isSwitched ? phrasesSource(switches.length > 0 ? switches.flatMap(({ open }) => open) : derived.open) : undefined,
    ],
    [
      'shut',
      isSwitched ? phrasesSource(switches.length > 0 ? switches.flatMap(({ shut }) => shut) : derived.shut) : undefined,
    ],
    ['number', spoken.numbers.length > 0 ? numberSource(language) : undefined],
    ['color', spoken.hasColor ? colorSource(language) : undefined],
    ['value', phrasesSource([...spoken.choices, ...spoken.named].flatMap(({ values }) => [...values.keys()]))],
  ]
  return new Map(found.flatMap(([name, source]) => (source === undefined ? [] : [[name, source] as const])))
}

function numberSource(language: SpokenLanguage): string {
  const words = phrasesSource([...rangeWords[language].max, ...rangeWords[language].min]) ?? ''
  return `${words}|-?\\d+(?:\\.\\d+)?%?${unitSource[language]}`
}

function colorSource(language: SpokenLanguage): string {
  return `${phrasesSource(colorNames(language)) ?? ''}|#[0-9a-f]{6}|\\d{1,3} \\d{1,3} \\d{1,3}`
}

/** What may be set, where a person named a number beyond it. */
export type Outside = Pick<NumberParam, 'min' | 'max' | 'unit'>

/**
 * The range of the parameter when the number that was said lies beyond it: another one than the person wants must not
 * be set in silence. Undefined for what fits; "maximum" and "half" always do.
 */
export function outsideOf(said: string, param: NumberParam, language: SpokenLanguage): Outside | undefined {
  const { min, max, unit } = param
  const percent = percentOf(said)
  const isShare = shareOf(said, language) !== undefined && min !== undefined && max !== undefined
  if (isShare) {
    const isBeyond = percent !== undefined && (percent < 0 || percent > 100)
    return isBeyond ? { min: 0, max: 100, unit: 'percent' } : undefined
  }
  const value = Number(/-?\d+(?:\.\d+)?/.exec(said)?.[0] ?? Number.NaN)
  return value < (min ?? -Infinity) || value > (max ?? Infinity) ? { min, max, unit } : undefined
}

/**
 * A spoken number as the schema wants it: a share ("80%", "half", "maximum") lies along the range, all else is taken as
 * said; then stepped and rounded. What outsideOf() tells of is clamped, so that it can still be shown. Undefined when a
 * share or a range word meets a parameter without a range.
 */
export function numberValue(said: string, param: NumberParam, language: SpokenLanguage): number | undefined {
  const { min, max } = param
  const share = shareOf(said, language)
  const digits = /-?\d+(?:\.\d+)?/.exec(said)?.[0]
  let value: number
  if (share !== undefined && min !== undefined && max !== undefined) value = min + (max - min) * share
  else if (digits !== undefined) value = Number(digits)
  else return undefined
  return fit(value, param)
}

function shareOf(said: string, language: SpokenLanguage): number | undefined {
  const words = rangeWords[language]
  if (words.max.some((word) => word === said)) return 1
  if (words.min.some((word) => word === said)) return 0
  const percent = percentOf(said)
  return percent === undefined ? undefined : Math.min(1, Math.max(0, percent / 100))
}

function percentOf(said: string): number | undefined {
  const percent = /^(-?\d+(?:\.\d+)?)(?:%| percent)/.exec(said)?.[1]
  return percent === undefined ? undefined : Number(percent)
}

function fit(value: number, { min, max, step, whole }: NumberParam): number | undefined {
  const low = min ?? -Number.MAX_SAFE_INTEGER
  const high = max ?? Number.MAX_SAFE_INTEGER
  const clamped = Math.min(high, Math.max(low, value))
  const grid = step !== undefined && step > 0 ? step : whole ? 1 : undefined
  if (grid === undefined) return Math.round(clamped * 1000) / 1000
  // Inside the range first: the nearest step may lie outside of it.
  const nearest = Math.min(Math.floor(high / grid), Math.max(Math.ceil(low / grid), Math.round(clamped / grid)))
  const fitted = Number((nearest * grid).toPrecision(12))
  return fitted < low || fitted > high || (whole && !Number.isInteger(fitted)) ? undefined : fitted
}

export function choiceOf(said: string, params: readonly ChoiceParam[]): { name: string; value: unknown } | undefined {
  const param = params.find(({ values }) => values.has(said))
  return param && { name: param.name, value: param.values.get(said) }
}
