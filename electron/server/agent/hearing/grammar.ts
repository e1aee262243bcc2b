import { createHash } from 'node:crypto'
import type { ToolVersion } from '../../../contract/tool.ts'
import { colorNames } from '../thinking/colors.ts'
import { englishNumber } from '../thinking/numbers.ts'
import { parsePattern, type Pattern, patternJsgf, slotsOf } from '../thinking/pattern.ts'
import { builtinSentences, type Intent, sentences } from '../thinking/sentence-table.ts'
import { spokenTool, type SpokenTool } from '../thinking/spoken-tool.ts'
import { checkGrammar, grammarRules } from './grammar-check.ts'
import { spelledPhones } from './letters.ts'
import { numberRules } from './number-grammar.ts'
import { heardPhrases } from './phrase-grammar.ts'

export interface Grammar {
  /** JSGF 1.0, one public rule, every rule defined and none recursive. */
  readonly text: string
  /** Same hash = same grammar: no swap is needed. */
  readonly hash: string
  /** Words that the dictionary lacks; the names that hold one are not in the grammar. */
  readonly dropped: readonly string[]
}

/** Letters that the model cannot spell are no part of a word here. */
const wordForm = /^[a-z][a-z']*$/
const heard = sentences.filter((sentence) => sentence.heard).map((row) => ({ ...row, pattern: parsePattern(row.text) }))
const maxNames = 60
const maxTools = 64

/** A phrase as the recogniser hears it: digits become words; undefined when it has a sign that is no word. */
function speakable(phrase: string): string | undefined {
  const words = phrase
    .split(' ')
    .flatMap((word) => (/^\d{1,6}$/.test(word) ? englishNumber(Number(word)).split(' ') : [word]))
  return words.every((word) => wordForm.test(word)) ? words.join(' ') : undefined
}

/** Acronyms among the names ("LED") and how they are spelled out loud. */
export function spelledWords(vocabulary: readonly ToolVersion[]): ReadonlyMap<string, string> {
  const names = vocabulary
    .slice(0, maxTools)
    .flatMap(({ speech }) => [
      ...speech.target.en,
      ...Object.values(speech.parameters).flatMap(({ en }) => en),
      ...Object.values(speech.values).flatMap((values) => Object.values(values).flatMap(({ en }) => en)),
    ])
  const found = names
    .flatMap((name) => name.split(' '))
    .map((word) => [word.toLowerCase(), spelledPhones(word)] as const)
  return new Map(found.flatMap(([word, phones]) => (phones === undefined ? [] : [[word, phones] as const])))
}

/** Every word that a grammar of these tools could need: ask the dictionary about them, then build. */
export function grammarWords(vocabulary: readonly ToolVersion[], phrases: readonly string[] = []): string[] {
  const bodies = [...grammarRules(buildGrammar(vocabulary, () => true, phrases).text).values()]
  return [
    ...new Set(
      bodies
        .join(' ')
        .replace(/<\w+>/g, ' ')
        .match(/[a-z][a-z']*/g) ?? [],
    ),
  ]
}

/**
 * The English grammar of everything that these tools understand, plus the built-ins. Made from the same table as the
 * matcher reads, so what it hears the matcher knows. `isKnown` says whether the dictionary has a word; `phrases` are
 * whole sentences (lower case, words only) that may be said besides.
 */
export function buildGrammar(
  vocabulary: readonly ToolVersion[],
  isKnown: (word: string) => boolean,
  phrases: readonly string[] = [],
): Grammar {
  const rules = new Map<string, string>()
  const dropped = new Set<string>()
  const spelled = spelledWords(vocabulary)
  const isUsable = (phrase: string): boolean => {
    const unknown = phrase.split(' ').filter((word) => !isKnown(word) && !spelled.has(word))
    for (const word of unknown) dropped.add(word)
    return unknown.length === 0
  }
  const commands: string[] = []
  for (const [at, tool] of vocabulary.slice(0, maxTools).entries()) {
    const spoken = spokenTool(tool, 'en')
    for (const intent of spoken.intents)
      commands.push(...commandsOf({ spoken, intent, prefix: `t${at}`, rules, isUsable }))
    commands.push(...heardPhrases(tool, { prefix: `t${at}`, rules, isUsable }))
  }
  for (const row of builtinSentences)
    if (row.heard && row.text.split(/[\s|]+/).every((word) => isUsable(word)))
      commands.push(patternJsgf(parsePattern(row.text), new Map()) ?? '')
  commands.push(...phrases.filter(isUsable))
  const lines = [...rules].map(([name, body]) => `<${name}> = ${body};`)
  const text = [
    '#JSGF V1.0;',
    'grammar roost;',
    `public <command> = ${[...new Set(commands)].join('\n  | ')};`,
    ...lines,
    '',
  ].join('\n')
  checkGrammar(text)
  return { text, hash: createHash('sha256').update(text).digest('hex').slice(0, 16), dropped: [...dropped].sort() }
}

function commandsOf(input: SlotInput): string[] {
  const slots = slotRules(input)
  const needsParam = input.intent === 'level' && input.spoken.numbers.length > 1
  const patterns = heard.filter(({ intent }) => intent === input.intent).map(({ pattern }) => pattern)
  return patterns.flatMap((pattern) => patternJsgf(needsParam ? withParam(pattern) : pattern, slots) ?? [])
}

/** Where a tool has two numbers, the sentence must say which: the optional parameter becomes a must. */
function withParam(pattern: Pattern): Pattern {
  switch (pattern.is) {
    case 'maybe':
      return slotsOf(pattern.part).includes('param') ? pattern.part : pattern
    case 'list':
      return { is: 'list', parts: pattern.parts.map(withParam) }
    case 'word':
    case 'slot':
    case 'choice':
      return pattern
  }
}

interface SlotInput {
  readonly spoken: SpokenTool
  readonly intent: Intent
  readonly prefix: string
  readonly rules: Map<string, string>
  readonly isUsable: (phrase: string) => boolean
}

/** "how loud is [the] speaker": names come without articles. */
function withArticle(phrase: string): string {
  return phrase.replace(/ (?!it$|you$|is$|are$)(\S+)$/, ' [ the ] $1')
}

/** Adds the rules that this tool needs for this intent and returns what stands for each slot in a sentence. */
function slotRules(input: SlotInput): ReadonlyMap<string, string> {
  const { spoken, intent, prefix, rules } = input
  const slots = new Map<string, string>()
  const add = (slot: string, phrases: Iterable<string>, article = ''): void => {
    const said = [...phrases].slice(0, maxNames).map(speakable)
    const usable = [...new Set(said.filter((phrase) => phrase !== undefined && input.isUsable(phrase)))]
    if (usable.length === 0) return
    const isSentence = slot === 'phrase' || slot === 'question'
    const name = slot === 'target' ? `${prefix}_target` : `${prefix}_${intent}_${slot}`
    rules.set(name, (isSentence ? usable.map((phrase) => withArticle(phrase ?? '')) : usable).join(' | '))
    slots.set(slot, `${article}<${name}>`)
  }
  add('target', spoken.targets.keys(), '[ the ] ')
  switch (intent) {
    case 'switch':
      add('state', stateWords(spoken))
      break
    case 'level':
      add(
        'param',
        spoken.numbers.flatMap(({ names }) => names),
        '[ the ] ',
      )
      add(
        'value',
        spoken.named.flatMap(({ values }) => [...values.keys()]),
      )
      addNumber(input, slots)
      break
    case 'color':
      add('color', colorNames('en'))
      break
    case 'choice':
      add(
        'param',
        spoken.choices.flatMap(({ names }) => names),
        '[ the ] ',
      )
      add(
        'value',
        spoken.choices.flatMap(({ values }) => [...values.keys()]),
      )
      break
    case 'read':
      add('question', spoken.questions)
      break
    case 'run':
      add('phrase', spoken.targets.keys())
  }
  return slots
}

function stateWords(spoken: SpokenTool): string[] {
  const own = spoken.switches[0]
  return own ? [...own.on, ...own.off].filter((word) => word !== 'out') : ['on', 'off']
}

function addNumber({ spoken, prefix, rules, isUsable }: SlotInput, slots: Map<string, string>): void {
  const min = Math.min(0, ...spoken.numbers.map((param) => param.min ?? 0))
  const max = Math.max(...spoken.numbers.map((param) => param.max ?? 100))
  const number = numberRules(min, max)
  for (const [name, body] of number.rules) rules.set(name, body)
  const units = new Set(spoken.numbers.map(({ unit }) => unit).filter((unit) => unit !== undefined && isUsable(unit)))
  const unit = units.size === 0 ? '' : ` [ ${[...units].join(' | ')} ]`
  const hasRange = spoken.numbers.every((param) => param.min !== undefined && param.max !== undefined)
  rules.set(`${prefix}_number`, `<${number.name}>${unit}${hasRange ? ' | half | maximum | minimum' : ''}`)
  slots.set('number', `<${prefix}_number>`)
}
