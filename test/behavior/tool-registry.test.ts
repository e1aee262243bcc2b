import { expect, test } from 'vitest'
import type { ToolContent } from '../../electron/contract/tool-registry.ts'
import type { RpcClient } from '../../electron/server/rpc/rpc-client.ts'
import { startRoost } from '../support/roost-server.ts'

const refusal = (code: string) => ({ data: { code } })

async function publish(client: RpcClient, name: string, change: (content: ToolContent) => ToolContent) {
  const draft = await client.tools.openDraft({ name })
  const content = change(draft.content)
  const saved = await client.tools.saveDraft({ id: draft.id, revision: draft.revision, content })
  return client.tools.publishDraft({ draftId: saved.id, basedOn: saved.basedOn, note: 'changed', canary: [] })
}
const described =
  (description: string) =>
  (content: ToolContent): ToolContent => ({ ...content, description })

async function bench() {
  const roost = await startRoost()
  const client = await roost.rpc()
  return { roost, client, tools: client.tools }
}

test('who publishes second sees base, theirs and what changed, and nothing is overwritten', async () => {
  const { client, tools } = await bench()
  const first = await publish(client, 'set_lamp', described('First.'))
  const draft = await tools.openDraft({ name: 'set_lamp' })
  const mine = { ...draft.content, description: 'Mine.' }
  const saved = await tools.saveDraft({ id: draft.id, revision: draft.revision, content: mine })
  const theirs = await tools.rollBack({ name: 'set_lamp', to: 1, note: 'as it was' })

  const review = await tools.review({ draftId: saved.id })
  expect(review.conflict).toMatchObject({ theirVersion: theirs.version, base: { description: 'First.' } })
  expect(review.conflict?.theirs.description).toBe(
    (await tools.detail({ name: 'set_lamp' })).versions.at(-1)?.description,
  )
  expect(review.changes.map(({ path }) => path)).toContain('/description')
  const late = { draftId: saved.id, basedOn: first.version, note: '', canary: [] }
  await expect(tools.publishDraft(late)).rejects.toMatchObject(refusal('tool-publish-conflict'))
  expect((await tools.detail({ name: 'set_lamp' })).versions[0]?.version).toBe(theirs.version)

  // Looked at and kept on purpose: published on top of theirs.
  const kept = await tools.publishDraft({ ...late, basedOn: theirs.version })
  expect(kept).toMatchObject({ version: theirs.version + 1, description: 'Mine.' })
})

test('an empty text replaces no filled one, and an older revision no newer one', async () => {
  const { tools } = await bench()
  const draft = await tools.openDraft({ name: 'set_lamp' })
  const empty = { ...draft.content, description: ' ', arguments: { type: 'object' } }
  const save = (revision: number, content: ToolContent) => tools.saveDraft({ id: draft.id, revision, content })
  await expect(save(draft.revision, empty)).rejects.toMatchObject(refusal('tool-draft-empty'))
  const saved = await save(draft.revision, { ...draft.content, description: 'New.' })
  await expect(save(draft.revision, draft.content)).rejects.toMatchObject(refusal('tool-draft-changed'))
  expect((await tools.detail({ name: 'set_lamp' })).drafts).toEqual([saved])
  await tools.dropDraft({ id: draft.id })
  await expect(tools.dropDraft({ id: draft.id })).rejects.toMatchObject(refusal('tool-draft-unknown'))
  await expect(tools.review({ draftId: draft.id })).rejects.toMatchObject(refusal('tool-draft-unknown'))
})

test('a rollback is a new version that equals the old one in everything that counts', async () => {
  const { client, tools } = await bench()
  const [old] = (await tools.detail({ name: 'set_fan' })).versions
  const changed = await publish(client, 'set_fan', described('Changed.'))
  const back = await tools.rollBack({ name: 'set_fan', to: 1, note: 'back' })
  expect(back.version).toBe(changed.version + 1)
  const own = { version: back.version, createdAt: back.createdAt, origin: back.origin }
  expect(back).toEqual({ ...old, ...own })
  expect((await tools.compare({ name: 'set_fan', from: 1, to: back.version })).changes).toEqual([])
  await expect(tools.rollBack({ name: 'set_fan', to: 99, note: '' })).rejects.toMatchObject(refusal('tool-unknown'))
  await expect(tools.compare({ name: 'set_fan', from: 1, to: 99 })).rejects.toMatchObject(refusal('tool-unknown'))
})

test('a deprecated tool names what takes its place, which must be there and another', async () => {
  const { tools } = await bench()
  const deprecate = (replacement: string | null) => tools.deprecate({ name: 'set_fan', replacement })
  await expect(deprecate('nowhere')).rejects.toMatchObject(refusal('tool-unknown'))
  await expect(deprecate('set_fan')).rejects.toMatchObject(refusal('tool-unknown'))
  await deprecate('set_lamp')
  const detail = await tools.detail({ name: 'set_fan' })
  expect(detail.versions[0]).toMatchObject({ status: 'deprecated' })
  expect(detail.releases[0]).toMatchObject({ replacement: 'set_lamp' })
  expect((await tools.catalog({ state: 'deprecated' })).map(({ name }) => name)).toEqual(['set_fan'])
  await expect(tools.deprecate({ name: 'nowhere', replacement: null })).rejects.toMatchObject(refusal('tool-unknown'))
})

test('an agent holds to its pinned version while the tool goes on, and follows once the pin is gone', async () => {
  const { roost, client, tools } = await bench()
  const board = roost.board({ deviceId: 'pin-1' })
  await board.online
  const agent = { scope: 'agent', id: 'default' } as const
  const version = async () => {
    const rows = await tools.ofDevice({ deviceId: 'pin-1' })
    return rows.find(({ name }) => name === 'set_lamp')?.tool?.version
  }
  await expect.poll(version).toBe(1)
  await client.policies.put({ ...agent, mode: 'all', allowed: [], pins: { set_lamp: 1 } })
  const next = await publish(client, 'set_lamp', described('Next.'))
  expect(await version()).toBe(1)
  const call = { deviceId: 'pin-1', name: 'set_lamp', arguments: { on: true } }
  expect(await tools.call(call)).toMatchObject({ ref: 'set_lamp@1', outcome: 'ok' })
  await client.policies.remove(agent)
  expect(await version()).toBe(next.version)
  expect(await tools.call(call)).toMatchObject({ ref: `set_lamp@${next.version}`, outcome: 'ok' })
  await client.policies.put({ ...agent, mode: 'listed', allowed: ['set_fan'], pins: {} })
  const row = (await tools.ofDevice({ deviceId: 'pin-1' })).find(({ name }) => name === 'set_lamp')
  expect(row).toMatchObject({ withheld: 'agent', reachable: true })
  expect(board.of('tool')).toHaveLength(2)
})

test('errors of the lint and failed cases stop a publish, and a stub judges arguments without a board', async () => {
  const { tools } = await bench()
  const cases = [{ title: 'dark', arguments: { on: false }, expect: 'refused' as const }]
  await tools.saveCases({ name: 'set_lamp', cases })
  const draft = await tools.openDraft({ name: 'set_lamp' })
  expect(await tools.runCases({ draftId: draft.id })).toMatchObject([{ title: 'dark', passed: false }])
  const order = { draftId: draft.id, basedOn: draft.basedOn, note: '', canary: [] }
  await expect(tools.publishDraft(order)).rejects.toMatchObject(refusal('tool-cases-failed'))
  await tools.saveCases({ name: 'set_lamp', cases: [] })
  const broken = { ...draft.content, description: '' }
  await tools.saveDraft({ id: draft.id, revision: draft.revision, content: broken })
  await expect(tools.publishDraft(order)).rejects.toMatchObject(refusal('tool-lint-errors'))

  const stub = (args: Record<string, unknown>) => tools.tryOut({ name: 'set_fan', arguments: args, dryRun: false })
  expect(await stub({ on: true })).toMatchObject({ ref: 'set_fan@1', outcome: 'ok' })
  expect(await stub({ on: 'maybe' })).toMatchObject({ outcome: 'refused', errorCode: 'tool-bad-arguments' })
  const nowhere = { name: 'nowhere', arguments: {}, dryRun: true }
  await expect(tools.tryOut(nowhere)).rejects.toMatchObject(refusal('tool-unknown'))
})

test('five phrasings in both languages reach the tool that they were made from', async () => {
  const { tools } = await bench()
  for (const name of ['set_lamp', 'set_fan', 'set_volume', 'read_temperature']) {
    const answers = await tools.askMatcher({ name, phrases: [] })
    expect(answers).toHaveLength(5)
    expect(new Set(answers.map(({ language }) => language))).toEqual(new Set(['en', 'zh']))
    expect(answers.filter(({ hit }) => !hit).map(({ phrase }) => `${name}: ${phrase}`)).toEqual([])
  }
  const [other] = await tools.askMatcher({ name: 'set_lamp', phrases: ['打开风扇'] })
  expect(other).toMatchObject({ chosen: 'set_fan', arguments: { on: true }, hit: false })
  await expect(tools.askMatcher({ name: 'nowhere', phrases: [] })).rejects.toMatchObject(refusal('tool-unknown'))
})

test('a name that nobody began is no tool', async () => {
  const { tools } = await bench()
  await expect(tools.detail({ name: 'nope' })).rejects.toMatchObject(refusal('tool-unknown'))
  await tools.openDraft({ name: 'nope' })
  expect((await tools.detail({ name: 'nope' })).drafts).toHaveLength(1)
})
