import { expect, test } from 'vitest'
import { thingBoardTools } from '../../electron/virtual/board/board-tools.ts'
import { enrol, post } from '../support/foreign-client.ts'
import { followTurns, startRoost } from '../support/roost-server.ts'

test('a board tells its state when it is bound, and an event that it reports is said aloud on it', async () => {
  const roost = await startRoost()
  const client = await roost.rpc()
  const draft = await client.things.openDraft({ name: 'air', template: 'air_conditioner' })
  const { model } = await client.things.publish({ draftId: draft.id, basedOn: null, note: '', canary: [] })
  const { token } = await enrol(roost, 'bedroom')
  const board = roost.board({ deviceId: 'bedroom', token, tools: thingBoardTools({ thing: model, tools: {} }) })
  await board.online
  await client.things.bindTo({ thing: 'air', deviceId: 'bedroom', home: 'board', pin: null })
  const live = async () => {
    for await (const [thing] of await client.things.live({ deviceId: 'bedroom' })) if (thing) return thing
    throw new Error('nothing is bound')
  }
  await expect
    .poll(async () => Object.values((await live()).readings).map(({ value }) => value), { timeout: 15_000 })
    .toEqual([false, 26, 2, 'cool', false])
  expect((await live()).calls).toEqual([])

  const turns = await followTurns(client, 'bedroom')
  const body = JSON.stringify({ events: [{ level: 'warn', code: 'filter_dirty', message: '' }] })
  const headers = { Authorization: `Bearer ${token}` }
  expect((await post(roost, '/telemetry', { body, headers })).status).toBe(202)
  expect(await turns.ended()).toMatchObject({
    source: 'announcement',
    replyText: 'The filter of the air conditioner wants cleaning.',
    status: 'done',
  })
  await expect.poll(() => board.of('turn').at(-1)?.level ?? 0).toBeGreaterThan(50)
  expect((await live()).occurrences).toMatchObject([{ event: 'filter_dirty', announced: true }])
})
