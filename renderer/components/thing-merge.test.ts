import { expect, test } from 'vitest'
import type { ThingModel, ThingProperty } from '../../electron/contract/thing.ts'
import { merged, mergeParts } from './thing-merge.ts'

const property = (name: string, maximum: number): ThingProperty => ({
  name,
  description: '',
  names: { en: [], zh: [] },
  type: 'integer',
  minimum: 0,
  maximum,
  valueNames: {},
  access: 'read-write',
  initial: null,
})
const modelOf = (properties: ThingProperty[], description = ''): ThingModel => ({
  title: { en: 'Fan', zh: '风扇' },
  description,
  names: { en: [], zh: [] },
  template: null,
  properties,
  methods: [],
  events: [],
  wiring: null,
  hidden: [],
})
const base = modelOf([property('speed', 5), property('angle', 90)])

test('changes in different places join without a question', () => {
  const mine = modelOf([property('speed', 3), property('angle', 90)])
  const theirs = modelOf([property('speed', 5), property('angle', 180)], 'A fan.')
  const parts = mergeParts(base, mine, theirs)

  expect(parts.map(({ path, state }) => `${path} ${state}`)).toEqual([
    'description theirs',
    'properties/speed mine',
    'properties/angle theirs',
  ])
  expect(merged(theirs, parts, {})).toEqual(modelOf([property('speed', 3), property('angle', 180)], 'A fan.'))
})

test('a place that both changed waits for a choice, and mine is kept without one', () => {
  const mine = modelOf([property('speed', 3), property('angle', 90)])
  const theirs = modelOf([property('speed', 9), property('angle', 90)])
  const parts = mergeParts(base, mine, theirs)

  expect(parts).toMatchObject([{ path: 'properties/speed', state: 'both' }])
  expect(merged(theirs, parts, {})).toEqual(mine)
  expect(merged(theirs, parts, { 'properties/speed': 'theirs' })).toEqual(theirs)
})

test('members that one side added or removed are added and removed', () => {
  const mine = modelOf([property('speed', 5), property('angle', 90), property('timer', 60)])
  const theirs = modelOf([property('speed', 5)])
  const parts = mergeParts(base, mine, theirs)

  expect(merged(theirs, parts, {})).toEqual(modelOf([property('speed', 5), property('timer', 60)]))
})

test('the same change on both sides is no conflict', () => {
  const both = modelOf([property('speed', 3), property('angle', 90)])

  expect(mergeParts(base, both, structuredClone(both))).toEqual([])
})
