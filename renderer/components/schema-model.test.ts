import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from './schema-form.ts'
import {
  addField,
  changeKind,
  editNode,
  moveField,
  nameFault,
  removeField,
  renameField,
  replaceNode,
  withJsonWord,
  withRequired,
  withWord,
} from './schema-edits.ts'
import { historyOf, redone, stepped, undone } from '../stores/tools-history.ts'
import {
  branchesOf,
  fieldsOf,
  itemsOf,
  kindOf,
  otherWords,
  partsOf,
  requiredNames,
  schemaJson,
  schemaTree,
  summaryOf,
  type SchemaNode,
} from './schema-model.ts'

const names = fc.constantFrom(
  'on',
  'brightness',
  'zone',
  'mode',
  '温度',
  'a/b',
  'a~b',
  'x y',
  '__proto__',
  'constructor',
  '',
)
const words = {
  description: fc.string({ maxLength: 12 }),
  title: fc.constant('Title'),
  default: fc.jsonValue({ maxDepth: 1 }),
  examples: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
  unit: fc.constantFrom('°C', '%'),
  format: fc.constantFrom('date', 'email'),
  pattern: fc.constant('^[a-z]+$'),
  minimum: fc.oneof(fc.integer(), fc.constant('not a number')),
  maximum: fc.integer(),
  multipleOf: fc.double({ min: 0.1, max: 9, noNaN: true }),
  uniqueItems: fc.boolean(),
  additionalProperties: fc.oneof(fc.boolean(), fc.constant({ type: 'string' })),
  'x-vendor': fc.jsonValue({ maxDepth: 2 }),
  not: fc.constant({ type: 'null' }),
  required: fc.array(names, { maxLength: 3 }),
  dependentRequired: fc.constant({ on: ['zone'] }),
}

const { schema } = fc.letrec<{ schema: Json; inner: Json; deep: [string, Json] }>((tie) => ({
  inner: fc.oneof(
    { maxDepth: 4 },
    { arbitrary: fc.constantFrom<Json>(true, false, null), weight: 1 },
    { arbitrary: tie('schema'), weight: 6 },
  ),
  deep: fc.oneof(
    fc.tuple(
      fc.constantFrom('properties', '$defs', 'definitions'),
      fc.array(fc.tuple(names, tie('inner')), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs) as Json),
    ),
    fc.tuple(fc.constantFrom('oneOf', 'anyOf', 'allOf'), fc.array(tie('inner'), { maxLength: 3 })),
    fc.tuple(fc.constant('items'), tie('inner')),
  ),
  schema: fc
    .array(
      fc.oneof(
        { arbitrary: tie('deep'), weight: 14 },
        {
          arbitrary: fc.tuple(fc.constant('$ref'), fc.constantFrom('#/$defs/zone', '#', 'https://x.example/y')),
          weight: 3,
        },
        fc.tuple(
          fc.constant('type'),
          fc.constantFrom('string', 'integer', 'object', 'array', 'null', ['string', 'null']),
        ),
        fc.tuple(fc.constant('enum'), fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 })),
        fc.tuple(fc.constant('const'), fc.jsonValue({ maxDepth: 1 })),
        ...Object.entries(words).map(([key, value]) => fc.tuple(fc.constant(key), value as fc.Arbitrary<Json>)),
      ),
      { maxLength: 8 },
    )
    .map((pairs) => Object.fromEntries(pairs) as Json),
}))

function* all(node: SchemaNode): Generator<SchemaNode> {
  yield node
  for (const part of partsOf(node)) {
    if (part.at === 'fields') for (const field of part.fields) yield* all(field.node)
    if (part.at === 'branches') for (const inner of part.nodes) yield* all(inner)
    if (part.at === 'items') yield* all(part.node)
  }
}
const withoutIds = (node: SchemaNode) =>
  JSON.stringify(node, (key, value: unknown) => (key === 'id' ? undefined : value))

test('300 generated schemas: form to JSON to form loses nothing, and keys keep their order', () => {
  const seen = { nested: 0, items: 0, oneOf: 0, ref: 0 }
  fc.assert(
    fc.property(schema, (one) => {
      const form = schemaTree(one)
      const json = schemaJson(form)

      expect(JSON.stringify(json)).toBe(JSON.stringify(one))
      expect(withoutIds(schemaTree(json))).toBe(withoutIds(form))
      for (const node of all(form)) {
        seen.nested += fieldsOf(node).length
        seen.items += itemsOf(node) ? 1 : 0
        seen.oneOf += branchesOf(node, 'oneOf').length
        seen.ref += kindOf(node) === 'ref' ? 1 : 0
      }
    }),
    { numRuns: 300, seed: 20_261_130 },
  )
  // The generator really made what the test is about.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(50)
})

test('every widget that writes back what it shows changes nothing', () => {
  fc.assert(
    fc.property(schema, (one) => {
      const root = schemaTree(one)
      let form = root
      for (const node of all(root)) {
        for (const part of partsOf(node))
          if (part.at === 'keyword') form = editNode(form, node.id, (at) => withWord(at, part.key, part.value))
        for (const word of otherWords(node)) form = withJsonWord(form, node.id, word)
      }
      expect(JSON.stringify(schemaJson(form))).toBe(JSON.stringify(one))
    }),
    { numRuns: 150, seed: 7 },
  )
})

test('each keyword is drawn by a widget or shown as JSON, never neither', () => {
  const form = schemaTree({ type: 'integer', minimum: 'low', maximum: 9, 'x-odd': 1, if: {}, properties: { a: true } })

  expect(otherWords(form).map((word) => word.key)).toEqual(['minimum', 'x-odd', 'if', 'properties'])
})

const lamp: Json = {
  type: 'object',
  required: ['on'],
  properties: { on: { type: 'boolean' }, brightness: { type: 'integer', minimum: 0, maximum: 100, unit: '%' } },
  $defs: { zone: { enum: ['desk', 'door'] } },
}

test('renaming a field carries its place in required, and a shared type its references', () => {
  const root = schemaTree({ ...lamp, allOf: [{ $ref: '#/$defs/zone' }] })
  const renamed = renameField(root, { parent: root.id, key: 'properties', name: 'on' }, 'lit')
  const both = renameField(renamed, { parent: root.id, key: '$defs', name: 'zone' }, 'place')

  expect(schemaJson(both)).toMatchObject({ required: ['lit'], allOf: [{ $ref: '#/$defs/place' }] })
  expect(Object.keys((schemaJson(both) as { properties: object }).properties)).toEqual(['lit', 'brightness'])
})

test('adding, moving, requiring and removing fields give the JSON a person would write', () => {
  let root = schemaTree(lamp)
  root = addField(root, { parent: root.id, key: 'properties' }, { name: 'zone', kind: 'enum' })
  root = moveField(root, { parent: root.id, key: 'properties', name: 'zone' }, 0)
  root = editNode(root, root.id, (node) => withRequired(node, 'zone', true))
  root = removeField(root, { parent: root.id, key: 'properties', name: 'on' })

  expect(Object.keys((schemaJson(root) as { properties: object }).properties)).toEqual(['zone', 'brightness'])
  expect(requiredNames(root)).toEqual(['zone'])
  expect(new Set([...all(root)].map((node) => node.id)).size).toBe([...all(root)].length)
})

test('another kind keeps the description and unknown words, and drops the limits of the old one', () => {
  const root = schemaTree({ type: 'integer', description: 'How bright', minimum: 0, maximum: 9, 'x-vendor': 1 })

  expect(schemaJson(changeKind(root, root.id, 'number'))).toEqual({
    type: 'number',
    description: 'How bright',
    minimum: 0,
    maximum: 9,
    'x-vendor': 1,
  })
  expect(schemaJson(changeKind(root, root.id, 'string'))).toEqual({
    type: 'string',
    description: 'How bright',
    'x-vendor': 1,
  })
  expect(schemaJson(changeKind(root, root.id, 'enum'))).toMatchObject({ type: 'integer', enum: [0, 1] })
})

test('a name that is empty or taken is refused', () => {
  const fields = fieldsOf(schemaTree(lamp))

  expect(nameFault(fields, '', 'on')).toBe('empty')
  expect(nameFault(fields, 'brightness', 'on')).toBe('taken')
  expect(nameFault(fields, 'on', 'on')).toBeNull()
})

test('a place can be replaced by JSON, even by one that is no schema', () => {
  const root = schemaTree(lamp)
  const on = fieldsOf(root)[0]!.node

  expect(schemaJson(replaceNode(root, on.id, true))).toMatchObject({ properties: { on: true } })
  expect(kindOf(fieldsOf(replaceNode(root, on.id, { oneOf: [{ type: 'string' }] }))[0]!.node)).toBe('oneOf')
})

test('the line of a field always says its limits', () => {
  expect(summaryOf(schemaTree({ type: 'integer', minimum: 16, maximum: 30, unit: '°C' }))).toBe('16 – 30 · °C')
  expect(summaryOf(schemaTree({ enum: ['cool', 'heat', 3] }))).toBe('cool | heat | 3')
  expect(summaryOf(schemaTree({ $ref: '#/$defs/zone' }))).toBe('zone')
})

test('a schema as deep as a hostile one is kept, not walked', () => {
  let deep: Json = { type: 'string' }
  for (let level = 0; level < 400; level++) deep = { properties: { deeper: deep } }

  expect(JSON.stringify(schemaJson(schemaTree(deep)))).toBe(JSON.stringify(deep))
  expect([...all(schemaTree(deep))].length).toBeLessThan(40)
})

test('keystrokes in one field are one step of undo, and redo ends with a new edit', () => {
  let history = historyOf('')
  for (const text of ['a', 'ab', 'abc']) history = stepped(history, text, 'description')
  history = stepped(history, 'abc!', 'name')

  expect(undone(history).now).toBe('abc')
  expect(undone(undone(history)).now).toBe('')
  expect(redone(undone(history)).now).toBe('abc!')
  expect(stepped(undone(history), 'x').future).toEqual([])
})
