import type { ToolCall, ToolVersion } from '../../contract/tool.ts'
import { chineseClaims, isChineseReport } from './claim-chinese.ts'
import { contextOf, echoes, type Wanted } from './claim-context.ts'
import { englishClaims, isEnglishReport } from './claim-english.ts'

const han = /\p{Script=Han}/u

/**
 * Does this sentence claim an action that no successful call of the turn stands for (features.md D2)? A call stands for
 * it when the sentence names its tool, or no tool at all; a number or a state in the sentence must not contradict it.
 */
export function claimsUndone(sentence: string, turn: Turn): boolean {
  const names = turn.tools.flatMap(namesOf)
  const plain = sentence.normalize('NFKC').toLowerCase().replaceAll('’', "'")
  const context = contextOf(turn.asked, names)
  const wanted = { names, context, echoes: (clause: string) => echoes(clause, turn.asked) }
  return sentencesOf(plain).some((part) => claimsOf(part, wanted).some((clause) => !stands(clause, turn)))
}

/** What is quoted is said by somebody else, and what an end mark ends stands alone. */
function sentencesOf(text: string): string[] {
  return text
    .replace(/(?<=[，,。.：:说喊\s])[“"「][^”"」]*[”"」]/g, ' ')
    .split(/(?<=[!?。！？]|\.(?!\d))\s*/)
    .map((part) => part.trim())
    .filter(Boolean)
}

function claimsOf(sentence: string, wanted: Wanted<string>): string[] {
  if (han.test(sentence)) return chineseClaims(sentence, wanted)
  const { names, context, echoes: isEcho } = wanted
  return englishClaims(sentence, {
    names: names.filter((name) => !han.test(name)).map(wordOf),
    context,
    echoes: isEcho,
  })
}

interface Turn {
  /** What the person said. */
  readonly asked: string
  readonly tools: readonly ToolVersion[]
  readonly calls: readonly ToolCall[]
}

function stands(clause: string, { tools, calls }: Turn): boolean {
  const toolOf = (call: ToolCall) => tools.find(({ name }) => name === call.ref.split('@')[0])
  const called = calls.flatMap((call) => {
    const tool = call.outcome === 'ok' ? toolOf(call) : undefined
    return tool ? [{ call, tool }] : []
  })
  if (!calls.some(({ outcome }) => outcome === 'ok')) return false
  if (/\bboth\b|两[^，]{0,4}都/.test(clause) && called.length < 2) return false
  // Each thing that is named has to have been called: two lamps' names in one breath are two claims.
  const doing = tools.filter(({ danger }) => danger !== 'read')
  const targets = [...new Set(doing.flatMap(targetsOf))].filter((name) => mentions(clause, name))
  const isReport = called.every(({ tool }) => tool.danger === 'read')
  if (!isReport && targets.some((name) => !called.some(({ tool }) => sharesWith(tool, name, targets)))) return false
  const named = tools.filter((tool) => namesOf(tool).some((name) => mentions(clause, name)))
  const meant = called.filter(({ tool }) => named.includes(tool))
  // Nothing that is named was called: the words are about something else.
  if (named.length > 0 && meant.length === 0) return false
  const candidates = meant.length > 0 ? meant : called
  return candidates.length === 0 || candidates.some(({ call, tool }) => agrees(clause, call, tool))
}

/** A name inside a longer one that is mentioned too ("light" in "light strip") stands for no thing of its own. */
function sharesWith(tool: ToolVersion, name: string, mentioned: readonly string[]): boolean {
  const own = targetsOf(tool)
  return own.includes(name) || mentioned.some((other) => other !== name && other.includes(name) && own.includes(other))
}

const verbs = /^(?:set|get|turn|switch|read|control|toggle|play|stop|start|add|create|on|off|self|to|of|the|my|board)$/

function targetsOf({ speech: { target } }: ToolVersion): string[] {
  return [...target.en.map((name) => name.toLowerCase()), ...target.zh]
}

function namesOf(tool: ToolVersion): string[] {
  const words = tool.name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2 && !verbs.test(word))
  return [...targetsOf(tool), ...words]
}

function mentions(clause: string, name: string): boolean {
  if (han.test(name)) return clause.includes(name)
  return wordOf(name).test(clause)
}

function wordOf(name: string): RegExp {
  return new RegExp(`\\b${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}s?\\b`)
}

/** A read answers what is said of its target as a report; numbers and states in the sentence must be the call's. */
function agrees(clause: string, call: ToolCall, tool: ToolVersion): boolean {
  const values = [...valuesIn(call.arguments), ...valuesIn(call.result)]
  const said = numbersIn(clause)
  const numbers = values.flatMap((value) => (typeof value === 'number' ? [value, Math.round(value)] : []))
  if (said.length > 0 && numbers.length > 0 && !said.some((number) => numbers.includes(number))) return false
  if (tool.danger === 'read') return han.test(clause) ? isChineseReport(clause) : isEnglishReport(clause)
  const state = stateIn(clause)
  const [only, ...more] = Object.entries(call.arguments).filter(([, value]) => typeof value === 'boolean')
  if (state === undefined || !only || more.length > 0) return true
  // "locked: false" is open.
  return inverse.test(only[0]) ? only[1] !== state : only[1] === state
}

const inverse = /lock|close|shut|mute|off/i
const digits = '〇一二三四五六七八九'
const measured = /([一二两三四五六七八九十百]+)(?=个?(?:档|度|分钟|秒|小时|成|%))|百分之([一二两三四五六七八九十百]+)/g

const englishNumbers =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  )
const englishMeasured = /\b([a-z]+)[ -](?=degrees?|percent|minutes?|seconds?|hours?)/g

/** Digits, and Chinese numerals before a unit: 二十六度, 百分之五十. */
function numbersIn(clause: string): number[] {
  const written = (clause.match(/\d+(?:\.\d+)?/g) ?? []).map(Number)
  const spoken = [...clause.matchAll(measured)].map(([, plain, percent]) => numeral(plain ?? percent ?? ''))
  const words = [...clause.matchAll(englishMeasured)].map(([, word = '']) => englishNumbers.indexOf(word))
  return [...written, ...spoken, ...words.filter((number) => number >= 0)]
}

function numeral(text: string): number {
  if (text.includes('百')) return 100
  const [tens, ones] = text.replace('两', '二').split('十')
  const one = (sign = '') => Math.max(0, digits.indexOf(sign === '' ? '〇' : sign))
  return ones === undefined ? one(tens) : (tens === '' ? 1 : one(tens)) * 10 + one(ones)
}

function valuesIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value]
  return Object.values(value).flatMap(valuesIn)
}

function stateIn(clause: string): boolean | undefined {
  const isOn =
    /\b(?:on|open|opened|unmuted|enabled)\b/.test(clause) || /(?:打开|开启|开了|亮了|点亮|启动|开好)/.test(clause)
  const isOff =
    /\b(?:off|closed|shut|muted|disabled)\b/.test(clause) || /(?:关闭|关掉|关了|关上|灭了|熄灭|停掉|关好)/.test(clause)
  return isOn === isOff ? undefined : isOn
}
