import type { JsonSchema, SpeechHints, SpokenNames, ToolVersion } from '../../contract/tool.ts'
import { chineseNoun } from './chinese-noun.ts'
import {
  deviceCalled,
  deviceInChinese,
  type Part,
  partCalled,
  partInChinese,
  type Term,
  valueCalled,
} from './mcu-lexicon.ts'
import { nameWords } from './name-words.ts'

const verbs = /^(?:self|uart|set|get|read|turn|control|toggle|change|adjust|measure|query|check|fetch|show|update)$/
const setters = /^(?:set|turn|control|toggle|change|adjust|update)$/
const most = 20
const nothing: Term = { en: [], zh: [] }

/** What a tool's names say: `air_conditioner.set_temperature` → the temperature of the air conditioner. */
interface Meaning {
  readonly device: Term
  readonly part: Term
  readonly kind: Part['kind'] | 'none'
  readonly unit: Part['unit']
}
type Language = 'en' | 'zh'
type Level = 'switch' | 'level' | 'choice' | 'text'

/**
 * How people speak to a tool of a microcontroller, in both languages: from the names of the tool and its parameters and
 * two nouns of a Chinese description, 8 characters each at most. No other word of it is used: the rules match by these,
 * and no model reads them (T11). A tool that is called without arguments answers with its value (uart-mcp.md §3), so
 * the sentences that ask for it are here too.
 */
export function mcuSpeech(tool: ToolVersion): SpeechHints {
  const params = paramsOf(tool)
  const meaning = meaningOf(tool, params)
  const words = nameWords(tool.name)
  const levels = params.map(([, schema]) => levelOf(schema))
  // With a verb of its own it has a sister that reads.
  const isAsked = params.length > 0 && !words.some((word) => setters.test(word))
  const phrases = { en: [...texts(params, meaning, 'en')], zh: [...texts(params, meaning, 'zh')] }
  if (isAsked) {
    phrases.en.push(...questions(meaning, levels, 'en'))
    phrases.zh.push(...questions(meaning, levels, 'zh'))
  }
  return {
    target: { en: targets(meaning, levels, 'en'), zh: targets(meaning, levels, 'zh') },
    parameters: Object.fromEntries(params.map(([name]) => [name, paramNames(name, meaning, params.length)])),
    values: Object.fromEntries(params.flatMap(([name, schema]) => valuesOf(name, schema))),
    reply: repliesOf(params, meaning),
    ...(phrases.en.length + phrases.zh.length > 0 ? { phrases } : {}),
  }
}

/** The schema with what its maker could only write as prose: a list of known words, and a range of numbers. */
export function withLimits(args: JsonSchema): JsonSchema {
  const found = Object.entries(asObject(args['properties'])).map(([name, schema]) => {
    const about = asObject(schema)['description']
    return [name, { ...asObject(schema), ...(typeof about === 'string' ? limitsOf(asObject(schema), about) : {}) }]
  })
  return { ...args, properties: Object.fromEntries(found) as JsonSchema }
}

function limitsOf(schema: JsonSchema, about: string): JsonSchema {
  if (schema['type'] === 'string' && !Array.isArray(schema['enum'])) {
    const listed = /[A-Za-z_]{1,24}(?:\s?[/|、]\s?[A-Za-z_]{1,24}){1,11}/.exec(about)?.[0].split(/\s?[/|、]\s?/) ?? []
    return listed.length > 1 && listed.every((word) => valueCalled(word)) ? { enum: listed } : {}
  }
  const isNumber = schema['type'] === 'integer' || schema['type'] === 'number'
  if (!isNumber || 'minimum' in schema || 'maximum' in schema) return {}
  const ranges = [...about.matchAll(/(?<![\w.-])(-?\d{1,6})\s?(?:-|~|～|–|到|至|to|\.\.)\s?(-?\d{1,6})(?![\w.:-])/g)]
  const [low, high] = [Number(ranges[0]?.[1]), Number(ranges[0]?.[2])]
  return ranges.length === 1 && low < high ? { minimum: low, maximum: high } : {}
}

type Param = readonly [name: string, schema: JsonSchema]

const asObject = (value: unknown): JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {}

function paramsOf(tool: ToolVersion): Param[] {
  return Object.entries(asObject(tool.arguments['properties']))
    .slice(0, 32)
    .map(([name, schema]) => [name, asObject(schema)] as const)
}

function levelOf(schema: JsonSchema): Level {
  if (schema['type'] === 'boolean') return 'switch'
  if (schema['type'] === 'integer' || schema['type'] === 'number') return 'level'
  return Array.isArray(schema['enum']) ? 'choice' : 'text'
}

function meaningOf(tool: ToolVersion, params: readonly Param[]): Meaning {
  const words = nameWords(tool.name).filter((word, at, all) => all.length === 1 || !verbs.test(word))
  const split = splitWords(words.length > 0 ? words : nameWords(tool.name))
  const [only, ...more] = params
  const named = split.part ?? (only && more.length === 0 ? partCalled(nameWords(only[0])) : undefined)
  const [noun, detail] = chineseNouns(tool.description)
  const partOfNoun = noun === undefined ? undefined : partInChinese(noun)
  const part = named ?? (detail === undefined ? undefined : partInChinese(detail)) ?? partOfNoun
  const isDevice = noun !== undefined && !partOfNoun
  const inChinese = isDevice ? (deviceInChinese(noun)?.zh ?? []) : []
  const known =
    deviceCalled(split.device) ?? (split.device.length === 0 && isDevice ? deviceInChinese(noun) : undefined)
  const own = split.device.join(' ')
  const device = {
    en: unique([...(own === '' || known?.en.includes(own) ? [] : known ? [] : [own]), ...(known?.en ?? [])]),
    zh: unique([...(isDevice ? [noun] : []), ...inChinese, ...(isDevice ? [] : (known?.zh ?? []))]),
  }
  const inWords = part && part.kind !== 'power' && detail !== undefined ? [detail] : []
  return {
    device,
    part: part ? { en: part.en, zh: unique([...inWords, ...part.zh]) } : nothing,
    kind: part?.kind ?? 'none',
    unit: part?.unit,
  }
}

/** The longest end that names a part; "fan speed" is one of an air conditioner, and the speed of a fan alone. */
function splitWords(words: readonly string[]): { device: readonly string[]; part: Part | undefined } {
  if (deviceCalled(words)) return { device: words, part: undefined }
  for (const size of [2, 1]) {
    const part = words.length >= size ? partCalled(words.slice(-size)) : undefined
    const device = words.slice(0, -size)
    if (part && !(size === 2 && device.length === 0 && deviceCalled(words.slice(0, 1)))) return { device, part }
  }
  return { device: words, part: undefined }
}

/** 设置空调的温度 → 空调, 温度. */
function chineseNouns(description: string): readonly [string | undefined, string | undefined] {
  const [noun] = chineseNoun(description)
  const detail = /[\u4e00-\u9fff]的([\u4e00-\u9fff]{1,8})/.exec(description)?.[1]
  return [noun, detail]
}

const unique = (names: readonly string[]): string[] => [...new Set(names)].filter((name) => name !== '').slice(0, most)

function joined({ device, part }: Meaning, language: Language): string[] {
  return device[language].flatMap((name) =>
    part[language].flatMap((detail) =>
      language === 'en' ? [`${name} ${detail}`, `${detail} of ${name}`] : [`${name}${detail}`, `${name}的${detail}`],
    ),
  )
}

/** What one name means where several tools belong to one device: its switch, its main level, any of its words. */
function targets(meaning: Meaning, levels: readonly Level[], language: Language): string[] {
  const { device, part, kind } = meaning
  const isAlone = part[language].length === 0
  const turns = deviceTurns(device)
  const isBare =
    isAlone ||
    levels.length > 1 ||
    levels.includes('choice') ||
    (levels.includes('switch') && kind === 'power') ||
    (levels.includes('level') && (kind === 'main' || (kind === 'speed' && turns)))
  const bare = isBare ? device[language] : []
  // "What is the temperature" asks a sensor, and not what the air conditioner was set to.
  const isOwn = device[language].length === 0 || kind === 'other' || kind === 'none'
  return unique([...bare, ...(isOwn ? part[language] : []), ...joined(meaning, language)])
}

const deviceTurns = ({ en }: Term): boolean => en.some((name) => /^(?:fan|motor|pump|car|robot|servo)$/.test(name))

function paramNames(name: string, { part }: Meaning, count: number): SpokenNames {
  const own = partCalled(nameWords(name))
  const term = own && own.kind !== 'power' ? own : count === 1 ? part : nothing
  const plain = nameWords(name).join(' ')
  return { en: unique(term.en.length > 0 ? [...term.en] : [plain]), zh: unique([...term.zh]) }
}

function valuesOf(name: string, schema: JsonSchema): [string, Record<string, SpokenNames>][] {
  const listed: readonly unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : []
  const known = listed.flatMap((value): [string, SpokenNames][] => {
    const term = typeof value === 'string' ? valueCalled(value) : undefined
    return term ? [[String(value), { en: [...term.en], zh: [...term.zh] }]] : []
  })
  return known.length > 0 ? [[name, Object.fromEntries(known)]] : []
}

/** Beside the common table: "cool mode" names no device, and a free text is set by a sentence that names the tool. */
function texts(params: readonly Param[], meaning: Meaning, language: Language): string[] {
  const [only, ...more] = params
  if (!only || more.length > 0) return []
  if (levelOf(only[1]) === 'choice' && meaning.part[language].length > 0) {
    const value = `{${only[0]}} ${oneOf(meaning.part[language])}`
    return language === 'en' ? [`[set | switch to | use] ${value}`] : [`[切换到 | 切换成 | 换成 | 调到 | 开] ${value}`]
  }
  if (levelOf(only[1]) !== 'text') return []
  const names = targets(meaning, ['text'], language)
  if (names.length === 0) return []
  const [gap, choice] = [`{${only[0]}}`, oneOf(names)]
  return language === 'en'
    ? [`(set | change) ${choice} to ${gap}`, `show ${gap} on ${choice}`]
    : [`[把] ${choice} (设 | 改 | 换) (成 | 为) ${gap}`, `在 ${choice} [上] 显示 ${gap}`]
}

const oneOf = (names: readonly string[]): string => `(${names.slice(0, 8).join(' | ')})`

function questions(meaning: Meaning, levels: readonly Level[], language: Language): string[] {
  const { device, part, unit } = meaning
  const alone = meaning.kind === 'other' ? part[language] : []
  const whole = [...alone, ...joined(meaning, language)]
  const names = whole.length > 0 ? whole : part[language].length > 0 ? part[language] : device[language]
  const [first] = levels
  if (names.length === 0) return []
  const things = device[language].length > 0 ? device[language] : names
  if (language === 'en') {
    if (first === 'switch') return [`is ${oneOf(things)} (on | off) [now | right now]`]
    const asked = `(what is | tell me | check | read | how high is) [current] ${oneOf(names)} [now | right now | set to]`
    return [asked, ...(first === 'choice' ? [`what ${oneOf(part.en)} is ${oneOf(things)} (in | on) [now]`] : [])]
  }
  if (first === 'switch') return [`[现在] ${oneOf(things)} [现在] (开着吗 | 开了吗 | 关了吗 | 是开着的吗 | 开没开)`]
  return [
    `[现在] ${oneOf(names)} [现在] [是 | 设 | 设在] (多少 | 几度 | 多少度 | 多高 | 多大 | 几档 | 几 | 什么 | 怎么样)`,
    `(查看 | 查询 | 告诉我 | 看看) ${oneOf(names)}`,
    ...(unit === 'degrees' && device.zh.length > 0 ? [`[现在] ${oneOf(things)} [现在] [是] (几度 | 多少度)`] : []),
    ...(first === 'choice' && part.zh.length > 0 ? [`${oneOf(things)} [现在] [是] 什么 ${oneOf(part.zh)}`] : []),
  ]
}

interface Said {
  readonly en: string
  readonly zh: string
}

/** Said after a good call; without a name in one of the languages the plain answers stay. */
function repliesOf(params: readonly Param[], meaning: Meaning): SpeechHints['reply'] {
  const thing = called(meaning.device) ?? called(meaning.part)
  const whole = called({ en: joined(meaning, 'en'), zh: joined(meaning, 'zh') }) ?? called(meaning.part) ?? thing
  if (!thing || !whole) return {}
  const amount = (gap: string) =>
    meaning.unit === 'degrees' ? { en: `{${gap}} degrees`, zh: `{${gap}}度` } : { en: `{${gap}}`, zh: `{${gap}}` }
  const set = params.flatMap(([name, schema]): [string, Said][] => {
    const level = levelOf(schema)
    if (level === 'switch') return switched(name, params.length === 1 && meaning.kind !== 'power' ? whole : thing)
    const { en, zh } = level === 'level' && params.length === 1 ? amount(name) : { en: `{${name}}`, zh: `{${name}}` }
    const subject = params.length === 1 ? whole : thing
    return [[name, { en: `Okay, the ${subject.en} is ${en}.`, zh: `好的，${subject.zh}是${zh}。` }]]
  })
  const isSwitch = params.length === 1 && params.every(([, schema]) => levelOf(schema) === 'switch')
  const value = isSwitch ? { en: '{value}', zh: '{value}' } : amount('value')
  const asked = isSwitch
    ? { en: `The ${thing.en} is ${value.en}.`, zh: `${thing.zh}现在${value.zh}。` }
    : { en: `The ${whole.en} is ${value.en}.`, zh: `${whole.zh}是${value.zh}。` }
  return Object.fromEntries([...set, ['ok', asked] as const])
}

function switched(name: string, { en, zh }: Said): [string, Said][] {
  return [
    [`${name}:true`, { en: `Okay, the ${en} is on.`, zh: `好的，${zh}开了。` }],
    [`${name}:false`, { en: `Okay, the ${en} is off.`, zh: `好的，${zh}关了。` }],
  ]
}

function called({ en, zh }: Term): Said | undefined {
  const [english, chinese] = [en[0] ?? zh[0], zh[0] ?? en[0]]
  return english === undefined || chinese === undefined ? undefined : { en: english, zh: chinese }
}
