import { expect, test } from 'vitest'
import type { ToolContent } from '../../contract/tool-registry.ts'
import type { JsonSchema } from '../../contract/tool.ts'
import { diffContents } from './schema-diff.ts'

const content = (properties: Record<string, unknown>, change: Partial<ToolContent> = {}): ToolContent => ({
  description: 'Sets it',
  arguments: { type: 'object', properties, required: ['power'] },
  result: null,
  danger: 'physical',
  idempotent: true,
  timeoutMs: 5000,
  speech: { target: { en: [], zh: [] }, parameters: {}, values: {}, reply: {} },
  ...change,
})
const power = { type: 'boolean' }
const told = (before: ToolContent, after: ToolContent) =>
  diffContents(before, after).map(({ level, code, path }) => `${level} ${code} ${path}`)
const ofField = (before: JsonSchema, after: JsonSchema) =>
  told(content({ power, x: before }), content({ power, x: after }))
const at = '/arguments/properties/x'

test.each<[string, JsonSchema, JsonSchema, string[]]>([
  ['nothing', { type: 'integer' }, { type: 'integer' }, []],
  [
    'a narrower range',
    { minimum: 16, maximum: 30 },
    { minimum: 18, maximum: 28 },
    [`breaking range-narrowed ${at}/minimum`, `breaking range-narrowed ${at}/maximum`],
  ],
  ['a wider range', { maximum: 30 }, {}, [`safe range-widened ${at}/maximum`]],
  ['a new limit', { type: 'string' }, { type: 'string', maxLength: 5 }, [`breaking range-narrowed ${at}/maxLength`]],
  ['a value less', { enum: ['a', 'b'] }, { enum: ['a'] }, [`breaking value-removed ${at}/enum`]],
  ['a value more', { enum: ['a'] }, { enum: ['a', 'b'] }, [`safe value-added ${at}/enum`]],
  ['a value exchanged', { enum: ['a'] }, { enum: ['b'] }, [`breaking value-removed ${at}/enum`]],
  ['another constant', { const: 1 }, { const: 2 }, [`breaking value-removed ${at}/const`]],
  ['another type', { type: 'integer' }, { type: 'string' }, [`breaking type-changed ${at}/type`]],
  ['any number in place of whole ones', { type: 'integer' }, { type: 'number' }, [`safe type-widened ${at}/type`]],
  ['whole numbers in place of any', { type: 'number' }, { type: 'integer' }, [`breaking type-changed ${at}/type`]],
  ['one type more', { type: 'string' }, { type: ['null', 'string'] }, [`safe type-widened ${at}/type`]],
  ['another unit', { unit: 'Cel' }, { unit: '[degF]' }, [`breaking unit-changed ${at}/unit`]],
  ['a unit at last', {}, { unit: 'Cel' }, [`risky unit-changed ${at}/unit`]],
  ['another default', { default: 1 }, { default: 2 }, [`risky default-changed ${at}/default`]],
  ['other words', { description: 'a' }, { description: 'b' }, [`safe text-changed ${at}/description`]],
  ['a pattern', {}, { pattern: '^a$' }, [`risky rule-changed ${at}/pattern`]],
  [
    'a choice of schemas',
    { oneOf: [{ type: 'string' }] },
    { oneOf: [{ type: 'integer' }] },
    [`risky rule-changed ${at}/oneOf`],
  ],
  [
    'inner items',
    { items: { maximum: 3 } },
    { items: { maximum: 2 } },
    [`breaking range-narrowed ${at}/items/maximum`],
  ],
])('%s', (_, ...[before, after, expected]) => {
  expect(ofField(before, after)).toEqual(expected)
})

test('fields that come, go, become required and close', () => {
  const before = content({ power, old: {}, free: {} })
  const after = content({ power, 'new/er': {}, free: {}, must: {} })
  after.arguments = { ...after.arguments, required: ['must', 'free'], additionalProperties: false }
  expect(told(before, after)).toEqual([
    'breaking property-removed /arguments/properties/old',
    'breaking made-required /arguments/properties/free',
    'breaking required-property-added /arguments/properties/must',
    'risky extras-refused /arguments/additionalProperties',
    'safe made-optional /arguments/properties/power',
    'safe property-added /arguments/properties/new~1er',
  ])
})

test('danger, time, repetition, words and speech', () => {
  const after = content({ power }, { danger: 'destructive', timeoutMs: 9000, idempotent: false, description: 'x' })
  after.speech = { ...after.speech, target: { en: ['fan'], zh: [] } }
  expect(told(content({ power }), after)).toEqual([
    'breaking danger-raised /danger',
    'risky idempotence-lost /idempotent',
    'safe timeout-changed /timeoutMs',
    'safe description-changed /description',
    'safe speech-changed /speech',
  ])
  expect(told(after, content({ power }))).toContain('risky danger-lowered /danger')
  expect(told(after, content({ power }))).toContain('risky timeout-changed /timeoutMs')
})

test('an answer that narrows or widens is risky, one that loses a field breaks', () => {
  const result = (celsius: JsonSchema | undefined) =>
    content({ power }, { result: { type: 'object', properties: celsius ? { celsius } : {} } })
  expect(told(result({ maximum: 9 }), result({ maximum: 5 }))).toEqual([
    'risky range-narrowed /result/properties/celsius/maximum',
  ])
  expect(told(result({ maximum: 5 }), result({ maximum: 9 }))).toEqual([
    'risky range-widened /result/properties/celsius/maximum',
  ])
  expect(told(result({}), result(undefined))).toEqual(['breaking property-removed /result/properties/celsius'])
  expect(told(content({ power }), result({}))).toEqual(['risky result-added /result'])
  expect(told(result({}), content({ power }))).toEqual(['breaking result-removed /result'])
})
