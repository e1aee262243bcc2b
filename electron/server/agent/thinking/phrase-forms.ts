import type { ToolVersion } from '../../../contract/tool.ts'
import type { SpokenLanguage } from '../providers.ts'
import { normaliseWords } from './normalise.ts'
import { parsePattern, type Pattern, patternSource, slotsOf } from './pattern.ts'
import { type Gap, gapOf, type Heard } from './phrase-slots.ts'
import type { Outside } from './slots.ts'
import { propertiesOf } from './spoken-tool.ts'

/** Beyond these a sentence could be read in too many ways to be tried quickly. */
const maxGaps = 5
const maxFreeGaps = 2
const maxOptional = 8

/** One sentence of a tool's own, ready to be matched. */
export interface PhraseForm {
  /** As it is written, articles and all: how it sounds. */
  readonly spoken: Pattern
  /** Slot name in the pattern → the parameter that fills it. */
  readonly gaps: ReadonlyMap<string, Gap>
  readonly form: RegExp
  /** At least one of these is in every text that matches. */
  readonly hints: readonly string[]
}

/** The sentences of a tool's descriptor; one that cannot be used is left out, for it comes from outside. */
export function phraseForms(tool: ToolVersion, language: SpokenLanguage): PhraseForm[] {
  const properties = new Map(propertiesOf(tool).map((property) => [property.name, property]))
  return (tool.speech.phrases?.[language] ?? []).flatMap((text) => {
    const gaps = new Map<string, Gap>()
    const plain = text.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
      const property = properties.get(name)
      if (!property) return whole
      const slot = `gap${gaps.size}`
      gaps.set(slot, gapOf(property, tool, language))
      return ` <${slot}> `
    })
    const spoken = patternOf(plain)
    const form = spoken && phraseForm(sayable(spoken, language), gaps, language)
    return form ? { ...form, spoken } : []
  })
}

function patternOf(text: string): Pattern | undefined {
  if (/[{}]/.test(text)) return undefined
  try {
    return parsePattern(text)
  } catch {
    // Brackets that do not fit: the linter of the editor tells it, here the sentence is none.
    return undefined
  }
}

/** Words as they are after normalising: articles fall away, numbers are digits. */
function sayable(pattern: Pattern, language: SpokenLanguage): Pattern {
  switch (pattern.is) {
    case 'word': {
      const words = normaliseWords(pattern.word, language).split(' ')
      return { is: 'list', parts: words.filter((word) => word !== '').map((word) => ({ is: 'word', word })) }
    }
    case 'slot':
      return pattern
    case 'list':
      return { is: 'list', parts: pattern.parts.map((part) => sayable(part, language)) }
    case 'choice':
      return { is: 'choice', options: pattern.options.map((part) => sayable(part, language)) }
    case 'maybe':
      return { is: 'maybe', part: sayable(pattern.part, language) }
  }
}

function phraseForm(
  pattern: Pattern,
  gaps: ReadonlyMap<string, Gap>,
  language: SpokenLanguage,
): Omit<PhraseForm, 'spoken'> | undefined {
  const free = [...gaps.values()].filter(({ kind }) => isFree(kind)).length
  const hints = neededWords(pattern, gaps)
  const isTooOpen = gaps.size > maxGaps || free > maxFreeGaps || optionals(pattern) > maxOptional
  if (isTooOpen || hints.length === 0 || new Set(slotsOf(pattern)).size < slotsOf(pattern).length) return undefined
  const sources = new Map(
    [...gaps].flatMap(([slot, { source }]) => (source === undefined ? [] : [[slot, source] as const])),
  )
  if (sources.size < gaps.size) return undefined
  return {
    gaps,
    hints,
    form: new RegExp(`^${patternSource(pattern, sources, language === 'en' ? ' ' : '')}$`),
  }
}

export const isFree = (kind: Gap['kind']): boolean => kind === 'text' || kind === 'command'

function optionals(pattern: Pattern): number {
  switch (pattern.is) {
    case 'word':
    case 'slot':
      return 0
    case 'maybe':
      return 1 + optionals(pattern.part)
    case 'list':
      return pattern.parts.reduce((sum, part) => sum + optionals(part), 0)
    case 'choice':
      return pattern.options.reduce((sum, part) => sum + optionals(part), 0)
  }
}

/** Words of which each matching text holds one; empty when there is none such: that sentence would match anything. */
function neededWords(pattern: Pattern, gaps: ReadonlyMap<string, Gap>): readonly string[] {
  switch (pattern.is) {
    case 'word':
      return [pattern.word]
    case 'slot': {
      const gap = gaps.get(pattern.name)
      return gap === undefined ? [] : gap.names.size > 0 ? [...gap.names.keys()] : gap.hints
    }
    case 'maybe':
      return []
    case 'list': {
      const found = pattern.parts.map((part) => neededWords(part, gaps)).filter((words) => words.length > 0)
      return found.sort((a, b) => worth(b) - worth(a))[0] ?? []
    }
    case 'choice': {
      const found = pattern.options.map((option) => neededWords(option, gaps))
      return found.some((words) => words.length === 0) ? [] : found.flat()
    }
  }
}

/** Long words among few are the rarest in other people's sentences. */
const worth = (words: readonly string[]): number => Math.min(...words.map((word) => word.length)) - words.length / 8

export interface PhraseMatch {
  readonly arguments: Readonly<Record<string, unknown>>
  readonly confidence: number
  readonly outside: Outside | undefined
}

/** What the sentence gives the tool, when it is that sentence. Any words that a free gap took make it less sure. */
export function matchPhrase(phrase: PhraseForm, text: string, heard: Heard): PhraseMatch | undefined {
  const groups = phrase.form.exec(text)?.groups
  if (!groups && !phrase.form.test(text)) return undefined
  const args: Record<string, unknown> = {}
  let free = 0
  let outside: Outside | undefined
  for (const [slot, gap] of phrase.gaps) {
    const said = groups?.[slot]
    if (said === undefined) continue
    const value = gap.value(said, heard)
    if (value === undefined) return undefined
    args[gap.param] = value
    outside ??= gap.outside?.(said)
    if (isFree(gap.kind)) free += said.length
  }
  return { arguments: args, confidence: 1 - (0.5 * free) / Math.max(1, text.length), outside }
}
