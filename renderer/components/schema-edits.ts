import type { Json } from './schema-form.ts'
import {
  branchesOf,
  fieldsOf,
  kindOf,
  limitKeys,
  partsOf,
  requiredNames,
  schemaJson,
  schemaTree,
  wordOf,
  type BranchesKey,
  type FieldsKey,
  type SchemaField,
  type SchemaKind,
  type SchemaNode,
  type SchemaPart,
} from './schema-model.ts'

/** Pure edit commands on a schema tree. Each gives a new tree; what it does not name stays the same object. */
type Change = (node: SchemaNode) => SchemaNode

function mapPart(part: SchemaPart, map: Change): SchemaPart {
  switch (part.at) {
    case 'keyword':
      return part
    case 'fields':
      return { ...part, fields: part.fields.map((field) => ({ ...field, node: map(field.node) })) }
    case 'branches':
      return { ...part, nodes: part.nodes.map(map) }
    case 'items':
      return { ...part, node: map(part.node) }
  }
}

/** The tree with the node `id` changed; the same tree when there is none. */
export function editNode(root: SchemaNode, id: number, change: Change): SchemaNode {
  if (root.id === id) return change(root)
  if (root.shape === 'plain') return root
  return { ...root, parts: root.parts.map((part) => mapPart(part, (inner) => editNode(inner, id, change))) }
}

function* nodesOf(root: SchemaNode): Generator<SchemaNode> {
  yield root
  for (const part of partsOf(root)) {
    if (part.at === 'fields') for (const field of part.fields) yield* nodesOf(field.node)
    else if (part.at === 'branches') for (const node of part.nodes) yield* nodesOf(node)
    else if (part.at === 'items') yield* nodesOf(part.node)
  }
}

export const freeId = (root: SchemaNode): number => Math.max(...[...nodesOf(root)].map((node) => node.id)) + 1

// Keywords about a place stand before what is inside it, as people write them.
const leading = ['type', 'title', 'description', 'unit']

/** Sets one keyword in its place, adds it, or removes it with `undefined`. */
export function withWord(node: SchemaNode, key: string, value: Json | undefined): SchemaNode {
  const parts = partsOf(node)
  const at = parts.findIndex((part) => part.key === key)
  if (value === undefined) return { id: node.id, shape: 'schema', parts: parts.filter((part) => part.key !== key) }
  const part: SchemaPart = { at: 'keyword', key, value }
  if (at >= 0) return { id: node.id, shape: 'schema', parts: parts.toSpliced(at, 1, part) }
  if (!leading.includes(key)) return { id: node.id, shape: 'schema', parts: [...parts, part] }
  const after = parts.findLastIndex((one) => leading.slice(0, leading.indexOf(key)).includes(one.key))
  return { id: node.id, shape: 'schema', parts: parts.toSpliced(after + 1, 0, part) }
}

function withPart(node: SchemaNode, part: SchemaPart): SchemaNode {
  const parts = partsOf(node)
  const at = parts.findIndex((one) => one.key === part.key)
  return { id: node.id, shape: 'schema', parts: at < 0 ? [...parts, part] : parts.toSpliced(at, 1, part) }
}

const withFields = (node: SchemaNode, key: FieldsKey, fields: readonly SchemaField[]) =>
  withPart(node, { at: 'fields', key, fields })

/** A whole place given as JSON: a JSON box, or a keyword that the form does not draw. */
export function replaceNode(root: SchemaNode, id: number, json: Json): SchemaNode {
  return editNode(root, id, () => {
    const made = schemaTree(json, freeId(root))
    return { ...made, id }
  })
}

/** One keyword given as JSON; structural ones become part of the tree again. */
export function withJsonWord(root: SchemaNode, id: number, word: { key: string; value: Json }): SchemaNode {
  return editNode(root, id, (node) => {
    const read = schemaTree({ [word.key]: word.value }, freeId(root))
    const part = partsOf(read)[0]
    return part === undefined ? node : withPart(node, part)
  })
}

export type NameFault = 'empty' | 'taken' | 'too-long'

/** Why a field may not have this name beside its neighbours, or null. */
export function nameFault(fields: readonly SchemaField[], name: string, self: string | null): NameFault | null {
  if (name === '') return 'empty'
  if (name.length > 64) return 'too-long'
  return name !== self && fields.some((field) => field.name === name) ? 'taken' : null
}

/** "value", "value2", "value3" … whichever is free. */
export function freeName(fields: readonly SchemaField[], stem: string): string {
  const taken = new Set(fields.map((field) => field.name))
  for (let count = 1; ; count++) {
    const name = count === 1 ? stem : `${stem}${count}`
    if (!taken.has(name)) return name
  }
}

const fresh: Readonly<Record<SchemaKind, Json>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  null: { type: 'null' },
  object: { type: 'object', properties: {} },
  array: { type: 'array', items: { type: 'string' } },
  enum: { type: 'string', enum: ['a', 'b'] },
  const: { const: '' },
  oneOf: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
  anyOf: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  ref: { $ref: '#/$defs/' },
  other: {},
}

export function addField(
  root: SchemaNode,
  place: { readonly parent: number; readonly key: FieldsKey },
  field: { readonly name: string; readonly kind: SchemaKind },
): SchemaNode {
  const node = schemaTree(fresh[field.kind], freeId(root))
  return editNode(root, place.parent, (parent) =>
    withFields(parent, place.key, [...fieldsOf(parent, place.key), { name: field.name, node }]),
  )
}

interface FieldPlace {
  readonly parent: number
  readonly key: FieldsKey
  readonly name: string
}

export function removeField(root: SchemaNode, { parent, key, name }: FieldPlace): SchemaNode {
  return editNode(root, parent, (node) => {
    const rest = withFields(
      node,
      key,
      fieldsOf(node, key).filter((field) => field.name !== name),
    )
    return key === 'properties' && requiredNames(rest).includes(name) ? withRequired(rest, name, false) : rest
  })
}

export function duplicateField(root: SchemaNode, { parent, key, name }: FieldPlace): SchemaNode {
  return editNode(root, parent, (node) => {
    const fields = fieldsOf(node, key)
    const at = fields.findIndex((field) => field.name === name)
    const from = fields[at]
    if (!from) return node
    const copy = { name: freeName(fields, `${name}_copy`), node: schemaTree(schemaJson(from.node), freeId(root)) }
    return withFields(node, key, fields.toSpliced(at + 1, 0, copy))
  })
}

/** Moves by so many places, stopping at the ends. */
export function moveField(root: SchemaNode, { parent, key, name }: FieldPlace, to: number): SchemaNode {
  return editNode(root, parent, (node) => {
    const fields = fieldsOf(node, key)
    const at = fields.findIndex((field) => field.name === name)
    const moved = fields[at]
    if (!moved) return node
    const rest = fields.toSpliced(at, 1)
    return withFields(node, key, rest.toSpliced(Math.min(rest.length, Math.max(0, to)), 0, moved))
  })
}

/** Everything that names the field follows: `required`, and for a shared type every `$ref` to it. */
export function renameField(root: SchemaNode, { parent, key, name }: FieldPlace, next: string): SchemaNode {
  const renamed = editNode(root, parent, (node) => {
    const fields = fieldsOf(node, key).map((field) => (field.name === name ? { ...field, name: next } : field))
    const named = withFields(node, key, fields)
    if (key !== 'properties' || !requiredNames(node).includes(name)) return named
    return withWord(
      named,
      'required',
      requiredNames(node).map((one) => (one === name ? next : one)),
    )
  })
  if (key === 'properties' || parent !== root.id) return renamed
  return redirected(renamed, refTo(key, name), refTo(key, next))
}

export const refTo = (key: FieldsKey, name: string): string =>
  `#/${key}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`

function redirected(root: SchemaNode, from: string, to: string): SchemaNode {
  if (root.shape === 'plain') return root
  const parts = root.parts.map((part) =>
    part.at === 'keyword' && part.key === '$ref' && part.value === from
      ? { ...part, value: to }
      : mapPart(part, (inner) => redirected(inner, from, to)),
  )
  return { ...root, parts }
}

export function withRequired(node: SchemaNode, name: string, required: boolean): SchemaNode {
  const rest = requiredNames(node).filter((one) => one !== name)
  const names = required ? [...rest, name] : rest
  return withWord(node, 'required', names.length === 0 ? undefined : names)
}

const kindWords = ['type', '$ref', 'const', 'enum', 'oneOf', 'anyOf', 'pattern', 'format', 'uniqueItems', 'required']
const kindParts = ['properties', 'items', 'additionalProperties', 'default', 'examples']

/** Another kind at the same place. Words of the old kind go; name, description, unit and unknown words stay. */
export function changeKind(root: SchemaNode, id: number, kind: SchemaKind): SchemaNode {
  return editNode(root, id, (node) => {
    const old = kindOf(node)
    if (old === kind) return node
    const isNumeric = (one: SchemaKind) => one === 'integer' || one === 'number'
    const keptLimits = isNumeric(old) && isNumeric(kind) ? limitKeys(old) : []
    const gone = new Set([...kindWords, ...kindParts, ...limitKeys(old).filter((key) => !keptLimits.includes(key))])
    // A closed choice keeps its type when it becomes free text again, and the other way round.
    const made = partsOf(schemaTree(freshKind(node, kind), freeId(root)))
    const kept = partsOf(node).filter((part) => !gone.has(part.key))
    const lead = made.filter((part) => part.key === 'type')
    return { id, shape: 'schema', parts: [...lead, ...kept, ...made.filter((part) => part.key !== 'type')] }
  })
}

function freshKind(node: SchemaNode, kind: SchemaKind): Json {
  const type = wordOf(node, 'type')
  if (kind === 'enum' && kindOf(node) === 'const') return { enum: [wordOf(node, 'const') ?? null] }
  if (kind === 'enum' && (type === 'integer' || type === 'number')) return { type, enum: [0, 1] }
  return fresh[kind]
}

export function addBranch(root: SchemaNode, id: number, key: BranchesKey): SchemaNode {
  const made = schemaTree({ type: 'string' }, freeId(root))
  return editNode(root, id, (node) => withPart(node, { at: 'branches', key, nodes: [...branchesOf(node, key), made] }))
}

export function removeBranch(root: SchemaNode, id: number, place: { key: BranchesKey; index: number }): SchemaNode {
  return editNode(root, id, (node) => {
    const nodes = branchesOf(node, place.key).toSpliced(place.index, 1)
    return withPart(node, { at: 'branches', key: place.key, nodes })
  })
}

export function moveBranch(
  root: SchemaNode,
  id: number,
  place: { key: BranchesKey; index: number; to: number },
): SchemaNode {
  return editNode(root, id, (node) => {
    const nodes = branchesOf(node, place.key)
    const moved = nodes[place.index]
    if (!moved) return node
    const rest = nodes.toSpliced(place.index, 1)
    const at = Math.min(rest.length, Math.max(0, place.to))
    return withPart(node, { at: 'branches', key: place.key, nodes: rest.toSpliced(at, 0, moved) })
  })
}
