import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import { bornTools } from '../../contract/born-tools.ts'
import type { Turn } from '../../contract/conversation.ts'
import type { ToolAudit, ToolDraft, ToolRelease } from '../../contract/tool-registry.ts'
import { openStore } from './open-store.ts'
import type { Store } from './store.ts'

let dir: string
let store: Store
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-tool-stores-'))
  store = await openStore({ dir, log: silentLog })
})
afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

const lamp = bornTools[0]!
const call = (change: Partial<ToolAudit> = {}): ToolAudit => ({
  id: 'c1',
  at: 1000,
  durationMs: 5,
  deviceId: 'board',
  ref: 'set_lamp@1',
  caller: { kind: 'turn', id: 't' },
  arguments: { on: true },
  outcome: 'ok',
  errorCode: null,
  errorMessage: null,
  result: { status: 'ok' },
  consentId: null,
  ...change,
})
const release: ToolRelease = {
  name: lamp.name,
  version: 7,
  author: 'owner',
  note: 'warmer',
  basedOn: 1,
  publishedAt: 5,
  canary: ['board'],
  replacement: null,
}

test('calls are listed newest first, counted by version, pruned and forgotten', async () => {
  await Promise.all([
    store.toolCalls.put(call()),
    store.toolCalls.put(call({ id: 'c2', at: 2000, outcome: 'failed', ref: 'set_lamp@2' })),
    store.toolCalls.put(call({ id: 'c3', at: 3000, deviceId: 'other', ref: 'nobody_knows' })),
  ])
  expect((await store.toolCalls.list({ limit: 10 })).map(({ id }) => id)).toEqual(['c3', 'c2', 'c1'])
  expect(await store.toolCalls.list({ name: 'set_lamp', deviceId: 'board', limit: 1 })).toMatchObject([{ id: 'c2' }])
  expect(await store.toolCalls.usage(1500)).toEqual(
    expect.arrayContaining([
      { name: 'set_lamp', version: 2, calls: 1, ok: 0 },
      { name: 'nobody_knows', version: null, calls: 1, ok: 1 },
    ]),
  )
  expect(await store.telemetry.prune(1500)).toBe(1)
  await store.telemetry.forget('other')
  expect(await store.toolCalls.list({ limit: 10 })).toMatchObject([{ id: 'c2' }])
})

test('a release takes its draft with it, and a taken number changes nothing', async () => {
  const content = { ...lamp, timeoutMs: 1000 }
  const draft: ToolDraft = { id: 'd', name: lamp.name, author: 'a', basedOn: 1, revision: 1, content, updatedAt: 1 }
  await store.toolEdits.putDraft(draft)
  await store.toolEdits.putDraft({ ...draft, revision: 2 })
  expect(await store.toolEdits.drafts()).toMatchObject([{ revision: 2 }])
  const version = { ...lamp, version: 7 }
  await store.toolEdits.release({ version, release, draftId: 'd' })
  expect(await store.toolEdits.drafts()).toEqual([])
  expect(await store.toolEdits.releases()).toEqual([release])
  const other = { version: { ...version, description: 'else' }, release: { ...release, note: 'late' } }
  await expect(store.toolEdits.release(other)).rejects.toMatchObject({ code: 'tool-version-fixed' })
  expect(await store.toolEdits.releases()).toEqual([release])
})

test('settings, policies and classes are kept by their key', async () => {
  const cases = [{ title: 'dim', arguments: { on: true }, expect: 'accepted' as const }]
  await store.toolEdits.putSettings({ name: 'a', enabled: true, cases: [] })
  await store.toolEdits.putSettings({ name: 'a', enabled: false, cases })
  expect(await store.toolEdits.settings()).toEqual([{ name: 'a', enabled: false, cases }])
  const policy = { scope: 'class' as const, id: 'c', mode: 'listed' as const, allowed: ['a'], pins: { a: 2 } }
  await store.toolPolicies.putPolicy({ ...policy, allowed: [] })
  await store.toolPolicies.putPolicy(policy)
  expect(await store.toolPolicies.policies()).toEqual([policy])
  await store.toolPolicies.removePolicy('class', 'c')
  expect(await store.toolPolicies.policies()).toEqual([])
  const lesson = { id: 'c', name: '7b', deviceIds: ['board'], active: false }
  await store.toolPolicies.putClasses([lesson, { ...lesson, id: 'd' }])
  await store.toolPolicies.putClasses([{ ...lesson, active: true }])
  await store.toolPolicies.removeClass('d')
  expect(await store.toolPolicies.classes()).toEqual([{ ...lesson, active: true }])
})

test('turns are found by the version that they offered or called', async () => {
  const turn = (id: string, change: Partial<Turn>): Turn =>
    ({
      id,
      deviceId: 'board',
      startedAt: Number(id),
      status: 'done',
      userText: '',
      replyText: '',
      toolsOffered: [],
      calls: [],
      replyMs: null,
      ...change,
    }) as unknown as Turn
  await store.turns.put(turn('1', { toolsOffered: ['set_lamp@1'] }))
  await store.turns.put(turn('2', { toolsOffered: ['set_lamp@12', 'setxlamp@1'] }))
  await store.turns.put(turn('3', { userText: 'say "set_lamp@1" aloud' }))
  const found = await store.turns.list({ toolRef: 'set_lamp@1', limit: 10 })
  expect(found.turns.map(({ id }) => id)).toEqual(['1'])
  expect(found.total).toBe(1)
})
