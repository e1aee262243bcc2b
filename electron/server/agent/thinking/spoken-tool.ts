import type { SpokenNames, ToolVersion } from '../../../contract/tool.ts'
import type { SpokenLanguage } from '../providers.ts'
import { chineseNoun } from '../../tools/chinese-noun.ts'
import { nameWords } from '../../tools/name-words.ts'
import { normaliseWords } from './normalise.ts'
import type { Intent } from './sentence-table.ts'

export interface NumberParam {
  readonly name: string
  readonly names: readonly string[]
  readonly min: number | undefined
  readonly max: number | undefined
  readonly whole: boolean
  readonly step: number | undefined
  readonly unit: 'percent' | 'degrees' | undefined
}
export interface ChoiceParam {
  readonly name: string
  readonly names: readonly string[]
  /** Spoken name → the value that the schema knows. */
  readonly values: ReadonlyMap<string, unknown>
}
export interface SwitchParam {
  readonly name: string
  readonly on: readonly string[]
  readonly off: readonly string[]
  /** Verbs that mean true and false ("open the door"). */
  readonly open: readonly string[]
  readonly shut: readonly string[]
}

/** One tool as one language speaks of it, made from its descriptor only. */
export interface SpokenTool {
  readonly tool: ToolVersion
  readonly intents: readonly Intent[]
  /** Name → how sure it is that this tool is meant (1: a full name, less: a part of it). */
  readonly targets: ReadonlyMap<string, number>
  readonly questions: readonly string[]
  readonly switches: readonly SwitchParam[]
  readonly numbers: readonly NumberParam[]
  readonly choices: readonly ChoiceParam[]
  /** Values of number parameters that have a name of their own ("mute"). */
  readonly named: readonly ChoiceParam[]
  readonly hasColor: boolean
  /** Set by a name such as `lamp.turn_on`: the sentence must say this state. */
  readonly fixedState: boolean | undefined
}

const nameVerbs =
  /^(?:self|set|get|read|turn|switch|control|toggle|change|adjust|measure|query|check|fetch|show|update)$/
const readVerbs = /^(?:get|read|measure|query|check|fetch|status)$/
const nameTails = /^(?:on|off|value|state|status|level|control|switch)$/
const emptyNames: SpokenNames = { en: [], zh: [] }

export interface Property {
  readonly name: string
  readonly schema: Readonly<Record<string, unknown>>
}

export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}
}

export function propertiesOf(tool: ToolVersion): Property[] {
  return Object.entries(asObject(tool.arguments['properties']))
    .slice(0, 32)
    .map(([name, schema]) => ({ name, schema: asObject(schema) }))
}

export function requiredOf(tool: ToolVersion): string[] {
  const required = tool.arguments['required']
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

interface Name {
  readonly text: string
  readonly weight: number
}

function targetNames(tool: ToolVersion, language: SpokenLanguage): Name[] {
  const hints = tool.speech.target
  if (hints[language].length > 0) return hints[language].map((text) => ({ text, weight: 1 }))
  // A tool with sentences of its own is spoken to by these, and not by its name.
  if (tool.speech.phrases) return []
  const words = nameWords(tool.name)
  while (words.length > 1 && nameVerbs.test(words[0] ?? '')) words.shift()
  // A verb may stand last or in the middle: self.audio_speaker.set_volume.
  const verb = words.findIndex((word, at) => at > 0 && /^(?:set|get|read|turn|switch)$/.test(word))
  if (verb > 0) words.splice(verb, 1)
  while (words.length > 1 && nameTails.test(words.at(-1) ?? '')) words.pop()
  const parts = words.map((_, at) => ({ text: words.slice(at).join(' '), weight: at === 0 ? 1 : 0.9 }))
  const foreign = language === 'zh' ? [...chineseNoun(tool.description), ...hints.en] : []
  return [...foreign.map((text) => ({ text, weight: 1 })), ...parts]
}

function paramNames(property: Property, tool: ToolVersion, language: SpokenLanguage): string[] {
  const hint = (tool.speech.parameters[property.name] ?? emptyNames)[language]
  if (hint.length > 0) return spoken(hint, language)
  const title = property.schema['title']
  const own = [nameWords(property.name).join(' '), ...(typeof title === 'string' && title.length <= 30 ? [title] : [])]
  const described = typeof property.schema['description'] === 'string' ? property.schema['description'] : ''
  return spoken([...own, ...(language === 'zh' ? chineseNoun(described) : [])], language)
}

function spoken(names: readonly string[], language: SpokenLanguage): string[] {
  return [...new Set(names.map((name) => normaliseWords(name, language)).filter((name) => name !== ''))]
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function numberParam(property: Property, tool: ToolVersion, language: SpokenLanguage): NumberParam {
  const { schema, name } = property
  const whole = schema['type'] === 'integer'
  const above = finite(schema['exclusiveMinimum'])
  const below = finite(schema['exclusiveMaximum'])
  const min = finite(schema['minimum']) ?? (above === undefined ? undefined : above + (whole ? 1 : 1e-6))
  const max = finite(schema['maximum']) ?? (below === undefined ? undefined : below - (whole ? 1 : 1e-6))
  const about = `${name} ${typeof schema['description'] === 'string' ? schema['description'] : ''} ${tool.name}`
  const isPercent = (min === 0 && max === 100) || /percent|%|百分/i.test(about)
  const unit = /temp|celsius|degree|温度/i.test(about) ? 'degrees' : isPercent ? 'percent' : undefined
  return {
    name,
    names: paramNames(property, tool, language),
    min,
    max,
    whole,
    step: finite(schema['multipleOf']),
    unit,
  }
}

function valueNames(property: Property, value: unknown, options: { tool: ToolVersion; language: SpokenLanguage }) {
  const hints = options.tool.speech.values[property.name]?.[String(value)] ?? emptyNames
  const own = typeof value === 'string' ? [nameWords(value).join(' '), value] : []
  return spoken([...hints[options.language], ...own], options.language)
}

export function choiceParam(property: Property, tool: ToolVersion, language: SpokenLanguage): ChoiceParam {
  const values = new Map<string, unknown>()
  const listed: readonly unknown[] = Array.isArray(property.schema['enum']) ? property.schema['enum'] : []
  for (const value of listed.slice(0, 64))
    for (const name of valueNames(property, value, { tool, language })) if (!values.has(name)) values.set(name, value)
  return { name: property.name, names: paramNames(property, tool, language), values }
}

function namedNumbers(property: Property, tool: ToolVersion, language: SpokenLanguage): ChoiceParam {
  const values = new Map<string, unknown>()
  for (const key of Object.keys(tool.speech.values[property.name] ?? {}))
    if (Number.isFinite(Number(key)))
      for (const name of valueNames(property, Number(key), { tool, language })) values.set(name, Number(key))
  return { name: property.name, names: [], values }
}

const verbs = {
  open: {
    en: { open: ['open', 'open up'], shut: ['close', 'shut'] },
    zh: { open: ['打开', '开', '开启'], shut: ['关上', '关闭', '关掉', '关', '合上'] },
  },
  lock: {
    en: { open: ['lock'], shut: ['unlock'] },
    zh: { open: ['锁上', '锁住', '上锁', '锁'], shut: ['解锁', '开锁', '打开'] },
  },
  power: {
    en: {
      open: ['start', 'start up', 'enable', 'activate', 'power on', 'light up', 'fire up'],
      shut: ['stop', 'disable', 'deactivate', 'kill'],
    },
    zh: {
      open: ['打开', '开启', '开', '点亮', '启动', '开开', '打开来'],
      shut: ['关闭', '关掉', '关上', '关', '熄灭', '停止', '关了'],
    },
  },
} as const

export function switchParam(property: Property, tool: ToolVersion, language: SpokenLanguage): SwitchParam {
  const kind = /^(?:is_?)?open(?:ed)?$/i.test(property.name) ? 'open' : /lock/i.test(property.name) ? 'lock' : 'power'
  const words = verbs[kind][language]
  const hint = (value: boolean): string[] =>
    spoken((tool.speech.values[property.name]?.[String(value)] ?? emptyNames)[language], language)
  const plain = language === 'en' ? { on: ['on'], off: ['off', 'out'] } : { on: [], off: [] }
  return {
    name: property.name,
    on: [...(kind === 'power' ? plain.on : []), ...hint(true)],
    off: [...(kind === 'power' ? plain.off : []), ...hint(false)],
    open: words.open,
    shut: words.shut,
  }
}

const isNumber = (property: Property): boolean =>
  property.schema['type'] === 'integer' || property.schema['type'] === 'number'

/** Red, green and blue: three whole numbers of 0–255 under these names. */
function hasColor(properties: readonly Property[]): boolean {
  const isPart = (names: readonly string[]): boolean =>
    properties.some(
      ({ name, schema }) =>
        names.includes(name.toLowerCase()) && schema['type'] === 'integer' && schema['maximum'] === 255,
    )
  return isPart(['r', 'red']) && isPart(['g', 'green']) && isPart(['b', 'blue'])
}

export function colorParams(tool: ToolVersion): readonly string[] {
  const keys = propertiesOf(tool).map(({ name }) => name)
  return [
    ['r', 'red'],
    ['g', 'green'],
    ['b', 'blue'],
  ].map((names) => keys.find((key) => names.includes(key.toLowerCase())) ?? '')
}

const caches = { en: new WeakMap<ToolVersion, SpokenTool>(), zh: new WeakMap<ToolVersion, SpokenTool>() }

/** Kept with the tool object: a published version never changes, and a changed draft is a new object. */
export function spokenTool(tool: ToolVersion, language: SpokenLanguage): SpokenTool {
  const kept = caches[language].get(tool)
  if (kept) return kept
  const made = makeSpokenTool(tool, language)
  caches[language].set(tool, made)
  return made
}

function makeSpokenTool(tool: ToolVersion, language: SpokenLanguage): SpokenTool {
  const all = propertiesOf(tool)
  const isColor = hasColor(all)
  const colors = isColor ? colorParams(tool) : []
  const properties = all.filter(({ name }) => !colors.includes(name))
  const targets = new Map<string, number>()
  for (const { text, weight } of targetNames(tool, language)) {
    const name = normaliseWords(text, language)
    if (name !== '' && !targets.has(name)) targets.set(name, weight)
  }
  const questions = [...targets.keys()].filter((name) => /^(?:how|is|are|what|where|when|who) /.test(name))
  for (const name of questions) targets.delete(name)
  const switches = properties
    .filter(({ schema }) => schema['type'] === 'boolean')
    .map((p) => switchParam(p, tool, language))
  const numbers = properties.filter(isNumber).map((p) => numberParam(p, tool, language))
  const choices = properties
    .filter(({ schema }) => Array.isArray(schema['enum']))
    .map((p) => choiceParam(p, tool, language))
  const named = properties
    .filter(isNumber)
    .map((p) => namedNumbers(p, tool, language))
    .filter(({ values }) => values.size > 0)
  const fixedState = all.length === 0 ? fixedStateOf(tool.name) : undefined
  const parts = { tool, targets, questions, switches, numbers, choices, named, hasColor: isColor, fixedState }
  return { ...parts, intents: intentsOf(parts) }
}

function fixedStateOf(name: string): boolean | undefined {
  const words = nameWords(name)
  const isSwitch = words.some((word) => word === 'turn' || word === 'switch')
  if (!isSwitch) return undefined
  return words.includes('on') ? true : words.includes('off') ? false : undefined
}

function intentsOf(spokenTool: Omit<SpokenTool, 'intents'>): Intent[] {
  const { tool, switches, numbers, choices } = spokenTool
  // Without a name of its own it is spoken to by its sentences alone.
  if (tool.speech.phrases && spokenTool.targets.size + spokenTool.questions.length === 0) return []
  const isRead =
    requiredOf(tool).length === 0 &&
    (tool.danger === 'read' || nameWords(tool.name).some((word) => readVerbs.test(word)))
  if (isRead) return ['read']
  const intents: Intent[] = []
  const isSwitched = switches.length > 0 || spokenTool.hasColor || spokenTool.fixedState !== undefined
  if (isSwitched) intents.push('switch')
  if (numbers.length > 0) intents.push('level')
  if (spokenTool.hasColor) intents.push('color')
  if (choices.length > 0) intents.push('choice')
  // A microcontroller takes a call without arguments for a question (uart-mcp.md §3): that runs nothing.
  const isAskable = tool.origin === 'uart' && propertiesOf(tool).length > 0
  if (intents.length === 0 && !isAskable) intents.push('run')
  return intents.filter((intent) => canFill(spokenTool, intent))
}

/** Whether one sentence of this intent can give the tool everything that it requires. */
function canFill(spokenTool: Omit<SpokenTool, 'intents'>, intent: Intent): boolean {
  const { tool, switches, numbers, choices } = spokenTool
  const power = switches.find(({ on }) => on.length > 0)?.name
  const needed = requiredOf(tool).filter((name) => presetOf(tool, name) === undefined)
  const left = needed.filter((name) => name !== (intent === 'switch' ? switches[0]?.name : power))
  const colors = spokenTool.hasColor ? colorParams(tool) : []
  switch (intent) {
    case 'switch':
      return left.every((name) => switches.length === 0 && colors.includes(name))
    case 'color':
      return left.every((name) => colors.includes(name))
    case 'level':
      return left.length < 2 && left.every((name) => numbers.some((param) => param.name === name))
    case 'choice':
      return left.length < 2 && left.every((name) => choices.some((param) => param.name === name))
    case 'read':
    case 'run':
      return needed.length === 0
  }
}

/** What a required parameter is when the sentence does not say it. */
export function presetOf(tool: ToolVersion, name: string): unknown {
  const schema = propertiesOf(tool).find((property) => property.name === name)?.schema
  return schema?.['const'] ?? schema?.['default']
}
