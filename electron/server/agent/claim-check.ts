import type { ToolCall, ToolVersion } from '../../contract/tool.ts'
import { type Clause, clausesOf } from './claim-clauses.ts'
import { chineseClaims, chineseDeedOf, chineseStates, englishClaims, englishState } from './claim-words.ts'

const han = /\p{Script=Han}/u

/**
 * Does this sentence claim an action that no successful call of the turn stands for (features.md D2)? A call stands for
 * it when the sentence names its tool, or no tool at all; a number or a state in the sentence must not contradict it.
 */
export function claimsUndone(
  sentence: string,
  turn: { readonly tools: readonly ToolVersion[]; readonly calls: readonly ToolCall[] },
): boolean {
  return clausesOf(sentence).some((clause) => isClaim(clause, turn.tools) && !stands(clause.text, turn))
}

function isClaim({ text, language, isExcused }: Clause, tools: readonly ToolVersion[]): boolean {
  if (isExcused) return false
  if (language === 'zh') {
    const isAboutTool = () => tools.some((tool) => namesOf(tool).some((name) => mentions(text, name)))
    if (isDeedOfOthers(text, tools)) return false
    return chineseClaims.some((claim) => claim.test(text)) || (chineseStates.test(text) && isAboutTool())
  }
  return englishClaims.some((claim) => claim.test(text)) || tools.some((tool) => isStateOf(text, tool))
}

/** "巫师打开了神灯": who did it is named, and is neither the speaker nor a thing that can be switched. */
function isDeedOfOthers(text: string, tools: readonly ToolVersion[]): boolean {
  const subject = chineseDeedOf.exec(text)?.[1]
  return subject !== undefined && !tools.some((tool) => namesOf(tool).some((name) => mentions(subject, name)))
}

/** "the fan is now spinning": the state stands behind the name. */
function isStateOf(words: string, tool: ToolVersion): boolean {
  return namesOf(tool).some((name) => {
    const at = words.search(wordOf(name))
    return at >= 0 && englishState.test(words.slice(at + name.length))
  })
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
  if (tool.danger === 'read') return isReport(clause)
  const values = [...valuesIn(call.arguments), ...valuesIn(call.result)]
  const said = (clause.match(/\d+(?:\.\d+)?/g) ?? []).map(Number)
  const numbers = values.flatMap((value) => (typeof value === 'number' ? [value] : []))
  if (said.length > 0 && numbers.length > 0 && !said.some((number) => numbers.includes(number))) return false
  const state = stateIn(clause)
  const states = Object.values(call.arguments).filter((value) => typeof value === 'boolean')
  return state === undefined || states.length !== 1 || states[0] === state
}

/** "The lamp is on" may be read; "I turned the lamp on" may not. */
function isReport(clause: string): boolean {
  if (han.test(clause)) return !/(?:已|我|帮|为您|为你|把|将|正在)/.test(clause)
  return !/\b(?:i|we|i've|i'm|been|done|turning|switching|setting)\b/.test(clause)
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
