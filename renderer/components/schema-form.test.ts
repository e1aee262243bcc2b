import { expect, test } from 'vitest'
import { formOf, initialValue, problemOf, fits, valueAt, withValue, type Field, type Json } from './schema-form.ts'

const schema = {
  type: 'object',
  required: ['on', 'zone'],
  properties: {
    on: { type: 'boolean', description: 'Switch' },
    brightness: { type: 'integer', minimum: 0, maximum: 100, default: 80 },
    zone: { $ref: '#/$defs/zone' },
    fade: {
      type: 'object',
      required: ['ms'],
      properties: { ms: { type: 'number' }, curve: { enum: ['linear', 'ease'] } },
    },
    colors: { type: 'array', items: { type: 'string', pattern: '^#' } },
    target: {
      oneOf: [{ type: 'string' }, { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }],
    },
    odd: { if: { type: 'string' }, then: { minLength: 3 } },
  },
  $defs: { zone: { enum: ['desk', 'door'] } },
} as const

const form = formOf(schema) as Extract<Field, { kind: 'object' }>

test('nested objects, arrays, choices and references become fields', () => {
  const kinds = Object.fromEntries(Object.entries(form.fields).map(([key, field]) => [key, field.kind]))

  expect(kinds).toEqual({
    on: 'boolean',
    brightness: 'integer',
    zone: 'enum',
    fade: 'object',
    colors: 'array',
    target: 'variant',
    odd: 'json',
  })
  expect(form.fields.brightness?.limits).toEqual({ min: 0, max: 100 })
})

test('a fresh form holds what is required and what has a default', () => {
  expect(initialValue(form)).toEqual({ on: false, brightness: 80, zone: 'desk' })
})

test('an edit changes one place and keeps keys that the form does not know', () => {
  const before = { on: true, fade: { ms: 5, secret: [1, { deep: null }] }, unknown: { a: 1 } }
  const after = withValue(before, ['fade', 'ms'], 9)

  expect(after).toEqual({ on: true, fade: { ms: 9, secret: [1, { deep: null }] }, unknown: { a: 1 } })
  expect(before.fade.ms).toBe(5)
})

test('from form to JSON to form nothing is lost', () => {
  const value = { on: true, colors: ['#fff'], target: { id: 4 }, odd: { any: ['thing'] }, extra: 1 }
  const through = withValue(JSON.parse(JSON.stringify(value)) as Json, ['colors', 1], '#000')

  expect(through).toEqual({ ...value, colors: ['#fff', '#000'] })
})

test('removing an item or an optional field leaves no hole', () => {
  expect(withValue({ colors: ['a', 'b', 'c'] }, ['colors', 1], undefined)).toEqual({ colors: ['a', 'c'] })
  expect(withValue({ on: true, brightness: 3 }, ['brightness'], undefined)).toEqual({ on: true })
})

test('the variant that is shown is the one that the value has', () => {
  const target = form.fields.target as Extract<Field, { kind: 'variant' }>

  expect(target.options.map((option) => fits(option, { id: 4 }))).toEqual([false, true])
  expect(target.options.map((option) => fits(option, 'x'))).toEqual([true, false])
})

test('limits are checked before the call is sent', () => {
  expect(problemOf(form.fields.brightness!, 120)).toBe('too-large')
  expect(problemOf(form.fields.brightness!, 1.5)).toBe('wrong-type')
  expect(problemOf(form.fields.on!, undefined)).toBe('missing')
  expect(problemOf(form.fields.zone!, 'roof')).toBe('wrong-type')
  expect(problemOf(form.fields.brightness!, 40)).toBeNull()
})

test('a reference that leads nowhere or round in circles ends in a JSON box', () => {
  const circular = formOf({
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' } },
    $defs: { a: { $ref: '#/$defs/a' } },
  })
  const remote = formOf({ type: 'object', properties: { a: { $ref: 'https://example.org/x' } } })

  for (const one of [circular, remote]) expect((one as Extract<Field, { kind: 'object' }>).fields.a?.kind).toBe('json')
})

test('keys of the prototype are no values', () => {
  expect(valueAt({}, ['constructor'])).toBeUndefined()
})
