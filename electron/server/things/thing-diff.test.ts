import { expect, test } from 'vitest'
import { ThingModel } from '../../contract/thing.ts'
import { thingDiff } from './thing-diff.ts'

const model = (change: Record<string, unknown> = {}, more: Record<string, unknown> = {}) =>
  ThingModel.parse({
    title: { en: 'Heater', zh: '加热器' },
    properties: [
      { name: 'power', type: 'boolean', access: 'read-write' },
      {
        name: 'level',
        type: 'integer',
        minimum: 16,
        maximum: 30,
        step: 2,
        unit: 'Cel',
        access: 'read-write',
        ...change,
      },
    ],
    methods: [{ name: 'boost', params: [], danger: 'physical' }],
    events: [],
    ...more,
  })
const changes = (after: ThingModel, before: ThingModel | null = model()) =>
  thingDiff(before, after).map(({ level, code, path }) => `${level} ${code} ${path}`)

test('nothing changed is no change', () => {
  expect(changes(model())).toEqual([])
})

test('a narrowed range is breaking, a widened one safe', () => {
  expect(changes(model({ minimum: 18, maximum: 28 }))).toEqual([
    'breaking range-narrowed properties/level/minimum',
    'breaking range-narrowed properties/level/maximum',
  ])
  expect(changes(model({ minimum: undefined, maximum: 32 }))).toEqual([
    'safe range-widened properties/level/minimum',
    'safe range-widened properties/level/maximum',
  ])
})

test.each([
  [{ type: 'boolean' }, 'breaking type-changed properties/level/type'],
  [{ type: 'number' }, 'risky type-widened properties/level/type'],
  [{ access: 'read' }, 'breaking access-narrowed properties/level/access'],
  [{ step: 1 }, 'safe step-finer properties/level/step'],
  [{ step: 4 }, 'breaking step-coarser properties/level/step'],
  [{ step: undefined }, 'safe step-finer properties/level/step'],
  [{ unit: 'K' }, 'breaking unit-changed properties/level/unit'],
  [{ description: 'Warmth' }, 'safe description-changed properties/level/description'],
  [{ names: { en: ['warmth'], zh: [] } }, 'risky names-changed properties/level/names'],
  [{ initial: 20 }, 'safe initial-changed properties/level/initial'],
])('%j is "%s"', (change, said) => {
  expect(changes(model(change))).toEqual([said])
})

test('members that go or come, parameters, danger, lists, exposure and the whole are told', () => {
  const list = (values: string[]) =>
    model({}, { properties: [{ name: 'mode', type: 'string', values, access: 'write' }] })
  expect(changes(list(['a']), list(['a', 'b']))).toEqual(['breaking values-removed properties/mode/values'])
  expect(changes(list(['a', 'b']), list(['a']))).toEqual(['safe values-added properties/mode/values'])
  const boost = (more: Record<string, unknown>) => model({}, { methods: [{ name: 'boost', params: [], ...more }] })
  expect(changes(boost({ danger: 'destructive' }))).toEqual(['breaking danger-raised methods/boost/danger'])
  expect(changes(boost({ params: [{ name: 'n', type: 'integer' }] }))).toEqual([
    'breaking parameter-added methods/boost/params/n',
  ])
  expect(changes(boost({ sets: { power: { value: true } } }))).toEqual(['risky effect-changed methods/boost/sets'])
  expect(changes(model({}, { methods: [] }))).toEqual(['breaking member-removed methods/boost'])
  expect(changes(model({}, { hidden: ['get:level'] }))).toEqual(['breaking tool-hidden hidden/get:level'])
  expect(changes(model({}, { title: { en: 'Stove', zh: '加热器' } }))).toEqual(['risky title-changed title'])
  expect(changes(model(), null)).toHaveLength(3)
  const turned = model()
  expect(changes({ ...turned, properties: [...turned.properties].reverse() })).toEqual([
    'risky order-changed properties',
  ])
})
