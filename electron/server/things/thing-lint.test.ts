import { expect, test } from 'vitest'
import { ThingModel } from '../../contract/thing.ts'
import { boardProfiles } from './boards.ts'
import { thingTemplates } from './templates.ts'
import { thingProblems } from './thing-lint.ts'

const model = (parts: Record<string, unknown>) =>
  ThingModel.parse({ title: { en: 'A', zh: '甲' }, properties: [], methods: [], events: [], ...parts })
const codes = (parts: Record<string, unknown>) =>
  thingProblems(model(parts))
    .filter(({ severity }) => severity !== 'hint')
    .map(({ severity, code, path }) => `${severity} ${code} ${path}`)
const property = (more: Record<string, unknown>) => ({
  name: 'a',
  type: 'integer',
  minimum: 0,
  maximum: 9,
  access: 'read-write',
  ...more,
})

test('no drawn part has a problem but what its maker still has to choose', () => {
  expect(thingTemplates.map(({ id }) => id).sort()).toEqual([
    'air_conditioner', 'climate_sensor', 'curtain', 'fan', 'lamp', 'led_ring', 'pump', 'relay', 'servo', 'speaker',
  ]) // prettier-ignore
  expect(
    thingTemplates.flatMap(({ id, model: drawn }) =>
      thingProblems(drawn).map(({ code, path }) => `${id} ${code} ${path}`),
    ),
  ).toEqual([])
})

test.each([
  [{}, 'error no-members '],
  [{ properties: [property({ minimum: 5, maximum: 3 })] }, 'error range-empty properties/a'],
  [{ properties: [property({ minimum: undefined })] }, 'warning no-range properties/a'],
  [{ properties: [property({ step: 0.5 })] }, 'error range-not-whole properties/a'],
  [{ properties: [property({ minimum: 1, step: 2 })] }, 'warning step-misses-minimum properties/a/step'],
  [{ properties: [property({ initial: 10 })] }, 'error initial-outside properties/a/initial'],
  [{ properties: [property({}), property({})] }, 'error name-twice a'],
  [
    { properties: [property({ type: 'string', minimum: 1, maximum: undefined })] },
    'error range-not-number properties/a',
  ],
  [
    { properties: [{ name: 'a', type: 'string', values: [], access: 'write' }] },
    'error values-empty properties/a/values',
  ],
  [{ properties: [property({})], methods: [{ name: 'set_a', params: [] }] }, 'error name-twice set_a'],
  [{ methods: [{ name: 'm', params: [], sets: { b: { value: 1 } } }] }, 'error sets-unknown methods/m/sets/b'],
  [
    { properties: [property({})], methods: [{ name: 'm', params: [], sets: { a: { value: 10 } } }] },
    'error sets-misfit methods/m/sets/a',
  ],
  [
    { properties: [property({ names: { en: ['x'], zh: [] } }), property({ name: 'b', names: { en: ['X'], zh: [] } })] },
    'warning speech-name-twice b/names/en',
  ],
] as const)('%j has %s', (parts, expected) => {
  expect(codes(parts)).toContain(expected)
})

test('an announcement may only fill what its event brings', () => {
  const event = { name: 'hot', params: [], announce: { en: '{celsius} degrees', zh: '热' } }
  expect(codes({ methods: [{ name: 'm', params: [] }], events: [event] })).toEqual([
    'error announce-unknown events/hot/announce',
  ])
})

test('a pin that the board uses is an error, a shared one a warning, a free one nothing', () => {
  const wired = (board: string, ...gpios: number[]) => ({
    methods: [{ name: 'm', params: [] }],
    wiring: { board, pins: gpios.map((gpio, at) => ({ role: `r${at}`, gpio })) },
  })
  expect(codes(wired('bread-compact-wifi', 4, 3, 1, 1, 30, 36))).toEqual([
    'error pin-taken wiring/pins/0',
    'warning pin-shared wiring/pins/1',
    'error pin-twice wiring/pins/3',
    'error pin-taken wiring/pins/4',
    'error pin-taken wiring/pins/5',
  ])
  expect(codes(wired('toaster', 4))).toEqual(['warning board-unknown wiring/board'])
})

test('each board keeps its flash, its USB and what the chip does not have', () => {
  for (const { id, pins } of boardProfiles) {
    const taken = pins.filter((pin) => pin.taken).map(({ gpio }) => gpio)
    expect(taken, id).toEqual(expect.arrayContaining([19, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32]))
    expect(new Set(pins.map(({ gpio }) => gpio)).size, id).toBe(pins.length)
  }
})
