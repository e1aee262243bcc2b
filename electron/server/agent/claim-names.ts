import type { ToolVersion } from '../../contract/tool.ts'
import { membersOf, plain, propertiesOf, surfacesOf } from './claim-evidence.ts'

const han = /\p{Script=Han}/u
const verbs =
  /^(?:set|get|turn|switch|read|control|toggle|play|stop|start|add|create|on|off|self|to|of|the|my|board|run|move|send|make|show|put|open|close)$/

/** What a tool is for, as people say it, in lower case. */
export function targetsOf({ speech: { target } }: ToolVersion): string[] {
  return [...target.en.map((name) => name.toLowerCase()), ...target.zh]
}

/** The rooms that a tool knows: of "the kitchen is lit" a tool for the kitchen is meant. */
export function placesOf(tool: ToolVersion): string[] {
  return [...propertiesOf(tool)].flatMap(([key, schema]) =>
    /room|area|zone|place|location/i.test(key)
      ? membersOf(schema).flatMap((member) => surfacesOf(tool, key, member).filter((name) => name.length > 1))
      : [],
  )
}

const known = new WeakMap<ToolVersion, string[]>()

/** Its targets, and the words of its own name. A version never changes, so they are made once. */
export function namesOf(tool: ToolVersion): string[] {
  const names = known.get(tool) ?? makeNames(tool)
  known.set(tool, names)
  return names
}

function makeNames(tool: ToolVersion): string[] {
  const words = plain(tool.name)
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2 && !verbs.test(word))
  return [...targetsOf(tool), ...words]
}

/** How the usual names of arguments are said in Chinese. */
const chineseNames: readonly (readonly [RegExp, readonly string[]])[] = [
  [/temp/, ['温度']],
  [/bright/, ['亮度']],
  [/speed/, ['风速', '转速', '速度', '风量']],
  [/volume/, ['音量', '声音']],
  [/mode/, ['模式']],
  [/colou?r|^(?:r|red)$/, ['颜色']],
  [/position/, ['开度', '位置']],
  [/humid/, ['湿度']],
  [/time|minute|second|duration/, ['时间', '时长', '定时']],
]

/** What its arguments are called: of "the temperature is 22" a call with a temperature may speak. */
export function argumentNamesOf(tool: ToolVersion, given: Readonly<Record<string, unknown>>): string[] {
  const keys = [...new Set([...propertiesOf(tool).keys(), ...Object.keys(given)])].slice(0, 60)
  return keys.flatMap((key) => {
    const { en = [], zh = [] } = tool.speech.parameters[key] ?? {}
    const name = plain(key)
    const own = name.length > 2 ? [name] : []
    return [...own, ...en, ...zh, ...chineseNames.flatMap(([pattern, words]) => (pattern.test(name) ? words : []))]
  })
}

export function mentions(clause: string, name: string): boolean {
  return han.test(name) ? clause.includes(name) : wordOf(name).test(clause)
}

const patterns = new Map<string, RegExp>()

/** Tools bring any names: the memory of their patterns is bounded. */
export function wordOf(name: string): RegExp {
  const known = patterns.get(name)
  if (known) return known
  const made = new RegExp(`\\b${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}s?\\b`)
  if (patterns.size >= 2000) patterns.clear()
  patterns.set(name, made)
  return made
}
