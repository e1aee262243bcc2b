import type { ToolCall, ToolVersion } from '../../contract/tool.ts'
import { chineseClaims, isChineseReport } from './claim-chinese.ts'
import { englishClaims, isEnglishReport } from './claim-english.ts'

const han = /\p{Script=Han}/u

/**
 * Does this sentence claim an action that no successful call of the turn stands for (features.md D2)? A call stands for
 * it when the sentence names its tool, or no tool at all; a number or a state in the sentence must not contradict it.
 */
export function claimsUndone(
  sentence: string,
  turn: { readonly tools: readonly ToolVersion[]; readonly calls: readonly ToolCall[] },
): boolean {
  const names = turn.tools.flatMap(namesOf)
  const plain = sentence.normalize('NFKC').toLowerCase().replaceAll('’', "'")
  return sentencesOf(plain).some((part) => claimsOf(part, names).some((clause) => !stands(clause, turn)))
}

/** What is quoted is said by somebody else, and what an end mark ends stands alone. */
function sentencesOf(text: string): string[] {
  return text
    .replace(/(?<=[，,。.：:说喊\s])[“"「][^”"」]*[”"」]/g, ' ')
    .split(/(?<=[!?。！？]|\.(?!\d))\s*/)
    .map((part) => part.trim())
    .filter(Boolean)
}

function claimsOf(sentence: string, names: readonly string[]): string[] {
  if (han.test(sentence)) return chineseClaims(sentence, names)
  return englishClaims(sentence, names.filter((name) => !han.test(name)).map(wordOf))
}

interface Turn {
  readonly tools: readonly ToolVersion[]
  readonly calls: readonly ToolCall[]
}

function stands(clause: string, { tools, calls }: Turn): boolean {
  const good = calls.filter(({ outcome }) => outcome === 'ok')
  if (good.length === 0) return false
  const called = good.flatMap((call) => {
    const tool = tools.find(({ name }) => name === call.ref.split('@')[0])
    return tool ? [{ call, tool }] : []
  })
  const named = tools.filter((tool) => namesOf(tool).some((name) => mentions(clause, name)))
  const meant = called.filter(({ tool }) => named.includes(tool))
  // Nothing that is named was called: the words are about something else.
  if (named.length > 0 && meant.length === 0) return false
  const candidates = meant.length > 0 ? meant : called
  return candidates.length === 0 || candidates.some(({ call, tool }) => agrees(clause, call, tool))
}

const verbs = /^(?:set|get|turn|switch|read|control|toggle|play|stop|start|add|create|on|off|self|to|of|the|my|board)$/

function namesOf(tool: ToolVersion): string[] {
  const { en, zh } = tool.speech.target
  const words = tool.name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2 && !verbs.test(word))
  return [...en.map((name) => name.toLowerCase()), ...zh, ...words]
}

function mentions(clause: string, name: string): boolean {
  if (han.test(name)) return clause.includes(name)
  return wordOf(name).test(clause)
}

function wordOf(name: string): RegExp {
  return new RegExp(`\\b${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}s?\\b`)
}

/** A read answers whatever is said of its target; a call must have had the number and the state that are claimed. */
function agrees(clause: string, call: ToolCall, tool: ToolVersion): boolean {
  if (tool.danger === 'read') return han.test(clause) ? isChineseReport(clause) : isEnglishReport(clause)
  const values = [...valuesIn(call.arguments), ...valuesIn(call.result)]
  const said = (clause.match(/\d+(?:\.\d+)?/g) ?? []).map(Number)
  const numbers = values.flatMap((value) => (typeof value === 'number' ? [value] : []))
  if (said.length > 0 && numbers.length > 0 && !said.some((number) => numbers.includes(number))) return false
  const state = stateIn(clause)
  const states = Object.values(call.arguments).filter((value) => typeof value === 'boolean')
  return state === undefined || states.length !== 1 || states[0] === state
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
