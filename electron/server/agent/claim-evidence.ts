import type { ToolCall, ToolVersion } from '../../contract/tool.ts'
import { coloursOf, type Colour } from './claim-colours.ts'
import { quantitiesIn, type Quantity } from './claim-numbers.ts'
import { spaced } from './claim-words.ts'

/** A number of a call, with the limits of its schema where the tool has told them. */
export interface Figure {
  readonly key: string
  readonly value: number
  readonly minimum?: number
  readonly maximum?: number
}

/** What one successful call can prove. All text is lower case. */
export interface Evidence {
  readonly call: ToolCall
  readonly tool: ToolVersion
  /** Name and targets of the tool, between spaces. */
  readonly name: string
  /** Texts of arguments and result, with the spoken names of enum values, between spaces. */
  readonly values: string
  /** Texts of the arguments that are no enum value, no time and no colour. */
  readonly free: readonly { readonly key: string; readonly text: string }[]
  readonly figures: readonly Figure[]
  /** Durations, times and numbers that texts of the call hold. */
  readonly quantities: readonly Quantity[]
  readonly colours: readonly Colour[]
}

interface Property {
  readonly enum?: readonly unknown[]
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly items?: unknown
}

/** The properties of a tool's arguments; a schema may be anything. */
export function propertiesOf(tool: ToolVersion): ReadonlyMap<string, Property> {
  const { properties } = tool.arguments
  if (typeof properties !== 'object' || properties === null) return new Map()
  return new Map(
    Object.entries(properties).filter(
      (entry): entry is [string, Property] => typeof entry[1] === 'object' && entry[1] !== null,
    ),
  )
}

/** The values that one property may have, also as the items of a list. */
export function membersOf({ enum: own, items }: Property): readonly string[] {
  const list: unknown = own ?? (items as Property | undefined)?.enum
  return Array.isArray(list) ? list.slice(0, 200).flatMap((one) => (typeof one === 'string' ? [one] : [])) : []
}

/** How a value of an enum may be said: as it is written, and by its spoken names. */
export function surfacesOf(tool: ToolVersion, property: string, member: string): string[] {
  const names = tool.speech.values[property]?.[member]
  return [plain(member), ...(names ? [...names.en, ...names.zh].map((name) => name.toLowerCase()) : [])]
}

/** Words of a name: "living_room" and "livingRoom" are two words. */
export function plain(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
}

const time = /^\d{4}-\d\d-\d\d|^\d{1,2}:\d\d|^p(?:t?\d|t)/i
const duration = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i

export function evidenceOf(call: ToolCall, tool: ToolVersion): Evidence {
  const leaves = [...leavesOf('', call.arguments, 0), ...leavesOf('', call.result, 0)]
  const properties = propertiesOf(tool)
  const texts = leaves.flatMap(({ key, value }) =>
    typeof value === 'string' ? [{ key, text: value.slice(0, 2000) }] : [],
  )
  const figures = leaves.flatMap(({ key, value }) =>
    typeof value === 'number' ? [figureOf(key, value, properties)] : [],
  )
  const spoken = texts.flatMap(({ key, text }) => [
    ...surfacesOf(tool, key, text),
    // Fan may be a thing, and fan mode is none.
    ...(/mode/i.test(key) ? [`${plain(text)} mode`] : []),
  ])
  const isMember = (key: string) => membersOf(properties.get(key) ?? {}).length > 0
  const given = new Set(leavesOf('', call.arguments, 0).map(({ value }) => value))
  const free = texts.filter(
    ({ key, text }) => given.has(text) && !isMember(key) && !time.test(text) && coloursOf(text).length === 0,
  )
  return {
    call,
    tool,
    name: spaced([plain(tool.name), ...tool.speech.target.en, ...tool.speech.target.zh].join(' ')),
    values: spaced(
      [
        ...spoken,
        ...texts.map(({ text }) => plain(text)),
        ...texts.flatMap(({ text }) => dayOf(text)),
        ...keysOf(call.result),
      ].join(' , '),
    ),
    free: free.map(({ key, text }) => ({ key, text: text.toLowerCase() })),
    figures,
    quantities: texts.flatMap(({ text }) => [...dateOf(text), ...durationOf(text), ...timesOf(text)]),
    colours: [...coloursOf(call.arguments), ...coloursOf(call.result)],
  }
}

/** What a result is about: the scores of each team. */
function keysOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value).slice(0, 100).map(plain) : []
}

function leavesOf(key: string, value: unknown, depth: number): { key: string; value: unknown }[] {
  if (depth > 6 || typeof value !== 'object' || value === null) return [{ key, value }]
  if (Array.isArray(value)) return value.slice(0, 100).flatMap((one) => leavesOf(key, one, depth + 1))
  return Object.entries(value)
    .slice(0, 100)
    .flatMap(([name, one]) => leavesOf(name, one, depth + 1))
}

function figureOf(key: string, value: number, properties: ReadonlyMap<string, Property>): Figure {
  const { minimum, maximum } = properties.get(key) ?? {}
  return {
    key: plain(key),
    value,
    ...(typeof minimum === 'number' && { minimum }),
    ...(typeof maximum === 'number' && { maximum }),
  }
}

function durationOf(text: string): Quantity[] {
  const [all, days, hours, minutes, seconds] = duration.exec(text) ?? []
  if (all === undefined || all.length < 3) return []
  const value =
    Number(days ?? 0) * 86_400 + Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
  return [{ kind: 'seconds', value }]
}

/** Written times are of 24 hours. */
function timesOf(text: string): Quantity[] {
  const isExact = /^(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d/.test(text)
  return quantitiesIn(plainTime(text)).map((one) => (isExact && one.kind === 'minutes' ? { ...one, half: false } : one))
}

/** A date and time as separate words, so that a time of day is found in it. */
function plainTime(text: string): string {
  return text
    .replace(/(\d{4})-(\d\d)-(\d\d)[T ]?/, '$1 / $2 / $3 at ')
    .replace(/^p(?:t|\d).*$/i, '')
    .toLowerCase()
}

function dateOf(text: string): Quantity[] {
  const [, day] = /^\d{4}-\d\d-(\d\d)/.exec(text) ?? []
  return day === undefined ? [] : [{ kind: 'day', value: Number(day) }]
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const months = 'january february march april may june july august september october november december'.split(' ')

/** The names of day and month of a date: "2026-12-04" is a Friday in December. */
function dayOf(text: string): string[] {
  const [all, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? []
  if (all === undefined) return []
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return [weekdays[date.getUTCDay()] ?? '', months[date.getUTCMonth()] ?? '']
}
