import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { AppError } from '../../base/app-error.ts'
import { silentLog } from '../../base/log.ts'
import type { ToolVersion } from '../../contract/tool.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { createManualClock, type ManualClock } from '../../../test/support/manual-clock.ts'
import { openThingBook, type ThingBook } from './thing-book.ts'
import type { ThingToolShelf } from './thing-tool-names.ts'

let dir: string
let store: Store
let clock: ManualClock
let book: ThingBook
let adopted: ToolVersion[]
let canaries: string[]

/** A registry in memory; `set_volume` belongs to the product. */
const tools: ThingToolShelf = {
  async adopt(content, { name }) {
    if (name === 'set_volume') throw new AppError('tool-name-taken', `${name} is taken`)
    const known = adopted.filter((tool) => tool.name === name)
    const same = known.findLast((tool) => JSON.stringify(tool.arguments) === JSON.stringify(content.arguments))
    if (same) return same
    const version = known.length + 1
    const made: ToolVersion = { ...content, name, version, status: 'published', createdAt: 0, origin: 'thing' }
    adopted.push(made)
    return made
  },
  async setCanary({ name, version }, devices) {
    canaries.push(`${name}@${version} ${devices.length === 0 ? 'all' : devices.join()}`)
  },
  isTaken: (name) => name === 'set_volume',
  version: ({ name, version }) => adopted.find((tool) => tool.name === name && tool.version === version),
}
async function reopen(): Promise<void> {
  let id = 0
  book = await openThingBook({ store: store.things, tools, clock, newId: () => `id${(id += 1)}` })
}
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-book-'))
  store = await openStore({ dir, log: silentLog })
}, 60_000)
afterAll(async () => {
  await store.close()
  await rm(dir, { recursive: true, force: true })
})
beforeEach(async () => {
  clock = createManualClock()
  adopted = []
  canaries = []
  await reopen()
})
afterEach(async () => {
  book.close()
  for (const { id } of await store.things.bindings()) await store.things.removeBinding(id)
  const named = [...(await store.things.versions()), ...(await store.things.drafts())]
  for (const name of new Set(named.map((row) => row.name))) await store.things.removeThing(name)
})

const open = (name: string, template?: string, author = 'ada') => book.openDraft({ name, author, template })
const publish = (draftId: string, basedOn: number | null, canary: string[] = []) =>
  book.publish({ draftId, author: 'ada', basedOn, note: 'first', canary })
const narrowed = (draft: Awaited<ReturnType<typeof open>>) => ({
  ...draft.model,
  properties: draft.model.properties.map((p) => (p.name === 'temperature' ? { ...p, minimum: 18, maximum: 28 } : p)),
})

test('a Thing is drawn from a part, published, narrowed, tried on one board, given to all and rolled back', async () => {
  const first = await publish((await open('air', 'air_conditioner')).id, null)
  expect(first).toMatchObject({ version: 1, tools: { 'set:temperature': 'set_temperature@1', 'get:eco': 'get_eco@1' } })
  const draft = await open('air')
  await book.saveDraft({ id: draft.id, revision: draft.revision, model: narrowed(draft) })
  expect(book.review(draft.id)).toMatchObject({
    changes: [
      { level: 'breaking', path: 'properties/temperature/minimum', before: 16, after: 18 },
      { level: 'breaking', path: 'properties/temperature/maximum', before: 30, after: 28 },
    ],
    problems: [],
    conflict: null,
  })
  const second = await publish(draft.id, 1, ['board-1'])
  expect(second.tools).toMatchObject({ 'set:temperature': 'set_temperature@2', 'set:power': 'set_power@1' })
  const at = (deviceId: string, pin: number | null = null) => book.versionFor('air', { deviceId, pin })?.version
  expect([at('board-1'), at('board-2'), at('board-1', 1)]).toEqual([2, 1, 1])
  await book.promote('air', 2)
  expect(canaries).toEqual(['set_temperature@2 board-1', 'set_temperature@2 all'])
  expect(at('board-2')).toBe(2)
  const third = await book.rollBack({ name: 'air', to: 1, note: 'too narrow', author: 'bob' })
  expect(third).toMatchObject({
    version: 3,
    author: 'bob',
    model: first.model,
    tools: { 'set:temperature': 'set_temperature@1' },
  })
  // Boards that only name the tool get what the Thing has now, and after the way back that one.
  expect(canaries.slice(2)).toEqual(['set_temperature@2 '])
  await book.rollBack({ name: 'air', to: 2, note: 'after all', author: 'bob' })
  expect(canaries.slice(3)).toEqual(['set_temperature@2 all'])
  await reopen()
  expect(book.versions('air').map(({ version, canary }) => [version, canary])).toEqual([
    [1, []],
    [2, []],
    [3, []],
    [4, []],
  ])
})

test('a canary that is passed over is withdrawn from the boards that had it', async () => {
  await publish((await open('air', 'air_conditioner')).id, null)
  const draft = await open('air')
  await book.saveDraft({ id: draft.id, revision: draft.revision, model: narrowed(draft) })
  await publish(draft.id, 1, ['board-1'])
  canaries = []
  await book.rollBack({ name: 'air', to: 1, note: '', author: 'ada' })
  expect(canaries).toEqual(['set_temperature@2 '])
  expect(book.versions('air')[1]?.canary).toEqual(['board-1'])
  expect(book.history('air').map(({ canary }) => canary)).toEqual([[], [], []])
})

test('two Things never begin with one title, and one that is given later is told', async () => {
  await publish((await open('air', 'air_conditioner')).id, null)
  const second = await open('other_air', 'air_conditioner')
  expect(second.model.title).toEqual({ en: 'Air conditioner 2', zh: '空调2' })
  expect(second.model.names.zh.every((name) => name.endsWith('2'))).toBe(true)
  expect((await open('third_air', 'air_conditioner')).model.title.en).toBe('Air conditioner 3')
  const told = () => book.review(second.id).problems.filter(({ code }) => code === 'title-taken')
  expect(told()).toEqual([])
  const model = { ...second.model, title: { en: ' air  Conditioner', zh: '空调2' } }
  const { revision } = await book.saveDraft({ id: second.id, revision: second.revision, model })
  expect(told()).toMatchObject([{ severity: 'warning', path: 'title/en', detail: { name: 'air' } }])
  await book.saveDraft({ id: second.id, revision, model: { ...model, title: { en: '   ', zh: '空调2' } } })
  await expect(publish(second.id, null)).rejects.toMatchObject({ code: 'thing-has-problems' })
})

test('a name of another owner gets the name of the Thing before it, and keeps it', async () => {
  const speaker = await publish((await open('speaker', 'speaker')).id, null)
  expect(speaker.tools['set:volume']).toBe('speaker_set_volume@1')
  await publish((await open('lamp', 'lamp')).id, null)
  const fan = await publish((await open('fan', 'fan')).id, null)
  expect([fan.tools['set:power'], fan.tools['set:swing']]).toEqual(['fan_set_power@1', 'set_swing@1'])
  await book.remove('lamp')
  const again = await publish((await open('fan')).id, 1)
  expect(again.tools['set:power']).toBe('fan_set_power@1')
})

test('of two people who publish, the second sees three texts and overwrites nothing', async () => {
  await publish((await open('air', 'air_conditioner')).id, null)
  const [mine, theirs] = [await open('air'), await open('air', undefined, 'bob')]
  await publish(theirs.id, 1)
  expect(book.review(mine.id).conflict).toMatchObject({ theirVersion: 2, author: 'ada' })
  await expect(publish(mine.id, 1)).rejects.toMatchObject({ code: 'thing-publish-conflict' })
  expect(book.draft(mine.id)).toEqual(mine)
  expect(await publish(mine.id, 2)).toMatchObject({ version: 3, basedOn: 2 })
})

test('a stale save, an empty save and a model with errors are refused', async () => {
  const draft = await open('air', 'air_conditioner')
  const save = (revision: number, model = draft.model) => book.saveDraft({ id: draft.id, revision, model })
  await save(1)
  await expect(save(1)).rejects.toMatchObject({ code: 'thing-draft-changed' })
  const empty = { ...draft.model, properties: [], methods: [], events: [] }
  await expect(save(2, empty)).rejects.toMatchObject({ code: 'thing-empty-save' })
  await save(2, { ...draft.model, properties: draft.model.properties.map((p) => ({ ...p, name: 'same' })) })
  await expect(publish(draft.id, null)).rejects.toMatchObject({ code: 'thing-has-problems' })
  await expect(open('air', 'lamp', 'bob')).rejects.toMatchObject({ code: 'thing-name-taken' })
  await book.dropDraft(draft.id)
  await expect(book.dropDraft(draft.id)).rejects.toMatchObject({ code: 'thing-draft-unknown' })
  expect(book.list(new Map())).toEqual([])
})
