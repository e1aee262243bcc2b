import { expect, test } from 'vitest'
import type { ThingModel } from '../../electron/contract/thing.ts'
import {
  addMember,
  duplicateMember,
  freeName,
  moved,
  moveMember,
  problemsOf,
  putMember,
  removeMember,
  retyped,
  toggleHidden,
  withPart,
} from './thing-model.ts'

const empty: ThingModel = {
  title: { en: 'Lamp', zh: '灯' },
  description: '',
  names: { en: [], zh: [] },
  template: null,
  properties: [],
  methods: [],
  events: [],
  wiring: null,
  hidden: [],
}
const names = (model: ThingModel) => model.properties.map(({ name }) => name)

function lamp(): ThingModel {
  const two = addMember(addMember(empty, 'properties'), 'properties')
  const on = putMember(two, { kind: 'properties', index: 0 }, { ...two.properties[0]!, name: 'on' })
  const level = retyped({ ...on.properties[1]!, name: 'level' }, 'integer')
  const both = putMember(on, { kind: 'properties', index: 1 }, level)
  const withMethod = addMember(both, 'methods')
  return putMember(
    withMethod,
    { kind: 'methods', index: 0 },
    { ...withMethod.methods[0]!, name: 'dim', sets: { level: { value: 10 } } },
  )
}

test('a free name has the right form whatever it is made from', () => {
  expect(freeName('Fan Speed!', [])).toBe('fan_speed')
  expect(freeName('灯', [])).toBe('item')
  expect(freeName('on', ['on', 'on_2'])).toBe('on_3')
})

test('a new member never has the name of another', () => {
  expect(names(addMember(addMember(empty, 'properties'), 'properties'))).toEqual(['property', 'property_2'])
})

test('a renamed property keeps its switches and what methods set', () => {
  const before = toggleHidden(lamp(), 'set:level')
  const after = putMember(before, { kind: 'properties', index: 1 }, { ...before.properties[1]!, name: 'brightness' })

  expect(after.hidden).toEqual(['set:brightness'])
  expect(after.methods[0]?.sets).toEqual({ brightness: { value: 10 } })
})

test('a removed property leaves no trace in switches and methods', () => {
  const after = removeMember(toggleHidden(lamp(), 'get:level'), { kind: 'properties', index: 1 })

  expect(names(after)).toEqual(['on'])
  expect(after.hidden).toEqual([])
  expect(after.methods[0]?.sets).toEqual({})
})

test('a move outside of the list changes nothing', () => {
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
  expect(moved(['a', 'b'], 1, 2)).toEqual(['a', 'b'])
  expect(names(moveMember(lamp(), 'properties', { from: 0, to: 1 }))).toEqual(['level', 'on'])
})

test('a copy stands beside its source under a name of its own', () => {
  expect(names(duplicateMember(lamp(), { kind: 'properties', index: 0 }))).toEqual(['on', 'on_2', 'level'])
})

test('another type drops what it cannot keep', () => {
  const level = { ...lamp().properties[1]!, unit: '%', initial: 40 }

  expect(retyped(level, 'boolean')).toEqual({ ...lamp().properties[0], name: 'level', initial: null })
  expect(retyped(level, 'number')).toMatchObject({ type: 'number', minimum: 0, maximum: 100, unit: '%', initial: null })
})

test('a part that is taken away leaves no key behind', () => {
  expect(Object.keys(withPart({ minimum: 1, maximum: 2 }, 'minimum', undefined))).toEqual(['maximum'])
})

test('names, ranges and lists that cannot be saved are named by their path', () => {
  const model = lamp()
  const [on, level] = model.properties
  const broken: ThingModel = {
    ...model,
    title: { en: ' ', zh: '' },
    properties: [
      { ...on!, name: 'On' },
      { ...level!, minimum: 9, maximum: 1 },
      { ...retyped(on!, 'string'), name: 'dim', values: [] },
    ],
    events: [{ name: 'hot', description: '', names: { en: [], zh: [] }, announce: null, params: [] }],
  }

  expect(problemsOf(model).size).toBe(0)
  expect(Object.fromEntries(problemsOf(broken))).toEqual({
    title: 'title',
    'properties/0/name': 'name-form',
    'properties/1/range': 'range',
    'properties/2/name': 'name-taken',
    'properties/2/values': 'empty-list',
    'methods/0/name': 'name-taken',
  })
})
