import { expect, test } from 'vitest'
import type { ToolContent } from '../../electron/contract/tool-registry.ts'
import { modelView, namesFrom, parametersOf, speechAfter, withNames } from './tool-content.ts'
import { mergedContent, mergeParts } from './tool-merge.ts'

const base: ToolContent = {
  description: 'Turn the lamp on.',
  arguments: {
    type: 'object',
    required: ['on'],
    properties: { on: { type: 'boolean' }, level: { type: 'integer', maximum: 100 } },
    'x-kept': 1,
  },
  result: null,
  danger: 'harmless',
  idempotent: true,
  timeoutMs: 5_000,
  speech: {
    target: { en: ['lamp'], zh: ['灯'] },
    parameters: { level: { en: ['brightness'], zh: [] } },
    values: {},
    reply: {},
  },
}
const withLevel = (maximum: number): ToolContent => ({
  ...base,
  arguments: { ...base.arguments, properties: { on: { type: 'boolean' }, level: { type: 'integer', maximum } } },
})

test('what one side changed is named after that side, and what both changed waits', () => {
  const mine = { ...withLevel(80), description: 'Turn the lamp on or off.' }
  const theirs = { ...withLevel(60), danger: 'physical' as const }

  expect(mergeParts(base, mine, theirs).map(({ path, changed }) => [path, changed])).toEqual([
    ['description', 'mine'],
    ['danger', 'theirs'],
    ['arguments/level', 'both'],
  ])
})

test('two that agree have nothing to merge', () => {
  expect(mergeParts(base, withLevel(7), withLevel(7))).toEqual([])
})

test('the merged text has each chosen part and keeps the rest of the schema', () => {
  const mine = { ...withLevel(80), description: 'Mine.' }
  const theirs = { ...withLevel(60), danger: 'physical' as const }
  const merged = mergedContent(
    mine,
    theirs,
    new Map([
      ['danger', 'theirs'],
      ['arguments/level', 'theirs'],
    ]),
  )

  expect(merged).toMatchObject({
    description: 'Mine.',
    danger: 'physical',
    arguments: { required: ['on'], 'x-kept': 1 },
  })
  expect(merged.arguments.properties).toEqual({ on: { type: 'boolean' }, level: { type: 'integer', maximum: 60 } })
})

test('a parameter that they added or removed can be taken over, with its duty', () => {
  const theirs: ToolContent = {
    ...base,
    arguments: { ...base.arguments, required: ['zone'], properties: { zone: { enum: ['a'] } } },
  }
  const all = mergedContent(
    base,
    theirs,
    new Map([
      ['arguments/zone', 'theirs'],
      ['arguments/on', 'theirs'],
      ['arguments/level', 'theirs'],
    ]),
  )
  const none = mergedContent(base, theirs, new Map())

  expect(all.arguments).toMatchObject({ required: ['zone'], properties: { zone: { enum: ['a'] } } })
  expect(parametersOf(all.arguments).map((one) => one.name)).toEqual(['zone'])
  expect(parametersOf(none.arguments).map((one) => one.name)).toEqual(['on', 'level'])
})

test('a renamed parameter keeps what people call it; a removed one does not hand it on', () => {
  const renamed = { ...base.arguments, properties: { on: {}, brightness: {} } }
  const shorter = { ...base.arguments, properties: { on: {} } }

  expect(speechAfter(base.arguments, renamed, base.speech).parameters).toEqual({
    brightness: { en: ['brightness'], zh: [] },
  })
  expect(speechAfter(base.arguments, shorter, base.speech)).toBe(base.speech)
})

test('names are parted by the commas of both scripts', () => {
  expect(namesFrom('lamp, desk light，灯、台灯 ,, lamp')).toEqual(['lamp', 'desk light', '灯', '台灯'])
  expect(withNames({ a: { en: ['x'], zh: [] } }, 'a', { en: [], zh: [] })).toEqual({})
})

test('a model gets a name in letters that it takes', () => {
  expect(modelView('air.set-temp', base)).toMatchObject({
    function: { name: 'air_set-temp', parameters: base.arguments },
  })
})
