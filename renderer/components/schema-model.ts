import type { Json } from './schema-form.ts'

/**
 * A JSON Schema as a tree that a person edits, and back. Nothing is lost on the way: every keyword keeps its place, what
 * is not understood stays a keyword with its JSON, and a place that holds no schema at all stays what it was.
 * The one limit is the language's: names that are whole numbers come first in any object.
 */
export type FieldsKey = 'properties' | '$defs' | 'definitions'
export type BranchesKey = 'oneOf' | 'anyOf' | 'allOf'

export interface SchemaField {
  readonly name: string
  readonly node: SchemaNode
}

export type SchemaPart =
  | { readonly at: 'keyword'; readonly key: string; readonly value: Json }
  | { readonly at: 'fields'; readonly key: FieldsKey; readonly fields: readonly SchemaField[] }
  | { readonly at: 'branches'; readonly key: BranchesKey; readonly nodes: readonly SchemaNode[] }
  | { readonly at: 'items'; readonly key: 'items'; readonly node: SchemaNode }

/** `plain` is a place that holds no object: `true`, `false`, or something broken. Ids are the page's and never written. */
export type SchemaNode =
  | { readonly id: number; readonly shape: 'schema'; readonly parts: readonly SchemaPart[] }
  | { readonly id: number; readonly shape: 'plain'; readonly value: Json }

export type ValueKind = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null'
export type SchemaKind = ValueKind | 'enum' | 'const' | 'oneOf' | 'anyOf' | 'ref' | 'other'

const valueKinds: readonly string[] = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null']
const fieldsKeys: readonly string[] = ['properties', '$defs', 'definitions']
const branchesKeys: readonly string[] = ['oneOf', 'anyOf', 'allOf']
/** Deeper places stay one keyword with its JSON: a hostile schema must not end the page. */
const MAX_DEPTH = 32

type JsonObject = Readonly<Record<string, Json>>
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Shape: any JSON in, a tree out; ids count from `firstId` in reading order. */
export function schemaTree(schema: Json, firstId = 1): SchemaNode {
  let nextId = firstId

  function partOf(key: string, value: Json, depth: number): SchemaPart {
    if (depth < MAX_DEPTH) {
      if (fieldsKeys.includes(key) && isObject(value)) {
        const fields = Object.entries(value).map(([name, inner]) => ({ name, node: nodeOf(inner, depth + 1) }))
        return { at: 'fields', key: key as FieldsKey, fields }
      }
      if (branchesKeys.includes(key) && Array.isArray(value))
        return {
          at: 'branches',
          key: key as BranchesKey,
          nodes: (value as Json[]).map((inner) => nodeOf(inner, depth + 1)),
        }
      if (key === 'items' && isObject(value)) return { at: 'items', key, node: nodeOf(value, depth + 1) }
    }
    return { at: 'keyword', key, value }
  }

  function nodeOf(value: Json, depth: number): SchemaNode {
    const id = nextId++
    if (!isObject(value)) return { id, shape: 'plain', value }
    return { id, shape: 'schema', parts: Object.entries(value).map(([key, inner]) => partOf(key, inner, depth)) }
  }

  return nodeOf(schema, 0)
}

function partJson(part: SchemaPart): Json {
  switch (part.at) {
    case 'keyword':
      return part.value
    case 'fields':
      return Object.fromEntries(part.fields.map(({ name, node }) => [name, schemaJson(node)]))
    case 'branches':
      return part.nodes.map(schemaJson)
    case 'items':
      return schemaJson(part.node)
  }
}

/** The JSON of a tree, keys in the tree's order. */
export function schemaJson(node: SchemaNode): Json {
  if (node.shape === 'plain') return node.value
  return Object.fromEntries(node.parts.map((part) => [part.key, partJson(part)]))
}

export const partsOf = (node: SchemaNode): readonly SchemaPart[] => (node.shape === 'schema' ? node.parts : [])

/** The value of one keyword, or undefined. */
export function wordOf(node: SchemaNode, key: string): Json | undefined {
  const part = partsOf(node).find((one) => one.key === key)
  return part?.at === 'keyword' ? part.value : undefined
}

export const textOf = (node: SchemaNode, key: string): string => {
  const value = wordOf(node, key)
  return typeof value === 'string' ? value : ''
}

export function fieldsOf(node: SchemaNode, key: FieldsKey = 'properties'): readonly SchemaField[] {
  const part = partsOf(node).find((one) => one.key === key)
  return part?.at === 'fields' ? part.fields : []
}

export function branchesOf(node: SchemaNode, key: BranchesKey): readonly SchemaNode[] {
  const part = partsOf(node).find((one) => one.key === key)
  return part?.at === 'branches' ? part.nodes : []
}

export function itemsOf(node: SchemaNode): SchemaNode | null {
  const part = partsOf(node).find((one) => one.key === 'items')
  return part?.at === 'items' ? part.node : null
}

/** What the form draws a place as. The first of `$ref`, `const`, `enum`, `oneOf`, `anyOf`, `type` that is there decides. */
export function kindOf(node: SchemaNode): SchemaKind {
  if (node.shape === 'plain') return 'other'
  const has = (key: string) => node.parts.some((part) => part.key === key)
  if (typeof wordOf(node, '$ref') === 'string') return 'ref'
  if (has('const')) return 'const'
  if (Array.isArray(wordOf(node, 'enum'))) return 'enum'
  if (node.parts.some((part) => part.at === 'branches' && part.key === 'oneOf')) return 'oneOf'
  if (node.parts.some((part) => part.at === 'branches' && part.key === 'anyOf')) return 'anyOf'
  const type = wordOf(node, 'type')
  return typeof type === 'string' && valueKinds.includes(type) ? (type as ValueKind) : 'other'
}

export function requiredNames(node: SchemaNode): readonly string[] {
  const names = wordOf(node, 'required')
  return Array.isArray(names) ? (names as Json[]).filter((name) => typeof name === 'string') : []
}

const numeric = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const
const lengths = ['minLength', 'maxLength'] as const
const counts = ['minItems', 'maxItems'] as const

/** Limits of a kind that are numbers, in the order of the form. */
export function limitKeys(kind: SchemaKind): readonly string[] {
  if (kind === 'integer' || kind === 'number') return numeric
  if (kind === 'string') return lengths
  return kind === 'array' ? counts : []
}

const isNumber = (value: Json) => typeof value === 'number'
const isText = (value: Json) => typeof value === 'string'

/** Whether the form has a widget for this keyword here. Everything else gets a JSON box of its own. */
function isDrawn(node: SchemaNode, part: SchemaPart): boolean {
  const kind = kindOf(node)
  if (part.at === 'fields') return part.key !== 'properties' || kind === 'object'
  if (part.at === 'branches') return true
  if (part.at === 'items') return kind === 'array'
  switch (part.key) {
    case 'title':
    case 'description':
    case 'unit':
    case 'type':
      return isText(part.value)
    case 'default':
      return true
    case 'examples':
      return Array.isArray(part.value)
    case '$ref':
      return kind === 'ref'
    case 'const':
      return kind === 'const'
    case 'enum':
      return kind === 'enum'
    case 'pattern':
    case 'format':
      return kind === 'string' && isText(part.value)
    case 'uniqueItems':
      return kind === 'array' && typeof part.value === 'boolean'
    case 'required': {
      const names = requiredNames(node)
      const known = new Set(fieldsOf(node).map((field) => field.name))
      return (
        kind === 'object' &&
        names.length === (Array.isArray(part.value) ? part.value.length : -1) &&
        names.every((name) => known.has(name))
      )
    }
    case 'additionalProperties':
      return kind === 'object' && typeof part.value === 'boolean'
    default:
      return limitKeys(kind).includes(part.key) && isNumber(part.value)
  }
}

/** Keywords that the form does not draw, with their JSON: kept, shown, and edited in place. */
export function otherWords(node: SchemaNode): readonly { readonly key: string; readonly value: Json }[] {
  return partsOf(node)
    .filter((part) => !isDrawn(node, part))
    .map((part) => ({ key: part.key, value: partJson(part) }))
}

/** Limits and facts of a place in a few signs, for the line that is always visible: "0 – 100 · step 5 · %". */
export function summaryOf(node: SchemaNode): string {
  const kind = kindOf(node)
  const number = (key: string) => {
    const value = wordOf(node, key)
    return typeof value === 'number' ? value : undefined
  }
  const range = (low: number | undefined, high: number | undefined) =>
    low === undefined && high === undefined ? '' : `${low ?? '…'} – ${high ?? '…'}`
  const shown = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))
  const facts: Partial<Record<SchemaKind, string>> = {
    enum: ((wordOf(node, 'enum') ?? []) as Json[]).map(shown).join(' | '),
    const: `= ${shown(wordOf(node, 'const') ?? null)}`,
    ref: textOf(node, '$ref').replace(/^#\/(\$defs|definitions)\//, ''),
    string: [range(number('minLength'), number('maxLength')), textOf(node, 'format'), textOf(node, 'pattern')]
      .filter(Boolean)
      .join(' · '),
    array: range(number('minItems'), number('maxItems')),
    object: fieldsOf(node)
      .map((field) => field.name)
      .join(', '),
  }
  const numbers = range(
    number('minimum') ?? number('exclusiveMinimum'),
    number('maximum') ?? number('exclusiveMaximum'),
  )
  const step = number('multipleOf')
  return [facts[kind] ?? numbers, step === undefined ? '' : `± ${step}`, textOf(node, 'unit')]
    .filter(Boolean)
    .join(' · ')
}
