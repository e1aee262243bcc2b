import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import { ThingModel, type ThingVersion } from '../../contract/thing.ts'
import { openStore } from './open-store.ts'
import type { Store } from './store.ts'
import { keptValues } from './thing-store.ts'

let dir: string
let store: Store
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-things-'))
  store = await openStore({ dir, log: silentLog })
})
afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

const model = ThingModel.parse({ title: { en: 'Lamp', zh: '灯' }, properties: [], methods: [], events: [] })
const version = (number: number): ThingVersion => ({
  name: 'lamp',
  version: number,
  model,
  author: 'ada',
  note: '',
  basedOn: null,
  publishedAt: number,
  canary: ['b1'],
  tools: {},
})
const draft = { id: 'd1', name: 'lamp', author: 'ada', basedOn: null, revision: 1, model, updatedAt: 1 }
const binding = { id: 'x', thing: 'lamp', deviceId: 'b1', home: 'simulated', pin: null, draftId: null } as const

test('a version takes its draft with it, and its number is given once', async () => {
  await store.things.putDraft(draft)
  await store.things.addVersion(version(1), 'd1')
  expect(await store.things.drafts()).toEqual([])
  await expect(store.things.addVersion(version(1), null)).rejects.toMatchObject({ code: 'thing-publish-conflict' })
  await store.things.setCanary(version(1), [])
  expect(await store.things.versions()).toEqual([{ ...version(1), canary: [] }])
})

test('a Thing goes with its versions, drafts and bindings', async () => {
  await store.things.putDraft(draft)
  await store.things.addVersion(version(1), null)
  await store.things.putBinding(binding)
  expect(await store.things.bindings()).toEqual([binding])
  await store.things.removeThing('lamp')
  expect([await store.things.versions(), await store.things.drafts(), await store.things.bindings()]).toEqual([
    [],
    [],
    [],
  ])
})

test('values come oldest first, the newest of each property are found, and the oldest beyond the limit go', async () => {
  const many = Array.from({ length: keptValues + 5 }, (_, at) => ({ property: 'level', at, value: at }))
  await store.things.addValues('x', [...many, { property: 'power', at: 3, value: true }])
  expect(await store.things.values({ bindingId: 'x', property: 'level', limit: 2 })).toEqual(
    many.slice(-2).map(({ at, value }) => ({ at, value })),
  )
  expect(await store.things.latest('x')).toEqual(
    expect.arrayContaining([many.at(-1), { property: 'power', at: 3, value: true }]),
  )
  await store.things.trimValues('x', 'level')
  const kept = await store.things.values({ bindingId: 'x', property: 'level', limit: 5000 })
  expect([kept.length, kept[0]?.at]).toEqual([keptValues, 5])
  await store.things.removeBinding('x')
  expect(await store.things.latest('x')).toEqual([])
})
