import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { spokenTurn } from '../../../test/support/console-turns.ts'
import { deviceOf } from '../../../test/support/console-world.ts'
import { silentLog } from '../../base/log.ts'
import type { Turn, TurnKind } from '../../contract/conversation.ts'
import { openStore } from './open-store.ts'
import { pruneTurns } from './prune-steps.ts'

async function openFresh() {
  const dir = await mkdtemp(join(tmpdir(), 'roost-turns-'))
  const store = await openStore({ dir, log: silentLog })
  onTestFinished(async () => {
    await store.close()
    await rm(dir, { recursive: true, force: true })
  })
  return store
}

const turn = (id: string, change: Partial<Turn> = {}): Turn => ({ ...spokenTurn(id, deviceOf(0), 1000), ...change })

test('a turn that runs is stored and found by its id, but is not in the list until it has ended', async () => {
  const { turns } = await openFresh()
  const runs = turn('r', { status: 'running', endedAt: null, startedAt: 2000 })
  await Promise.all([turns.put(turn('e')), turns.put(runs)])
  const listed = async () => (await turns.list({ limit: 10 })).turns.map(({ id }) => id)
  expect(await turns.get('r')).toEqual(runs)
  expect(await turns.running()).toEqual([runs])
  expect([await listed(), (await turns.list({ text: 'lamp', limit: 1 })).total, await turns.count()]).toEqual([
    ['e'],
    1,
    1,
  ])
  await turns.put(turn('r', { startedAt: 2000 }))
  expect(await turns.running()).toEqual([])
  expect([await listed(), await turns.count()]).toEqual([['r', 'e'], 2])
})

test('old turns are pruned in many small steps, and those that stay are found as before', async () => {
  const { turns } = await openFresh()
  expect(await turns.oldest()).toBeUndefined()
  const many = pruneTurns * 3 + 7
  const all = Array.from({ length: many + 2 }, (_, n) =>
    turns.put(turn(`t${n}`, { startedAt: 1000 + Math.floor(n / 3) })),
  )
  await Promise.all(all)
  expect(await turns.oldest()).toBe(1000)
  const before = 1000 + Math.floor(many / 3)
  expect(await turns.prune(before)).toBe(Math.floor(many / 3) * 3)
  expect(await turns.oldest()).toBe(before)
  const left = many + 2 - Math.floor(many / 3) * 3
  expect([await turns.count(), (await turns.list({ text: 'lamp', limit: 1 })).total]).toEqual([left, left])
})

test('what a board said by itself is listed by its kind, that of an older server as an announcement', async () => {
  const { turns } = await openFresh()
  const by = { kind: 'clock', name: '' } as const
  const said = (id: string, change: Partial<Turn>) => turns.put(turn(id, { source: 'announcement', ...change }))
  await Promise.all([
    turns.put(turn('talk')),
    said('old', {}),
    said('alarm', { announced: { kind: 'alarm', by } }),
    said('reminder', { announced: { kind: 'reminder', by }, replyText: '"announced":{"kind":"alarm"}' }),
  ])
  const listed = async (kind: TurnKind) => (await turns.list({ kind, limit: 10 })).turns.map(({ id }) => id)
  expect(await Promise.all((['talk', 'announcement', 'alarm', 'reminder', 'music'] as const).map(listed))).toEqual([
    ['talk'],
    ['old'],
    ['alarm'],
    ['reminder'],
    [],
  ])
})
