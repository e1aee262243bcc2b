import { expect, test } from 'vitest'
import en from '../../../renderer/locales/en.json' with { type: 'json' }
import { bornTools } from '../../contract/born-tools.ts'
import type { ToolContent } from '../../contract/tool-registry.ts'
import type { JsonSchema } from '../../contract/tool.ts'
import { createSchemaChecker } from './json-schema.ts'
import { lintTool } from './tool-lints.ts'

const clean: ToolContent = {
  description: 'Sets the speed of the desk fan in percent.',
  arguments: {
    type: 'object',
    properties: { speed: { type: 'integer', minimum: 0, maximum: 100, default: 50, description: 'Percent' } },
    required: ['speed'],
  },
  result: null,
  danger: 'harmless',
  idempotent: true,
  timeoutMs: 5000,
  speech: { target: { en: ['desk fan'], zh: ['桌扇'] }, parameters: {}, values: {}, reply: {} },
}
const checker = createSchemaChecker()
const lints = (change: Partial<ToolContent> = {}, name = 'desk_fan', allTokens = 0) =>
  lintTool({ ...clean, ...change }, { name, checker, others: bornTools, allTokens })
const codes = (...given: Parameters<typeof lints>) => lints(...given).map(({ severity, code }) => `${severity} ${code}`)
const field = (x: JsonSchema, more: JsonSchema = {}): Partial<ToolContent> => ({
  arguments: { type: 'object', properties: { x: { description: 'X', type: 'integer', ...x } }, ...more },
})

test('a good tool has nothing to say', () => {
  expect(lints()).toEqual([])
})

test.each<[string, Partial<ToolContent>, string]>([
  ['no description', { description: ' ' }, 'error description-missing'],
  ['a short one', { description: 'Sets it.' }, 'hint description-short'],
  ['a long one', { description: 'word '.repeat(200) }, 'warning description-long'],
  ['a schema that is none', field({ type: 'nothing' }), 'error schema-unusable'],
  ['arguments that are no object', { arguments: { type: 'string' } }, 'error arguments-no-object'],
  ['a range without a value', field({ minimum: 5, maximum: 3 }), 'error range-empty'],
  ['a default outside its range', field({ maximum: 3, default: 7 }), 'error default-wrong'],
  ['an example outside its range', field({ maximum: 3, examples: [1, 7] }), 'warning example-wrong'],
  ['a required field that is not there', field({}, { required: ['y'] }), 'error required-unknown'],
  ['a required field without a default', field({}, { required: ['x'] }), 'hint required-no-default'],
  ['no type', field({ type: undefined }), 'warning property-untyped'],
  ['no words', field({ description: undefined }), 'hint property-undescribed'],
  ['what some models do not take', field({ oneOf: [{ type: 'integer' }] }), 'hint model-dialect'],
  [
    'a dangerous word under a mild class',
    { description: 'Unlocks and then opens the front door.', danger: 'read' },
    'warning danger-low',
  ],
  ['a long wait', { timeoutMs: 45_000 }, 'hint timeout-long'],
  ['a call that must not be repeated', { idempotent: false }, 'hint not-idempotent'],
  ['no Chinese name', { speech: { ...clean.speech, target: { en: ['desk fan'], zh: [] } } }, 'hint speech-missing'],
])('%s', (_, change, expected) => {
  // A key that is undefined is one that is missing, as after the wire.
  expect(codes(JSON.parse(JSON.stringify(change)) as Partial<ToolContent>)).toContain(expected)
})

test('names, likeness, shared words and weight', () => {
  expect(codes({}, 'set')).toContain('warning name-vague')
  expect(lints({}, 'self.fan')).toMatchObject([{ code: 'name-for-models', detail: { seen: 'self_fan' } }])
  const lamp = bornTools[0]!
  const twin = { description: lamp.description, arguments: lamp.arguments, speech: lamp.speech }
  expect(codes(twin, 'set_lamp_two')).toEqual(expect.arrayContaining(['warning similar-tool', 'warning speech-taken']))
  expect(codes(twin, 'set_lamp')).not.toContain('warning similar-tool')
  const many = Object.fromEntries(
    Array.from({ length: 25 }, (_, i) => [`p${i}`, { type: 'string', description: 'long words here, many of them' }]),
  )
  const heavy = codes({ arguments: { type: 'object', properties: many } }, 'desk_fan', 9000)
  expect(heavy).toEqual(
    expect.arrayContaining(['warning properties-many', 'warning tokens-tool', 'warning tokens-all']),
  )
})

test('every finding that these tests meet has its sentence', () => {
  const met = [...codes({ description: '' }), ...codes(field({}, { required: ['x', 'y'] }), 'run')]
  for (const found of met) expect(Object.keys(en.toolLint)).toContain(found.split(' ')[1])
})
