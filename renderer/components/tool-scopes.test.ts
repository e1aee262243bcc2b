import { expect, test } from 'vitest'
import type { ToolPolicy } from '../../electron/contract/tool-policy.ts'
import { allowedCount, samePolicy, scopesOf } from './tool-scopes.ts'

const listed: ToolPolicy = { scope: 'class', id: 'c1', mode: 'listed', allowed: ['a', 'b'], pins: { a: 2 } }

test('the agent of the house is listed even without a policy, and a device only with one', () => {
  const scopes = scopesOf(
    [listed, { ...listed, scope: 'device', id: 'gone' }],
    [
      { id: 'c1', name: '3B', deviceIds: [], active: true },
      { id: 'c2', name: '4A', deviceIds: [], active: false },
    ],
    [],
  )

  expect(scopes.agent.map((one) => [one.id, one.policy.mode, one.stored])).toEqual([['default', 'all', false]])
  expect(scopes.class.map((one) => [one.name, one.stored])).toEqual([
    ['3B', true],
    ['4A', false],
  ])
  expect(scopes.device.map((one) => one.name)).toEqual(['gone'])
})

test('an empty list allows nothing, and names that no tool has do not count', () => {
  expect(allowedCount({ ...listed, allowed: [] }, ['a', 'b', 'c'])).toBe(0)
  expect(allowedCount(listed, ['a', 'c'])).toBe(1)
  expect(allowedCount({ ...listed, mode: 'all' }, ['a', 'c'])).toBe(2)
})

test('the order of a list is no difference', () => {
  expect(samePolicy(listed, { ...listed, allowed: ['b', 'a'] })).toBe(true)
  expect(samePolicy(listed, { ...listed, pins: {} })).toBe(false)
})
