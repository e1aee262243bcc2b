import {
  type ThingMethod,
  ThingIdent,
  ThingModel,
  type ThingParam,
  type ThingPreview,
  type ThingProblem,
} from '../contract/thing.ts'
import type { ToolContent } from '../contract/tool-registry.ts'
import { iottaC } from './things/previews/iotta-c.ts'
import { loss } from './things/previews/target-text.ts'
import { uartMcp } from './things/previews/uart-mcp.ts'

type Field = Readonly<Record<string, unknown>>

const fieldOf = (value: unknown): Field =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Field) : {}
const numberOf = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)

/**
 * What the firmware of a board, or of a microcontroller on UART, has to hold so that this tool is answered: the same
 * generators as for Things, fed with one method made from the schema. What C cannot take is told in `losses`.
 */
export function toolStubs(name: string, content: ToolContent): ThingPreview[] {
  const { properties, required } = fieldOf(content.arguments)
  const fields = Object.entries(fieldOf(properties))
  const params = fields.slice(0, 16).flatMap(([key, schema]) => paramOf(key, fieldOf(schema)) ?? [])
  const taken = new Set(params.map((param) => param.name))
  const needed = new Set(Array.isArray(required) ? required : [])
  const losses = [
    ...fields.filter(([key]) => !taken.has(key)).map(([key]) => loss('parameter-lost', key)),
    ...params.filter((param) => !needed.has(param.name)).map((param) => loss('parameter-always', param.name)),
    ...(content.result === null ? [] : [loss('result-by-hand', name)]),
  ]
  const ident = identOf(name, taken)
  const model = modelOf(ident, content.description, params)
  return [iottaC, uartMcp].map((make) => named(make(ident, model), { ident, name, losses }))
}

/** A name that C takes and that no parameter has, for a tool that may be called `Lamp.set`. */
function identOf(name: string, taken: ReadonlySet<string>): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '_')
  const whole = (/^[a-z]/.test(plain) ? plain : `tool_${plain}`).slice(0, 35)
  return taken.has(whole) ? `${whole}_tool` : whole
}

function modelOf(ident: string, description: string, params: readonly ThingParam[]): ThingModel {
  const method: Partial<ThingMethod> = { name: ident, description: description.slice(0, 500), params: [...params] }
  return ThingModel.parse({ title: { en: ident, zh: '' }, properties: [], methods: [method], events: [] })
}

/** Undefined for what one C variable cannot hold: groups, lists, choices of forms, names that are no identifiers. */
function paramOf(name: string, schema: Field): ThingParam | undefined {
  const { type, minimum, maximum, multipleOf, description } = schema
  const words = schema['enum']
  const isText = type === 'string' && (words === undefined || isWordList(words))
  const isNumber = (type === 'integer' || type === 'number') && words === undefined
  if (!ThingIdent.safeParse(name).success || !(type === 'boolean' || isText || isNumber)) return undefined
  const step = numberOf(multipleOf)
  return {
    name,
    type,
    description: typeof description === 'string' ? description.slice(0, 500) : '',
    names: { en: [], zh: [] },
    valueNames: {},
    ...(isNumber && numberOf(minimum) !== undefined ? { minimum: numberOf(minimum) } : {}),
    ...(isNumber && numberOf(maximum) !== undefined ? { maximum: numberOf(maximum) } : {}),
    ...(isNumber && step !== undefined && step > 0 ? { step } : {}),
    ...(isText && isWordList(words) ? { values: words } : {}),
  }
}

function isWordList(value: unknown): value is string[] {
  const isWord = (word: unknown) => typeof word === 'string' && word.length > 0 && word.length <= 40
  return Array.isArray(value) && value.length > 0 && value.length <= 32 && value.every(isWord)
}

interface Naming {
  readonly ident: string
  readonly name: string
  readonly losses: readonly ThingProblem[]
}

/** The name that is called goes where a text holds it; the C identifiers around it keep theirs. */
function named(preview: ThingPreview, { ident, name, losses }: Naming): ThingPreview {
  const files = preview.files.map((file) => ({
    ...file,
    text: file.text.replaceAll(`"${ident}"`, () => `"${name}"`).replaceAll(`\\"${ident}\\"`, () => `\\"${name}\\"`),
  }))
  const own = preview.losses.map((one) => ({ ...one, path: one.path.replace(`methods/${ident}/params/`, '') }))
  return { ...preview, files, losses: [...losses, ...own] }
}
