import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bornTools } from '../../contract/born-tools.ts'
import type { JsonSchema } from '../../contract/tool.ts'
import { createSchemaChecker } from './json-schema.ts'

const checker = createSchemaChecker()
const born = (name: string) => bornTools.find((tool) => tool.name === name)!

test('a fault names its place and what was wrong', () => {
  const lamp = born('set_lamp').arguments
  expect(checker.fault(lamp, { on: true, brightness: 50 })).toBeUndefined()
  expect(checker.fault(lamp, { on: true, brightness: 101 })).toMatchObject({ path: '/brightness' })
  expect(checker.fault(lamp, { on: 'yes' })).toMatchObject({ path: '/on' })
  expect(checker.fault(lamp, {})?.message).toContain("'on'")
  expect(checker.fault(lamp, { on: true, colour: 1 })?.message).toContain('colour')
})

test('every born tool has schemas that can be used', () => {
  for (const tool of bornTools) {
    checker.inspect(tool.arguments)
    if (tool.result) checker.inspect(tool.result)
  }
  expect(bornTools).toHaveLength(6)
})

test('two schemas of one $id and of an older dialect live side by side', () => {
  const schema = (type: string): JsonSchema => ({
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'https://example.org/a',
    properties: { a: { type } },
  })
  const number = schema('number')
  const text = schema('string')
  expect(checker.fault(number, { a: 1 })).toBeUndefined()
  expect(checker.fault(text, { a: 1 })).toMatchObject({ path: '/a' })
})

test.each<[string, JsonSchema]>([
  ['a repetition inside a repetition', { pattern: '(a+)+$' }],
  ['a repeated alternative', { pattern: '(a|a)*b' }],
  ['a backward reference', { pattern: '(a)\\1' }],
  ['lookaround', { pattern: '(?=a)b' }],
  ['many repetitions', { pattern: 'a*a*a*a*b' }],
  ['a long pattern', { pattern: 'a'.repeat(101) }],
  ['an unbounded uniqueItems', { type: 'array', uniqueItems: true }],
  ['a remote reference', { $ref: 'https://example.org/schema' }],
  ['a recursive reference', { properties: { next: { $ref: '#' } } }],
  ['a dynamic reference', { $dynamicRef: '#x' }],
  ['an inner $id', { properties: { a: { $id: 'b', type: 'number' } } }],
  ['more than 16 KiB', { description: 'x'.repeat(20_000) }],
  ['no schema at all', { type: 'nonsense' }],
])('%s is refused', (_, schema) => {
  expect(() => checker.inspect({ type: 'object', ...schema })).toThrow(
    expect.objectContaining({ code: 'tool-bad-schema' }),
  )
})

test('references that double at each level are refused before they cost anything', () => {
  const six = (name: string) => ({ allOf: Array<JsonSchema>(6).fill({ $ref: `#/$defs/${name}` }) })
  const $defs = { a: six('b'), b: six('c'), c: six('d'), d: six('e'), e: { type: 'object' } }
  const at = performance.now()
  expect(() => checker.inspect({ $defs, $ref: '#/$defs/a' })).toThrow(/too long/)
  expect(performance.now() - at).toBeLessThan(500)
})

test('a local reference and a plain pattern are taken', () => {
  const schema: JsonSchema = {
    $defs: { percent: { type: 'integer', minimum: 0, maximum: 100 } },
    properties: { level: { $ref: '#/$defs/percent' }, name: { type: 'string', pattern: '^[a-z0-9_]+$' } },
  }
  expect(checker.fault(schema, { level: 7, name: 'desk_lamp' })).toBeUndefined()
  expect(checker.fault(schema, { level: 700 })).toMatchObject({ path: '/level' })
  expect(checker.fault(schema, { name: 'a'.repeat(2000) })).toMatchObject({ path: '/name' })
})

test('any object is a schema that is used or refused, in time', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('type', 'properties', 'allOf', 'pattern', '$ref', 'enum'), fc.jsonValue()),
      (schema) => {
        try {
          checker.fault(schema, { a: 1 })
        } catch (error) {
          expect(error).toMatchObject({ code: 'tool-bad-schema' })
        }
      },
    ),
    { numRuns: 500 },
  )
})
