import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyCall, carryState, initialState, thingMembers, valueFault, valueFromText } from './thing-engine.ts'
import { ThingModel } from './thing.ts'

const heater = ThingModel.parse({
  title: { en: 'Heater', zh: '加热器' },
  properties: [
    { name: 'power', type: 'boolean', access: 'read-write' },
    { name: 'level', type: 'number', minimum: 0.5, maximum: 3, step: 0.1, access: 'read-write', initial: 1 },
    { name: 'mode', type: 'string', values: ['low', 'high'], access: 'write' },
    { name: 'celsius', type: 'number', access: 'read' },
  ],
  methods: [
    {
      name: 'boost',
      params: [{ name: 'minutes', type: 'integer', minimum: 1, maximum: 60 }],
      sets: { power: { value: true }, level: { value: 3 } },
    },
    { name: 'warm_to', params: [{ name: 'target', type: 'number' }], sets: { celsius: { param: 'target' } } },
  ],
  events: [],
})
const play = (member: string, args: Record<string, unknown> = {}, state = initialState(heater)) =>
  applyCall(heater, state, { member, arguments: args })

test('members follow access, and their tools are named after them', () => {
  expect(thingMembers(heater).map(({ key, tool }) => `${key} ${tool}`)).toEqual([
    'set:power set_power',
    'get:power get_power',
    'set:level set_level',
    'get:level get_level',
    'set:mode set_mode',
    'get:celsius get_celsius',
    'call:boost boost',
    'call:warm_to warm_to',
  ])
})

test('a Thing starts with what its model says, and knows nothing of what was never measured', () => {
  expect(initialState(heater)).toEqual({ power: false, level: 1, mode: 'low', celsius: null })
})

test('a set tells what changed, and the same value again changes nothing', () => {
  const first = play('set:power', { power: true })
  expect(first).toMatchObject({ result: { status: 'ok' }, changed: ['power'], error: null })
  expect(play('set:power', { power: true }, first.state)).toMatchObject({ result: { status: 'ok' }, changed: [] })
})

test('a get answers with the value, and says so where there is none', () => {
  expect(play('get:level').result).toEqual({ value: 1 })
  expect(play('get:celsius').error).toMatchObject({ code: 'no-value' })
})

test('a method sets fixed values and what its parameters bring', () => {
  expect(play('call:boost', { minutes: 5 })).toMatchObject({
    changed: ['power', 'level'],
    state: { power: true, level: 3 },
  })
  expect(play('call:warm_to', { target: 21.5 })).toMatchObject({ state: { celsius: 21.5 } })
})

test.each([
  ['set:nothing', {}, 'unknown-member'],
  ['get:mode', {}, 'unknown-member'],
  ['set:celsius', { celsius: 1 }, 'unknown-member'],
  ['set:power', {}, 'missing-argument'],
  ['set:power', { power: 'true' }, 'bad-argument'],
  ['set:level', { level: 3.1 }, 'bad-argument'],
  ['set:level', { level: 0.4 }, 'bad-argument'],
  ['set:level', { level: 1.25 }, 'bad-argument'],
  ['set:level', { level: Number.NaN }, 'bad-argument'],
  ['set:mode', { mode: 'medium' }, 'bad-argument'],
  ['call:boost', { minutes: 1.5 }, 'bad-argument'],
] as const)('%s with %j is refused as %s and changes nothing', (member, args, code) => {
  const before = initialState(heater)
  const step = play(member, args, before)
  expect(step).toMatchObject({ result: null, changed: [], error: { code } })
  expect(step.state).toBe(before)
})

test('a value of any kind either fits or has a reason, and a text becomes a value that fits', () => {
  fc.assert(
    fc.property(fc.anything(), fc.constantFrom(...heater.properties), (value, property) => {
      const fault = valueFault(property, value)
      expect(fault === undefined || fault.startsWith('must be')).toBe(true)
      const read = valueFromText(property, JSON.stringify([value]).slice(1, -1))
      if (read !== undefined) expect(valueFault(property, read)).toBeUndefined()
    }),
  )
  expect(valueFromText({ type: 'integer', minimum: 16, maximum: 30 }, '22')).toBe(22)
  expect(valueFromText({ type: 'integer', minimum: 16, maximum: 30 }, '99')).toBeUndefined()
  expect(valueFromText({ type: 'boolean' }, 'true')).toBe(true)
})

test('an edited model keeps what still fits', () => {
  const narrow = { properties: heater.properties.map((p) => (p.name === 'level' ? { ...p, maximum: 2 } : p)) }
  expect(carryState(narrow, { power: true, level: 3, mode: 'high', gone: 1 })).toEqual({
    power: true,
    level: 1,
    mode: 'high',
    celsius: null,
  })
})
