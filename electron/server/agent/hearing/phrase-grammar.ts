import type { ToolVersion } from '../../../contract/tool.ts'
import { englishNumber } from '../thinking/numbers.ts'
import { type Pattern, patternJsgf } from '../thinking/pattern.ts'
import { phraseForms } from '../thinking/phrase-forms.ts'
import type { Gap } from '../thinking/phrase-slots.ts'

interface RuleBook {
  /** Of this tool's own rules. */
  readonly prefix: string
  readonly rules: Map<string, string>
  readonly isUsable: (phrase: string) => boolean
}

/** Every sentence more is one more to be misheard: of each tool the first two that can be heard. */
const heardOfTool = 2
/** A gap with more names (all units, say) would let short words in that sound like anything. */
const maxNames = 30

/** JSGF of a tool's own English sentences. Free text cannot be in a grammar: such a sentence can only be typed. */
export function heardPhrases(tool: ToolVersion, book: RuleBook): string[] {
  const heard: string[] = []
  for (const { spoken, gaps } of phraseForms(tool, 'en')) {
    if (heard.length >= heardOfTool) break
    if (!wordsOf(spoken).every((word) => /^[a-z][a-z']*$/.test(word) && book.isUsable(word))) continue
    const slots = new Map<string, string>()
    for (const [slot, gap] of gaps) {
      const rule = gapRule(gap, book)
      if (rule !== undefined) slots.set(slot, rule)
    }
    const sentence = slots.size === gaps.size ? patternJsgf(spoken, slots) : undefined
    if (sentence !== undefined && sentence !== '') heard.push(sentence)
  }
  return heard
}

function wordsOf(pattern: Pattern): string[] {
  switch (pattern.is) {
    case 'word':
      return [pattern.word]
    case 'slot':
      return []
    case 'list':
      return pattern.parts.flatMap(wordsOf)
    case 'choice':
      return pattern.options.flatMap(wordsOf)
    case 'maybe':
      return wordsOf(pattern.part)
  }
}

/** The rule that stands for a gap; undefined when it cannot be heard. */
function gapRule(gap: Gap, { prefix, rules, isUsable }: RuleBook): string | undefined {
  const own = (name: string, bodies: Readonly<Record<string, string>>): string | undefined => {
    const words =
      Object.values(bodies)
        .join(' ')
        .replace(/<\w+>|\/[\d.]+\//g, ' ')
        .match(/[a-z][a-z']*/g) ?? []
    if (!words.every((word) => isUsable(word))) return undefined
    for (const [rule, body] of Object.entries(bodies)) rules.set(rule, body)
    return `<${name}>`
  }
  switch (gap.kind) {
    case 'duration':
      return own('length', { ...countRules, ...lengthRules })
    case 'time':
      return own('clock', clockRules)
    case 'date':
      return own('day', dayRules)
    case 'date-time':
      return own('moment', { ...clockRules, ...dayRules, ...momentRules })
    case 'number':
      return own('count', countRules)
    case 'words': {
      const names = [...gap.names.keys()].filter((name) => /^[a-z' ]+$/.test(name) && isUsable(name))
      if (names.length === 0 || gap.names.size > maxNames) return undefined
      rules.set(`${prefix}_${gap.param.replace(/\W/g, '_')}`, names.join(' | '))
      return `<${prefix}_${gap.param.replace(/\W/g, '_')}>`
    }
    case 'arithmetic':
    case 'text':
    case 'command':
      return undefined
  }
}

/** Small numbers are what people say here: not weighed down as those of a percentage are (number-grammar.ts). */
const countRules = {
  count: `${Array.from({ length: 20 }, (_, at) => englishNumber(at + 1)).join(' | ')} | ( twenty | thirty | forty | fifty | sixty | ninety ) [ five ]`,
}
const hours = Array.from({ length: 12 }, (_, at) => englishNumber(at + 1)).join(' | ')
const minutes = Array.from({ length: 10 }, (_, at) => englishNumber(10 + at * 5)).join(' | ')
const weekdays = 'monday | tuesday | wednesday | thursday | friday | saturday | sunday'
const lengthRules = {
  length:
    '<count> ( second | seconds | minute | minutes | hour | hours ) | [ a ] minute | [ an ] hour [ and [ a ] half ] | half [ an ] hour',
}
const clockRules = {
  clock_minutes: `${minutes} | oh five`,
  clock: `( ${hours} ) [ <clock_minutes> ] [ a m | p m ] | noon | midnight | half past ( ${hours} ) | quarter ( past | to ) ( ${hours} )`,
}
const dayRules = { day: `today | tonight | tomorrow | [ on ] ( ${weekdays} )` }
const momentRules = { moment: '[ <day> at ] <clock> | <clock> <day>' }
