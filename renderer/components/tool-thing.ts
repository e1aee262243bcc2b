import type { ThingMethod, ThingModel, ThingParam } from '../../electron/contract/thing.ts'
import type { ToolContent } from '../../electron/contract/tool-registry.ts'
import { noNames } from './tool-content.ts'

/** What the code of a board cannot say of a tool; `name`: the parameter, or the name that it is given. */
export interface CodeLoss {
  readonly kind: 'name' | 'nested' | 'optional'
  readonly name: string
}

type Schema = Readonly<Record<string, unknown>>
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const finite = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)

/** As the generators take names (`ThingIdent`): small letters, digits and _, a letter first, 40 at most. */
export function codeName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')
  return (/^[a-z]/.test(plain) ? plain : `t_${plain}`).slice(0, 40)
}

const types = ['boolean', 'integer', 'number', 'string'] as const
const MOST = 16

function paramOf(name: string, schema: unknown): ThingParam | null {
  if (!isSchema(schema)) return null
  const values = Array.isArray(schema.enum) ? schema.enum : null
  const isWords =
    values !== null &&
    values.length <= 32 &&
    values.every((one) => typeof one === 'string' && one !== '' && one.length <= 40)
  if (values !== null && !isWords) return null
  const type = types.find((one) => one === schema.type) ?? (isWords ? 'string' : null)
  if (type === null) return null
  const [minimum, maximum, step] = [finite(schema.minimum), finite(schema.maximum), finite(schema.multipleOf)]
  return {
    name: codeName(name),
    description: typeof schema.description === 'string' ? schema.description.slice(0, 500) : '',
    names: noNames,
    valueNames: {},
    type,
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(step === undefined || step <= 0 ? {} : { step }),
    ...(values ? { values: values.map(String) } : {}),
  }
}

/**
 * A tool as a Thing with one method, so that the generators of Things write its code too. Parameters that are no single
 * value are left out, and each is told.
 */
export function thingOfTool(name: string, content: ToolContent): { model: ThingModel; losses: CodeLoss[] } {
  const losses: CodeLoss[] = []
  const lose = (kind: CodeLoss['kind'], what: string) => losses.push({ kind, name: what })
  if (codeName(name) !== name) lose('name', codeName(name))
  const properties = isSchema(content.arguments.properties) ? content.arguments.properties : {}
  const required = Array.isArray(content.arguments.required) ? content.arguments.required : []
  const params: ThingParam[] = []
  for (const [key, schema] of Object.entries(properties)) {
    const param = paramOf(key, schema)
    if (!param || params.length === MOST || params.some((other) => other.name === param.name)) {
      lose('nested', key)
      continue
    }
    if (param.name !== key) lose('name', param.name)
    if (!required.includes(key)) lose('optional', key)
    params.push(param)
  }
  const method: ThingMethod = {
    name: codeName(name),
    description: content.description.slice(0, 500),
    names: noNames,
    params,
    danger: content.danger,
    sets: {},
  }
  const model: ThingModel = {
    title: { en: name.slice(0, 60), zh: '' },
    description: content.description.slice(0, 500),
    names: noNames,
    template: null,
    properties: [],
    methods: [method],
    events: [],
    wiring: null,
    hidden: [],
  }
  return { model, losses }
}
