import type { ToolVersion } from '../../../contract/tool.ts'
import type { SpokenLanguage } from '../providers.ts'
import { colorNamed, colorNames } from './colors.ts'
import { ownWords } from './free-text.ts'
import { hintSearch } from './hint-search.ts'
import { longestCommand, normaliseWords, stripPoliteness } from './normalise.ts'
import { matchPhrase, type PhraseForm, phraseForms } from './phrase-forms.ts'
import type { Heard } from './phrase-slots.ts'
import { parsePattern, patternSource, type Pattern, slotsOf } from './pattern.ts'
import { type Builtin, builtinSentences, type Intent, sentences } from './sentence-table.ts'
import { choiceOf, numberValue, type Outside, outsideOf, slotSources } from './slots.ts'
import { wallOf } from './spoken-date.ts'
import { colorParams, presetOf, requiredOf, spokenTool, type SpokenTool } from './spoken-tool.ts'

export interface IntentCall {
  readonly tool: ToolVersion
  /** Fits the tool's schema: every required parameter present, a number beyond its range at the end of it. */
  readonly arguments: Readonly<Record<string, unknown>>
  /** 0 … 1: how surely this tool was meant. */
  readonly confidence: number
  /** Words for the reply that the arguments do not hold: the colour's name. */
  readonly words: Readonly<Record<string, string>>
  /** What the sentence called it; absent where a sentence of the tool's own was said. */
  readonly named?: string | undefined
  /** Set: a number was said that lies beyond this range, so the call must not be made. */
  readonly outside?: Outside | undefined
}
export type IntentMatch = IntentCall | { readonly builtin: Builtin } | null

const parsed = sentences.map((sentence) => ({ ...sentence, pattern: parsePattern(sentence.text) }))
const builtins = builtinSentences.map(({ builtin, language, text }) => ({
  builtin,
  language,
  form: whole(parsePattern(text), new Map(), language),
}))

function whole(pattern: Pattern, slots: ReadonlyMap<string, string>, language: SpokenLanguage): RegExp {
  return new RegExp(`^${patternSource(pattern, slots, language === 'en' ? ' ' : '')}$`)
}

interface CompiledTool {
  readonly spoken: SpokenTool
  /** At least one of these must be in the text: keeps a match at a few microseconds with many tools. */
  readonly hints: readonly string[]
  readonly forms: readonly { readonly intent: Intent; readonly form: RegExp }[]
  readonly phrases: readonly PhraseForm[]
}
const compiled = { en: new WeakMap<ToolVersion, CompiledTool>(), zh: new WeakMap<ToolVersion, CompiledTool>() }

function compile(tool: ToolVersion, language: SpokenLanguage): CompiledTool {
  const kept = compiled[language].get(tool)
  if (kept) return kept
  const spoken = spokenTool(tool, language)
  const slots = slotSources(spoken, language)
  const needed = (pattern: Pattern): boolean => slotsOf(pattern).some((slot) => slots.has(slot)) || language === 'zh'
  const forms = parsed
    .filter((sentence) => sentence.language === language && spoken.intents.includes(sentence.intent))
    .filter(({ pattern }) => needed(pattern))
    .map(({ intent, pattern }) => ({ intent, form: whole(pattern, slots, language) }))
  const phrases = phraseForms(tool, language)
  const hints = [...hintsOf(spoken), ...phrases.flatMap((phrase) => phrase.hints)]
  const made = { spoken, forms, phrases, hints: [...new Set(hints)] }
  compiled[language].set(tool, made)
  return made
}

function hintsOf(spoken: SpokenTool): string[] {
  const params = [...spoken.numbers, ...spoken.choices].flatMap(({ names }) => names)
  const values = [...spoken.choices, ...spoken.named].flatMap((param) => [...param.values.keys()])
  const color = spoken.hasColor ? ['color', 'colour', '颜色', ...colorNames('zh')] : []
  return [...spoken.targets.keys(), ...spoken.questions, ...params, ...values, ...color]
}

export interface MatchOptions {
  /** For "tomorrow" and "at seven"; in the time zone of this process. Default: this moment. */
  readonly now?: Date
  /** Counts the regular expressions that were tried. */
  readonly onTry?: () => void
}

/**
 * The one call that a text asks for, a builtin, or null for chat and for whatever could mean two tools. Only the tools'
 * descriptors decide (voice.md §6): names, synonyms, enums, ranges, own sentences. The whole text must be understood, so
 * a condition, a negation or a story about the lamp is no command. A text beyond 200 characters is none either.
 */
export function matchIntent(text: string, language: SpokenLanguage, tools: readonly ToolVersion[]): IntentMatch {
  return matchSaid({ text, language }, tools)
}

export interface Saying extends MatchOptions {
  readonly text: string
  readonly language: SpokenLanguage
}

/** As matchIntent, at a given moment. */
export function matchSaid({ text, language, ...options }: Saying, tools: readonly ToolVersion[]): IntentMatch {
  if (text.length > longestCommand) return null
  const plain = normaliseWords(text, language)
  if (plain === '') return null
  const command = stripPoliteness(plain, language)
  let beyond: IntentCall | undefined
  const inner = (winners: readonly IntentCall[]) => {
    const [call] = winners
    if (call?.outside) beyond = call
    return call && winners.length === 1 && !call.outside
      ? { tool: call.tool.name, arguments: call.arguments }
      : undefined
  }
  const search = (said: string, nested: boolean): readonly IntentCall[] => {
    const heard: Heard = {
      language,
      now: wallOf(options.now ?? new Date()),
      own: (captured) => ownWords(captured, text, language),
      // A command in a command is one step deep: "in ten minutes turn off the lamp" and no more.
      command: (captured) =>
        nested ? undefined : inner(madeForThis(search(stripPoliteness(captured, language), true))),
    }
    const found = hintSearch(tools, language, (tool) => compile(tool, language).hints).candidates(said)
    return best(found.flatMap((tool) => matchTool(compile(tool, language), said, { heard, nested, ...options }) ?? []))
  }
  // "Now", "computer" and "I want" may be politeness or a part of a tool's own sentence: the surer reading counts.
  const whole = plain === command ? [] : search(plain, false)
  const stripped = search(command, false)
  const surest = best([...whole, ...stripped])
  // The one that left nothing out, if it is equally sure or means the same tool: "announce that the bus is here". Not
  // where the other one is wholly sure: "could you start a timer …" is no timer called "could you start".
  const sameTool = whole.filter(({ tool, confidence }) =>
    surest.some((call) => call.tool === tool && (call.confidence < 1 || confidence === 1)),
  )
  const winners = sameTool.length > 0 ? sameTool : surest
  const chosen = madeForThis(winners)
  if (chosen.length > 1) return null
  return chosen[0] ?? builtinOf([plain, command], language) ?? beyond ?? null
}

/** Equally sure: what a person drew or wired for this device means more than what every board is born with. */
function madeForThis(winners: readonly IntentCall[]): readonly IntentCall[] {
  const own = winners.filter(({ tool }) => tool.origin !== 'born')
  const isMade = own.length > 0 && own.every(({ tool }) => tool.origin === 'thing' || tool.origin === 'uart')
  return isMade ? own : winners
}

function best(found: readonly IntentCall[]): readonly IntentCall[] {
  const most = Math.max(0, ...found.map(({ confidence }) => confidence))
  const surest = found.filter(({ confidence }) => confidence === most)
  if (surest.some(({ named }) => named === undefined)) return surest
  // "Air conditioner 2" is the second one, and not the first at two degrees.
  const longest = Math.max(0, ...surest.map(({ named = '' }) => named.length))
  return surest.filter(({ named = '' }) => named.length === longest)
}

function builtinOf(texts: readonly string[], language: SpokenLanguage): IntentMatch {
  const spaced = texts.map((text) => (language === 'en' ? ` ${text}` : text))
  const row = builtins.find((entry) => entry.language === language && spaced.some((text) => entry.form.test(text)))
  return row ? { builtin: row.builtin } : null
}

interface Search extends MatchOptions {
  readonly heard: Heard
  /** Inside another command: sentences that hold a command themselves are left out. */
  readonly nested: boolean
}

function matchTool(compiledTool: CompiledTool, command: string, search: Search): IntentCall | undefined {
  const { language } = search.heard
  if (!compiledTool.hints.some((hint) => command.includes(hint))) return undefined
  const text = language === 'en' ? ` ${command}` : command
  let best: IntentCall | undefined
  for (const { intent, form } of compiledTool.forms) {
    search.onTry?.()
    const groups = form.exec(text)?.groups
    const call = groups && callOf(compiledTool.spoken, { intent, groups, language })
    if (call && call.confidence > (best?.confidence ?? 0)) best = call
    if (best?.confidence === 1) return best
  }
  return ownSentence(compiledTool, text, { ...search, best })
}

function ownSentence(
  { phrases, spoken }: CompiledTool,
  text: string,
  { heard, nested, onTry, best }: Search & { best: IntentCall | undefined },
): IntentCall | undefined {
  let found = best
  for (const phrase of phrases) {
    if (nested && [...phrase.gaps.values()].some(({ kind }) => kind === 'command')) continue
    if (!phrase.hints.some((hint) => text.includes(hint))) continue
    onTry?.()
    const match = matchPhrase(phrase, text, heard)
    if (!match || match.confidence <= (found?.confidence ?? 0)) continue
    const args = withDefaults(spoken.tool, match.arguments)
    if (requiredOf(spoken.tool).some((name) => !(name in args))) continue
    const { confidence, outside } = match
    found = { tool: spoken.tool, arguments: args, confidence, words: {}, ...(outside && { outside }) }
  }
  return found
}

interface Said {
  readonly intent: Intent
  readonly groups: Readonly<Record<string, string | undefined>>
  readonly language: SpokenLanguage
}
interface Filled {
  readonly args: Readonly<Record<string, unknown>>
  readonly weight: number
  readonly words?: Readonly<Record<string, string>>
  readonly outside?: Outside | undefined
}

function callOf(spoken: SpokenTool, said: Said): IntentCall | undefined {
  const filled = fill(spoken, said)
  if (!filled) return undefined
  const args = withDefaults(spoken.tool, filled.args)
  if (requiredOf(spoken.tool).some((name) => !(name in args))) return undefined
  const target = said.groups['target']
  // A sentence that names only the parameter ("set the brightness to 40 percent") is a little less sure.
  const named = target === undefined ? 0.85 : (spoken.targets.get(target) ?? 0.5)
  const sure = said.groups['question'] === undefined ? named : 1
  const { words = {}, outside } = filled
  const call = {
    tool: spoken.tool,
    arguments: args,
    confidence: sure * filled.weight,
    words,
    ...(outside && { outside }),
  }
  return target === undefined ? call : { ...call, named: target }
}

function fill(spoken: SpokenTool, said: Said): Filled | undefined {
  switch (said.intent) {
    case 'switch':
      return fillSwitch(spoken, said)
    case 'level':
      return fillLevel(spoken, said)
    case 'color':
      return fillColor(spoken, said)
    case 'choice': {
      const choice = choiceOf(said.groups['value'] ?? '', spoken.choices)
      return choice && { args: { ...switchedOn(spoken), [choice.name]: choice.value }, weight: 1 }
    }
    case 'read':
    case 'run':
      return { args: {}, weight: 1 }
  }
}

function stateOf(spoken: SpokenTool, { groups }: Said): boolean | undefined {
  if (groups['open'] !== undefined) return true
  if (groups['shut'] !== undefined) return false
  const state = groups['state'] ?? ''
  const words = spoken.switches[0]
  if (words?.on.includes(state) ?? state === 'on') return true
  return (words?.off.includes(state) ?? (state === 'off' || state === 'out')) ? false : undefined
}

function fillSwitch(spoken: SpokenTool, said: Said): Filled | undefined {
  const state = stateOf(spoken, said)
  if (state === undefined) return undefined
  const own = spoken.switches[0]
  if (own) return { args: { [own.name]: state }, weight: 1 }
  if (spoken.fixedState !== undefined) return spoken.fixedState === state ? { args: {}, weight: 1 } : undefined
  // A colour that is on or off is white or black, unless another tool has a real switch.
  const rgb = state ? 255 : 0
  const args = Object.fromEntries(colorParams(spoken.tool).map((name) => [name, rgb]))
  return { args, weight: 0.8, words: { color: state ? (said.language === 'en' ? 'white' : '白色') : 'off' } }
}

function fillLevel(spoken: SpokenTool, { groups, language }: Said): Filled | undefined {
  const choice = groups['value'] === undefined ? undefined : choiceOf(groups['value'], spoken.named)
  if (choice)
    return { args: { ...switchedOn(spoken, Number(choice.value) > 0), [choice.name]: choice.value }, weight: 1 }
  if (groups['value'] !== undefined) return undefined
  const name = groups['param'] ?? groups['param2']
  const candidates = name === undefined ? spoken.numbers : spoken.numbers.filter(({ names }) => names.includes(name))
  const [param] = candidates
  // Two numbers and none named: which one is meant cannot be known.
  if (!param || candidates.length > 1) return undefined
  const value = numberValue(groups['number'] ?? '', param, language)
  if (value === undefined) return undefined
  const outside = outsideOf(groups['number'] ?? '', param, language)
  return { args: { ...switchedOn(spoken, value > 0), [param.name]: value }, weight: 1, outside }
}

/** A level of more than nothing also switches on: set_lamp {on, brightness}. */
function switchedOn(spoken: SpokenTool, state = true): Record<string, unknown> {
  const own = spoken.switches.find(({ on }) => on.length > 0)
  return own ? { [own.name]: state } : {}
}

function fillColor(spoken: SpokenTool, { groups, language }: Said): Filled | undefined {
  const color = colorNamed(groups['color'] ?? '', language)
  if (!color) return undefined
  const args = Object.fromEntries(colorParams(spoken.tool).map((name, part) => [name, color.rgb[part] ?? 0]))
  return { args: { ...switchedOn(spoken), ...args }, weight: 1, words: { color: color.name } }
}

function withDefaults(tool: ToolVersion, args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const missing = requiredOf(tool).filter((name) => !(name in args) && presetOf(tool, name) !== undefined)
  return { ...Object.fromEntries(missing.map((name) => [name, presetOf(tool, name)])), ...args }
}
