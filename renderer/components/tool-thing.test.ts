import { expect, test } from 'vitest'
import { ThingModel } from '../../electron/contract/thing.ts'
import type { ToolContent } from '../../electron/contract/tool-registry.ts'
import { codeName, thingOfTool } from './tool-thing.ts'

const tool = (args: Record<string, unknown>): ToolContent => ({
  description: 'Sets the heater.',
  arguments: args,
  result: null,
  danger: 'physical',
  idempotent: true,
  timeoutMs: 5_000,
  speech: { target: { en: [], zh: [] }, parameters: {}, values: {}, reply: {} },
})

test('single values become parameters with their limits, in a model that the generators take', () => {
  const { model, losses } = thingOfTool(
    'set_heater',
    tool({
      type: 'object',
      required: ['temperature', 'mode'],
      properties: {
        temperature: { type: 'integer', minimum: 16, maximum: 30, multipleOf: 2 },
        mode: { enum: ['eco', 'full'] },
      },
    }),
  )

  expect(losses).toEqual([])
  expect(ThingModel.parse(model)).toEqual(model)
  expect(model.methods[0]).toMatchObject({
    name: 'set_heater',
    danger: 'physical',
    params: [
      { name: 'temperature', type: 'integer', minimum: 16, maximum: 30, step: 2 },
      { name: 'mode', type: 'string', values: ['eco', 'full'] },
    ],
  })
})

test('what the target cannot say is named and not left out in silence', () => {
  const { model, losses } = thingOfTool(
    'Lamp.set',
    tool({
      type: 'object',
      properties: {
        on: { type: 'boolean' },
        color: { oneOf: [{ type: 'string' }] },
        steps: { type: 'array' },
        level: { enum: [1, 2] },
        'On-Off': { type: 'string' },
      },
      required: ['on', 'On-Off'],
    }),
  )

  expect(ThingModel.parse(model).methods[0]?.params.map(({ name }) => name)).toEqual(['on', 'on_off'])
  expect(losses).toEqual([
    { kind: 'name', name: 'lamp_set' },
    { kind: 'nested', name: 'color' },
    { kind: 'nested', name: 'steps' },
    { kind: 'nested', name: 'level' },
    { kind: 'name', name: 'on_off' },
  ])
})

test('an optional parameter is told, names are made to fit', () => {
  const { losses } = thingOfTool('blink', tool({ properties: { times: { type: 'integer' } } }))

  expect(losses).toEqual([{ kind: 'optional', name: 'times' }])
  expect(codeName('9-Lives')).toBe('t_9_lives')
  expect(codeName('x'.repeat(60))).toHaveLength(40)
})
