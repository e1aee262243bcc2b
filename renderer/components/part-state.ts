import type { ThingModel, ThingParam, ThingProperty, ThingValue } from '../../electron/contract/thing.ts'
import { valueText } from './thing-text.ts'

export const parts = [
  'speaker',
  'lamp',
  'ring',
  'fan',
  'air-conditioner',
  'relay',
  'servo',
  'sensor',
  'curtain',
  'pump',
  'module',
] as const
export type PartName = (typeof parts)[number]

/** What a drawing shows. `level`: 0 to 1 of the main number; null where a model has none or nobody knows it. */
export interface PartState {
  readonly on: boolean
  readonly level: number | null
  readonly angle: number | null
  readonly mode: string | null
  readonly color: string | null
  /** The figures that a display would show, the main one first. */
  readonly figures: readonly string[]
}

const words: readonly (readonly [RegExp, PartName])[] = [
  [/ring|ws2812|pixel|strip/, 'ring'],
  [/air|conditioner/, 'air-conditioner'],
  [/lamp|light/, 'lamp'],
  [/speaker|volume/, 'speaker'],
  [/fan/, 'fan'],
  [/relay|switch|socket/, 'relay'],
  [/servo/, 'servo'],
  [/sensor|climate|temperature|humidity|dht/, 'sensor'],
  [/curtain|blind/, 'curtain'],
  [/pump|water/, 'pump'],
]

/** The drawing of a template; a Thing from an empty page is a plain module. */
export function partOf(template: string | null): PartName {
  return words.find(([form]) => form.test(template ?? ''))?.[1] ?? 'module'
}

type Values = Readonly<Record<string, ThingValue | null | undefined>>

const switchName = /power|^on$|enabled|running|state|open|active|playing/
const levelName = /bright|level|speed|volume|position|percent|temperature|opening|flow|humidity/

function fraction({ minimum = 0, maximum = 100 }: ThingParam, value: ThingValue | null | undefined): number | null {
  if (typeof value !== 'number' || maximum <= minimum) return null
  return Math.min(1, Math.max(0, (value - minimum) / (maximum - minimum)))
}

const first = (properties: readonly ThingProperty[], form: RegExp) =>
  properties.find(({ name }) => form.test(name)) ?? properties[0]

const nameColors = new Set(['red', 'green', 'blue', 'white', 'yellow', 'orange', 'purple', 'pink', 'cyan'])

/** A colour only where it is one: `#rrggbb`, a well-known name, or three numbers red, green, blue. */
function colorOf(properties: readonly ThingProperty[], values: Values): string | null {
  for (const { name } of properties) {
    const value = values[name]
    if (typeof value !== 'string') continue
    if (/^#[0-9a-f]{6}$/i.test(value) || nameColors.has(value)) return value
  }
  const rgb = ['red', 'green', 'blue'].map((name) => values[name])
  return rgb.every((value) => typeof value === 'number') ? `rgb(${rgb.join(' ')})` : null
}

/** What a model's values look like. `values` may lack a property: then its drawing rests. */
export function partState(model: Pick<ThingModel, 'properties'>, values: Values, locale: string): PartState {
  const numbers = model.properties.filter(({ type }) => type === 'integer' || type === 'number')
  const main = first(numbers, levelName)
  const switched = first(
    model.properties.filter(({ type, name }) => type === 'boolean' && name !== 'muted'),
    switchName,
  )
  const level = main ? fraction(main, values[main.name]) : null
  const angle = values.angle
  const listed = model.properties.find(({ name, values: list }) => list !== undefined && !/color/.test(name))
  const mode = listed ? values[listed.name] : null
  const shown = [main, ...numbers.filter((one) => one !== main)].flatMap((one) => {
    const value = one ? values[one.name] : null
    return one && value !== null && value !== undefined ? [valueText(one, value, locale)] : []
  })
  return {
    on: values.muted !== true && (switched ? values[switched.name] === true : (level ?? 0) > 0),
    level,
    angle: typeof angle === 'number' ? angle : null,
    mode: typeof mode === 'string' ? mode : null,
    color: colorOf(model.properties, values),
    figures: shown,
  }
}

/** The values that a model starts with, for a drawing of something that does not run. */
export function restingValues(model: Pick<ThingModel, 'properties'>): Values {
  return Object.fromEntries(model.properties.map(({ name, initial }) => [name, initial]))
}
