import type { ToolVersion } from '../../contract/tool.ts'
import { colourNames, fitsColour } from './claim-colours.ts'
import { membersOf, propertiesOf, surfacesOf, type Evidence } from './claim-evidence.ts'
import { holds, meaningsIn, spaced, take, type WordClass } from './claim-words.ts'

const han = /\p{Script=Han}/u

/** Words of which the call holds another one: what it was called with is what was done. */
const exclusive: readonly WordClass[] = [
  'room',
  'entry',
  'weekday',
  'month',
  'day',
  'mode',
  'genre',
  'level',
  'way',
  'person',
]

/** No state of now: what it was before, what it is not. */
const passed =
  /\b(?:from|instead of|not|no longer|rather than|was|except|unlike|and not|than|behind|ahead of|level with|overtaken|overtook|beat|passed|after|right after)(?: the| in)? [\p{L}]+(?= )|(?:从|由|不是|而不是|原来是?|除了)\p{Script=Han}{1,3}(?=改|换|变|切|调|到|[,，]|$)|(?:和|跟|比|与|超过|追上|反超)\p{Script=Han}{1,3}(?=打平|持平|一样|更|多|少|高|低|热|冷|了|改|换|变|切|调|到|[,，]|$)/gu
const idioms =
  /^ (?:cool|right|great|all right|alright) (?=\S)|\b(?:all right|right (?:away|now|on|there|here)|left (?:on|off|running|open|it|them|alone))\b/g

/** Is a word said of which every call holds another of its class? */
export function deniesExclusive(clause: string, evidence: readonly Evidence[]): boolean {
  const text = spaced(clause).replace(idioms, ' ').replace(passed, ' ')
  const done = evidence.map(({ name, values }) => `${name} , ${values}`).join(' , ')
  return exclusive.some((name) => deniesClass(name, text, done))
}

/** Is a word said (a room, a mode, a day, a thing…) of which every call holds another? */
export function deniesWords(clause: string, evidence: readonly Evidence[], tools: readonly ToolVersion[]): boolean {
  const text = spaced(clause).replace(idioms, ' ').replace(passed, ' ')
  const done = evidence.map(({ name, values }) => `${name} , ${values}`).join(' , ')
  return exclusive.some((name) => deniesClass(name, text, done)) || deniesMode(text, done, { evidence, tools })
}

const everyDay = /\b(?:weekdays?|daily|everyday|every day|weekends?|all week)\b|每天|工作日|周末|每日/

function deniesClass(name: WordClass, text: string, done: string): boolean {
  const bare = name === 'mode' ? withoutTargets(text, done) : text
  const said = meaningsIn(bare, name)
  if (said.size === 0) return false
  const held = meaningsIn(done, name)
  if (held.size === 0 || (name === 'weekday' && everyDay.test(done))) return false
  return [...said].some((meaning) => !held.has(meaning))
}

/** "Heating" may be the name of the thing as well as its mode. */
function withoutTargets(text: string, done: string): string {
  return holds(done, 'heating')
    ? text.replace(/ heating(?= (?:is|was|has|to|up|on|off|down|at|set|now)\b)/g, ' ')
    : text
}

const besides =
  /\b(?:next to|by|near|beside|behind|in front of|under|over|from|against|around|towards?|through|opposite|like) (?:the|your|a|an|my) [\p{L}]+/gu

/** A thing that no call of the turn is about. Two names of one thing are one. */
export function deniesThing(clause: string, evidence: readonly Evidence[]): boolean {
  const text = spaced(clause)
  const done = evidence.map(({ name, values }) => `${name} , ${values}`).join(' , ')
  const held = meaningsIn(done, 'thing')
  return [...meaningsIn(text.replace(besides, ' '), 'thing')].some((thing) => !held.has(thing))
}

const named =
  / (\p{L}+(?: \p{L}+)?) (?:mode|scene|preset|theme|effect|program|routine|setting)s? |(\p{Script=Han}{2})(?:模式|场景|情景|效果|程序)/gu
const modeKey = /mode|scene|preset|theme|effect|program|style|pattern/i

/** "Reading mode", 除湿模式: it has to be what was set, where anything can be. */
function deniesMode(
  text: string,
  done: string,
  { evidence, tools }: { evidence: readonly Evidence[]; tools: readonly ToolVersion[] },
): boolean {
  const set = evidence.some(({ call }) => Object.keys(call.arguments).some((key) => modeKey.test(key)))
  const isOffered = tools.some(
    (tool) => modeKey.test(tool.name) || [...propertiesOf(tool).keys()].some((key) => modeKey.test(key)),
  )
  const said = [...text.matchAll(named)].flatMap(([, english, chinese]) => english?.split(' ') ?? chinese ?? [])
  const known = said.flatMap((word) =>
    (['mode', 'scene'] as const).flatMap((name) => [...meaningsIn(word, name)].map((id) => ({ name, id }))),
  )
  const moded = [...meaningsIn(withoutTargets(text, done), 'mode')]
  if (!set) {
    const isSwitch =
      /\bmode\b|\b(?:switched|set|changed|put|is|are|now) (?:\w+ ){0,4}(?:to|in|on|over) |切|换|模式|设/.test(text)
    return (
      isOffered &&
      isSwitch &&
      evidence.length > 0 &&
      (moded.length > 0 || known.length > 0) &&
      !/\b(?:auto|turbo|boost)\b/.test(text) &&
      ![...moded, ...said].some((word) => done.includes(word))
    )
  }
  return (
    known.length > 0 &&
    known.every(({ name, id }) => !meaningsIn(done, name).has(id)) &&
    !said.some((word) => done.includes(word))
  )
}

const colourable = /colou?r|rgb|hue|(?:^|_)led/i

/** Is a colour said that no call set? */
export function deniesColour(clause: string, evidence: readonly Evidence[], tools: readonly ToolVersion[]): boolean {
  const text = spaced(clause).replace(passed, ' ')
  const done = evidence.map(({ name, values }) => `${name} , ${values}`).join(' , ')
  const said = coloursIn(text).filter((name) => !holds(done, name))
  if (said.length === 0) return false
  const held = evidence.flatMap(({ colours }) => colours)
  if (held.length > 0) return said.some((name) => !held.some((colour) => fitsColour(name, colour)))
  const isOffered = tools.some(
    (tool) => colourable.test(tool.name) || [...propertiesOf(tool).keys()].some((key) => colourable.test(key)),
  )
  return isOffered && evidence.length > 0 && said.some((name) => isState(text, name))
}

function isState(text: string, name: string): boolean {
  if (han.test(name)) return /变|换|成|为|是|色|光/.test(text)
  const at = text.indexOf(` ${name} `)
  return /\b(?:is|are|to|now|in|glow\w*|shin\w*|turned|went|into|made|bathed)(?: \w+){0,3} $/.test(
    text.slice(0, at + 1),
  )
}

function coloursIn(text: string): string[] {
  const found: string[] = []
  let rest = text
  for (const name of colourNames) {
    // One sign alone is part of many words: 明白, 黄油, 青花瓷.
    const isLoose = han.test(name) && name.length === 1
    if (isLoose && !new RegExp(`${name}[色光的了队组灯啦。!！]|[变成为换调是]${name}| ${name} `).test(rest)) continue
    const taken = take(rest, name)
    if (taken !== rest) found.push(name)
    rest = taken
  }
  return found
}

const vague = new Set([
  'on',
  'off',
  'in',
  'a',
  'the',
  'all',
  'none',
  'up',
  'down',
  'back',
  'set',
  'normal',
  'other',
  'default',
  'open',
  'close',
  'closed',
  'start',
  'stop',
  'add',
  'now',
  'new',
  'one',
  '开',
  '关',
  '中',
  '大',
  '小',
  '高',
  '低',
])

/** Is another value of an enum said than the one that its tool was called with? */
export function deniesMember(clause: string, evidence: readonly Evidence[]): boolean {
  const text = spaced(clause).replace(idioms, ' ').replace(passed, ' ')
  return evidence.some(({ tool, name }) =>
    [...propertiesOf(tool)].some(([property, schema]) => {
      const members = membersOf(schema)
      const given = evidence.filter((one) => one.tool === tool).flatMap(({ call }) => call.arguments[property] ?? [])
      if (members.length < 2 || given.length === 0) return false
      const said = members.filter((member) =>
        surfacesOf(tool, property, member).some(
          (surface) => !vague.has(surface) && !holds(name, surface) && holds(text, surface),
        ),
      )
      const held = given.flatMap((one) => (typeof one === 'string' ? surfacesOf(tool, property, one) : []))
      return (
        said.some(
          (member) =>
            !given.includes(member) &&
            !surfacesOf(tool, property, member).some((surface) =>
              held.some((own) => own.includes(surface) || surface.includes(own)),
            ),
        ) && !said.some((member) => given.length === 1 && given.includes(member))
      )
    }),
  )
}
