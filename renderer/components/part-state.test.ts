import { expect, test } from 'vitest'
import type { ThingProperty } from '../../electron/contract/thing.ts'
import { partOf, partState, restingValues } from './part-state.ts'

const property = (over: Partial<ThingProperty> & { name: string }): ThingProperty => ({
  description: '',
  names: { en: [], zh: [] },
  type: 'integer',
  minimum: 0,
  maximum: 100,
  valueNames: {},
  access: 'read-write',
  initial: null,
  ...over,
})
const air = {
  properties: [
    property({ name: 'power', type: 'boolean' }),
    property({ name: 'temperature', minimum: 16, maximum: 30, unit: 'Cel', initial: 23 }),
    property({ name: 'mode', type: 'string', values: ['cool', 'heat'] }),
  ],
}

test('each template has a drawing, and an empty Thing is a module', () => {
  expect(['ws2812b_ring', 'air_conditioner', 'temperature-humidity', 'desk_lamp', null].map(partOf)).toEqual([
    'ring',
    'air-conditioner',
    'sensor',
    'lamp',
    'module',
  ])
})

test('an air conditioner shows its switch, its temperature and its mode', () => {
  expect(partState(air, { power: true, temperature: 23, mode: 'heat' }, 'en')).toEqual({
    on: true,
    level: 0.5,
    angle: null,
    mode: 'heat',
    color: null,
    figures: ['23 °C'],
  })
})

test('what nobody knows rests', () => {
  expect(partState(air, {}, 'en')).toMatchObject({ on: false, level: null, mode: null, figures: [] })
  expect(restingValues(air)).toEqual({ power: null, temperature: 23, mode: null })
})

test('a text that is no colour is not given to the drawing', () => {
  const ring = { properties: [property({ name: 'color', type: 'string' })] }

  expect(partState(ring, { color: '#ff8800' }, 'en').color).toBe('#ff8800')
  expect(partState(ring, { color: 'url(x)' }, 'en').color).toBeNull()
})
