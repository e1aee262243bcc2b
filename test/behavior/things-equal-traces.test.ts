import { expect, test } from 'vitest'
import type { ThingHome, ThingLive } from '../../electron/contract/thing.ts'
import { fromWire, type RpcClient } from '../../electron/server/rpc/rpc-client.ts'
import { thingBoardTools } from '../../electron/virtual/board/board-tools.ts'
import { followTurns, startRoost } from '../support/roost-server.ts'

const patience = { timeout: 240_000 }

async function publishedAir(client: RpcClient) {
  const draft = await client.things.openDraft({ name: 'air', template: 'air_conditioner' })
  return client.things.publish({ draftId: draft.id, basedOn: null, note: 'first', canary: [] })
}

async function now(client: RpcClient, deviceId: string): Promise<ThingLive> {
  for await (const things of await client.things.live({ deviceId })) if (things[0]) return things[0]
  throw new Error(`no Thing on ${deviceId}`)
}

const calls: readonly (readonly [string, Record<string, boolean | number | string>])[] = [
  ['set_power', { power: true }],
  ['get_power', {}],
  ['set_temperature', { temperature: 18 }],
  ['get_temperature', {}],
  ['set_fan_speed', { fan_speed: 3 }],
  ['set_mode', { mode: 'heat' }],
  ['get_mode', {}],
  ['set_eco', { eco: true }],
  ['set_power', { power: false }],
  ['get_power', {}],
]

test('an air conditioner has one trace in the simulator, on a board and behind a serial port', patience, async () => {
  const roost = await startRoost()
  const client = await roost.rpc()
  const { model } = await publishedAir(client)
  const boards = [
    roost.board({ deviceId: 'simulated' }),
    roost.board({ deviceId: 'board', tools: thingBoardTools({ thing: model, tools: {} }) }),
    roost.board({ deviceId: 'uart' }),
  ]
  await Promise.all(boards.map((board) => board.online))
  const { port } = await client.uart.startVirtualMcu({ thing: 'air' })
  await client.uart.open({ port, baud: 115_200, role: 'bridge', deviceId: 'uart' })
  const turns = await followTurns(client)

  async function traceOf(home: ThingHome): Promise<unknown> {
    await client.things.bindTo({ thing: 'air', deviceId: home, home, pin: null })
    const callable = async () =>
      (await client.tools.ofDevice({ deviceId: home })).filter(
        ({ name, reachable, withheld }) => /^[sg]et_(power|eco|mode)$/.test(name) && reachable && withheld === null,
      ).length
    await expect.poll(callable, { timeout: 30_000 }).toBeGreaterThanOrEqual(6)
    for (const [name, args] of calls) {
      expect(await client.tools.call({ deviceId: home, name, arguments: args })).toMatchObject({ outcome: 'ok' })
    }
    const { turnId } = await client.talk.type({ deviceId: home, text: '空调调到22度' })
    const turn = await turns.ended(turnId)
    expect(turn.calls).toMatchObject([{ ref: 'set_temperature@1', arguments: { temperature: 22 }, outcome: 'ok' }])
    const live = await now(client, home)
    const readings = Object.entries(live.readings).map(([name, { value }]) => [name, value])
    return { calls: live.calls.map(({ at: _at, ...call }) => call), readings: Object.fromEntries(readings) as unknown }
  }

  const simulated = await traceOf('simulated')
  expect(simulated).toEqual({
    calls: [
      ...calls.map(([tool, args]) => ({
        tool,
        arguments: args,
        result: tool.startsWith('set') ? { status: 'ok' } : (expect.anything() as unknown),
      })),
      { tool: 'set_temperature', arguments: { temperature: 22 }, result: { status: 'ok' } },
    ],
    readings: { power: false, temperature: 22, fan_speed: 3, mode: 'heat', eco: true },
  })
  expect(await traceOf('board')).toEqual(simulated)
  expect(await traceOf('uart')).toEqual(simulated)
})

test(
  'a draft is spoken to, published, narrowed for one board and rolled back; each turn shows its version',
  patience,
  async () => {
    const roost = await startRoost()
    const client = await roost.rpc()
    const boards = ['one', 'two'].map((deviceId) => roost.board({ deviceId }))
    await Promise.all(boards.map((board) => board.online))
    const turns = await followTurns(client)
    const say = async (deviceId: string, text: string) => {
      const { turnId } = await client.talk.type({ deviceId, text })
      return (await turns.ended(turnId)).calls.map(({ ref, arguments: args }) => `${ref} ${JSON.stringify(args)}`)
    }

    const draft = await client.things.openDraft({ name: 'air', template: 'air_conditioner' })
    await client.things.simulate({ draftId: draft.id, deviceId: 'one' })
    expect(await say('one', '空调调到22度')).toEqual(['set_temperature@1000001 {"temperature":22}'])
    expect(await say('one', 'turn on the air conditioner')).toEqual(['set_power@1000001 {"power":true}'])
    await client.things.publish({ draftId: draft.id, basedOn: null, note: '', canary: [] })
    await client.things.bindTo({ thing: 'air', deviceId: 'two', home: 'simulated', pin: null })
    expect(await say('one', 'set the air conditioner to 30 degrees')).toEqual(['set_temperature@1 {"temperature":30}'])

    const next = await client.things.openDraft({ name: 'air' })
    const properties = next.model.properties.map((property) =>
      property.name === 'temperature' ? { ...property, minimum: 18, maximum: 28 } : property,
    )
    await client.things.saveDraft({ id: next.id, revision: next.revision, model: { ...next.model, properties } })
    const review = await client.things.review({ draftId: next.id })
    expect(review.changes.map(({ level, path }) => `${level} ${path}`)).toEqual([
      'breaking properties/temperature/minimum',
      'breaking properties/temperature/maximum',
    ])
    await client.things.publish({ draftId: next.id, basedOn: 1, note: 'gentler', canary: ['two'] })
    // Of a number beyond the range of the board's version the range is told: another one is not what was asked for.
    expect(await say('one', '空调调到30度')).toEqual(['set_temperature@1 {"temperature":30}'])
    expect(await say('two', '空调调到30度')).toEqual([])
    expect(await say('two', '空调调到28度')).toEqual(['set_temperature@2 {"temperature":28}'])
    await client.things.rollBack({ name: 'air', to: 1, note: 'too cold' })
    // The same words as version 1 of the tool, which is still the one for all.
    expect(await say('two', '空调调到30度')).toEqual(['set_temperature@1 {"temperature":30}'])
    const refused = await client.things.publish({ draftId: next.id, basedOn: 1, note: '', canary: [] }).then(
      () => undefined,
      (error: unknown) => fromWire(error).code,
    )
    expect(refused).toBe('thing-draft-unknown')
  },
)
