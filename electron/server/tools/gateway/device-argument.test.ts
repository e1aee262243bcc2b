import { expect, test } from 'vitest'
import { createSchemaChecker } from '../json-schema.ts'
import { chosenDevice, deviceArgument, deviceLabels, withDevice } from './device-argument.ts'

const lamp = { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'], additionalProperties: false }

test('devices are named by people, with the id where two are called alike', () => {
  const labels = deviceLabels([
    { id: 'a1', name: 'Lamp' },
    { id: 'b2', name: 'Lamp' },
    { id: 'c3', name: '厨房' },
  ])
  expect([...labels.values()]).toEqual(['Lamp (a1)', 'Lamp (b2)', '厨房'])
  expect(
    ['Lamp (b2)', 'b2', 'lamp (B2)', '厨房', 'Lamp', undefined, 7].map((asked) => chosenDevice(asked, labels)),
  ).toEqual(['b2', 'b2', 'b2', 'c3', undefined, undefined, undefined])
})

test('the argument is required among several devices and may be left out with one', () => {
  const checker = createSchemaChecker()
  const many = withDevice(lamp, ['Kitchen', 'Hall'])
  expect(checker.fault(many, { on: true })?.message).toContain('device')
  expect(checker.fault(many, { on: true, device: 'Hall' })).toBeUndefined()
  expect(checker.fault(many, { on: true, device: 'Attic' })).toBeDefined()
  const one = withDevice(lamp, ['Hall'])
  expect(checker.fault(one, { on: true })).toBeUndefined()
  expect(chosenDevice(undefined, new Map([['h', 'Hall']]))).toBe('h')
})

test('a tool that has a device of its own keeps it', () => {
  const own = { type: 'object', properties: { device: { type: 'integer' } }, maxProperties: 1 }
  expect(deviceArgument(own)).toBe('on_device')
  expect(withDevice(own, ['A'])).toMatchObject({
    properties: { device: { type: 'integer' }, on_device: { enum: ['A'] } },
    maxProperties: 2,
  })
})
