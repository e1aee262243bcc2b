import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import type { ToolPolicy } from '../../contract/tool-policy.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { createToolPolicies, type ToolPolicies } from './tool-policies.ts'

let dir: string
let store: Store
let policies: ToolPolicies
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-policies-'))
  store = await openStore({ dir, log: silentLog })
  await restart()
})
afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true, force: true })
})
async function restart(): Promise<void> {
  policies = await createToolPolicies({ store: store.toolPolicies, agentOf: () => 'default' })
}
const put = (scope: ToolPolicy['scope'], id: string, change: Partial<ToolPolicy> = {}) =>
  policies.put({ scope, id, mode: 'listed', allowed: [], pins: {}, ...change })

test('without a policy everything may be called, an empty list means nothing', async () => {
  expect(policies.withheld('d', 'lamp')).toBeNull()
  await put('agent', 'default')
  expect(policies.withheld('d', 'lamp')).toBe('agent')
  await put('agent', 'default', { allowed: ['lamp'] })
  expect([policies.withheld('d', 'lamp'), policies.withheld('d', 'fan')]).toEqual([null, 'agent'])
  await restart()
  expect(policies.withheld('d', 'fan')).toBe('agent')
  await policies.remove('agent', 'default')
  expect(policies.withheld('d', 'fan')).toBeNull()
})

test('a class rules its devices while it is active, and every scope must allow', async () => {
  await policies.putClass({ id: '7b', name: '7b', deviceIds: ['one'] })
  await put('class', '7b', { allowed: ['lamp', 'fan'] })
  await put('device', 'one', { allowed: ['lamp'] })
  expect(policies.withheld('one', 'fan')).toBe('device')
  expect(policies.withheld('one', 'horn')).toBe('device')
  await policies.activate('7b', true)
  expect(policies.withheld('one', 'horn')).toBe('class')
  expect(policies.withheld('one', 'lamp')).toBeNull()
  expect(policies.withheld('two', 'horn')).toBeNull()
})

test('a device is in one active class: the newer ends the older', async () => {
  await policies.putClass({ id: 'a', name: 'A', deviceIds: ['one', 'two'] })
  await policies.putClass({ id: 'b', name: 'B', deviceIds: ['two', 'three'] })
  await policies.putClass({ id: 'c', name: 'C', deviceIds: ['nine'] })
  for (const id of ['a', 'c', 'b']) await policies.activate(id, true)
  const active = () => policies.classes().flatMap((one) => (one.active ? [one.id] : []))
  expect(active()).toEqual(['b', 'c'])
  await restart()
  expect(active()).toEqual(['b', 'c'])
  await policies.putClass({ id: 'c', name: 'C', deviceIds: ['three'] })
  expect(active()).toEqual(['c'])
  await expect(policies.activate('none', true)).rejects.toMatchObject({ code: 'server-not-found' })
})

test('a class takes its policy with it', async () => {
  await policies.putClass({ id: 'a', name: 'A', deviceIds: ['one'] })
  await put('class', 'a')
  await policies.removeClass('a')
  await restart()
  expect([policies.classes(), policies.list()]).toEqual([[], []])
})

test('the narrowest pin counts', async () => {
  await put('agent', 'default', { mode: 'all', pins: { lamp: 1, fan: 2 } })
  await put('device', 'one', { mode: 'all', pins: { lamp: 3 } })
  expect([policies.pin('one', 'lamp'), policies.pin('one', 'fan'), policies.pin('two', 'lamp')]).toEqual([3, 2, 1])
  expect(policies.pin('one', 'constructor')).toBeUndefined()
})

test('an outside client without a list is the gateway’s own matter, one with a list is held to it', async () => {
  expect(policies.clientMay('c', 'lamp')).toBe(true)
  await put('client', 'c', { allowed: ['fan'] })
  expect([policies.clientMay('c', 'lamp'), policies.clientMay('c', 'fan')]).toEqual([false, true])
})
