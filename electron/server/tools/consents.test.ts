import { afterEach, beforeEach, expect, test } from 'vitest'
import { createManualClock, type ManualClock } from '../../../test/support/manual-clock.ts'
import { bornTools } from '../../contract/born-tools.ts'
import { type Consents, createConsents, type GrantedCall } from './consents.ts'

const tool = { ...bornTools[0]!, name: 'wipe_lamp', danger: 'destructive' as const }
const owner = { kind: 'person', id: 'owner' } as const

let clock: ManualClock
let ran: GrantedCall[]
let consents: Consents
beforeEach(() => {
  clock = createManualClock()
  ran = []
  let ids = 0
  consents = createConsents({
    clock,
    newId: () => `c${++ids}`,
    deviceName: () => 'Desk',
    run: async (call) => {
      ran.push(call)
      return { ref: 'wipe_lamp@1', arguments: {}, outcome: 'ok', startedAt: 0, endedAt: 0 }
    },
  })
})
afterEach(() => consents.close())

const ask = (change: { deviceId?: string; turn?: string; on?: boolean } = {}) =>
  consents.ask({
    deviceId: change.deviceId ?? 'board',
    tool,
    arguments: { on: change.on ?? true },
    caller: { kind: 'turn', id: change.turn ?? 't1' },
  })

test('a yes runs the bound call once, with its own arguments and version', async () => {
  const { id } = ask()
  expect(await consents.answer(id, true, owner)).toMatchObject({ outcome: 'ok' })
  expect(ran).toMatchObject([{ deviceId: 'board', name: 'wipe_lamp', tool, arguments: { on: true }, consentId: id }])
  await expect(consents.answer(id, true, owner)).rejects.toMatchObject({ code: 'tool-consent-over' })
  expect(ran).toHaveLength(1)
  expect(consents.list()).toMatchObject([{ state: 'used', answeredBy: 'owner' }])
})

test('two answers at the same moment run it once', async () => {
  const { id } = ask()
  const both = await Promise.allSettled([consents.answer(id, true, owner), consents.answer(id, true, owner)])
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(ran).toHaveLength(1)
})

test('a no runs nothing, and after 60 s neither does a yes', async () => {
  expect(await consents.answer(ask().id, false, owner)).toBeNull()
  const { id } = ask()
  await clock.advance(59_999)
  expect(consents.list().at(-1)?.state).toBe('waiting')
  await clock.advance(1)
  expect(consents.list().at(-1)?.state).toBe('expired')
  await expect(consents.answer(id, true, owner)).rejects.toMatchObject({ code: 'tool-consent-over' })
  await expect(consents.answer('invented', true, owner)).rejects.toMatchObject({ code: 'tool-consent-over' })
  expect(ran).toEqual([])
})

test('only the next words to the same device may answer, and only when one request waits', () => {
  const { id } = ask()
  expect(consents.heard('board', 't1')).toBeUndefined()
  expect(consents.heard('other', 't2')).toBeUndefined()
  expect(consents.heard('board', 't2')?.id).toBe(id)
  expect(consents.heard('board', 't3')).toBeUndefined()
  ask({ deviceId: 'two' })
  ask({ deviceId: 'two', on: false })
  expect(consents.heard('two', 't2')).toBeUndefined()
})

test('what an outside client asked for is not answered by voice', () => {
  consents.ask({ deviceId: 'board', tool, arguments: {}, caller: { kind: 'client', id: 'c' } })
  expect(consents.heard('board', 't2')).toBeUndefined()
})

test('the same asked again replaces the older, the fifth of a device is refused', () => {
  ask()
  ask({ turn: 't2' })
  expect(consents.list().map(({ state }) => state)).toEqual(['expired', 'waiting'])
  for (const id of ['a', 'b', 'c']) consents.ask({ deviceId: 'board', tool, arguments: { id }, caller: owner })
  expect(() => ask({ on: false })).toThrow(expect.objectContaining({ code: 'tool-too-many' }) as Error)
  expect(() => ask({ deviceId: 'other', on: false })).not.toThrow()
})

test('a watcher gets the whole list at once and at every change', async () => {
  const stop = new AbortController()
  const seen = consents.watch(stop.signal)
  expect((await seen.next()).value).toEqual([])
  const { id } = ask()
  expect((await seen.next()).value).toMatchObject([{ id, deviceName: 'Desk', state: 'waiting' }])
  stop.abort()
  expect((await seen.next()).done).toBe(true)
})

test('whoever waits learns what the yes ran', async () => {
  const { id } = ask()
  const waiting = consents.outcome(id)
  await consents.answer(id, true, owner)
  expect(await waiting).toMatchObject({ ref: 'wipe_lamp@1', outcome: 'ok' })
  expect(await consents.outcome(id)).toMatchObject({ outcome: 'ok' })
})

test('whoever waits learns that nothing ran: a no, 60 s, asked anew, unknown, closed', async () => {
  const refused = ask({ deviceId: 'a' })
  const late = ask({ deviceId: 'b' })
  const again = ask({ deviceId: 'c' })
  const waiting = [refused, late, again, { id: 'never' }].map(({ id }) => consents.outcome(id))
  await consents.answer(refused.id, false, owner)
  const newer = consents.outcome(ask({ deviceId: 'c' }).id)
  await clock.advance(60_000)
  const open = consents.outcome(ask({ deviceId: 'd' }).id)
  consents.close()
  expect(await Promise.all([...waiting, newer, open])).toEqual([null, null, null, null, null, null])
  expect(ran).toEqual([])
})
