import { expect, test } from 'vitest'
import { connectClient, makeClient } from '../support/mcp-client.ts'
import { followTurns, type RoostBench, startRoost } from '../support/roost-server.ts'

const ids = ['desk', 'kitchen', 'bedroom-left', 'bedroom-right']

async function house(roost: RoostBench) {
  const boards = new Map(ids.map((deviceId) => [deviceId, roost.board({ deviceId })]))
  await Promise.all([...boards.values()].map(({ online }) => online))
  const client = await roost.rpc()
  for (const id of ids) await client.fleet.rename({ deviceId: id, name: id.replace('-', ' ') })
  const turns = await followTurns(client, 'desk')
  const said = async (deviceId: string): Promise<string[]> => {
    const { turns: kept } = await client.turns.list({ deviceId, limit: 50 })
    return kept
      .flatMap(({ source, replyText }) => (source === 'announcement' && replyText ? [replyText] : []))
      .reverse()
  }
  const board = (id: string) => boards.get(id) ?? expect.fail(`no ${id}`)
  const ask = async (text: string) => turns.ended((await client.talk.type({ deviceId: 'desk', text })).turnId)
  return { client, board, ask, said }
}

test('one board sets the volume and the brightness of another, in the name of who asked', async () => {
  const roost = await startRoost()
  const { client, board, ask } = await house(roost)
  const levels = () => ids.map((id) => board(id).state.volume)
  const turn = await ask('set the volume of kitchen to 30')
  expect(turn.calls).toMatchObject([
    { ref: 'board_volume@1', arguments: { board: 'kitchen', level: 30 }, outcome: 'ok' },
  ])
  expect(turn.replyText).toBe('The volume of kitchen is 30 percent.')
  expect(levels()).toEqual([60, 30, 60, 60])
  await expect
    .poll(() => client.tools.calls({ name: 'set_volume', limit: 5 }))
    .toMatchObject([{ deviceId: 'kitchen', ref: 'set_volume@1', caller: { kind: 'turn', id: turn.id }, outcome: 'ok' }])

  // Part of several names is a group.
  expect((await ask('把 bedroom 的音量调到 45')).calls).toMatchObject([{ ref: 'board_volume@1', outcome: 'ok' }])
  expect(levels()).toEqual([60, 30, 45, 45])

  const byHand = { deviceId: 'desk', name: 'board_brightness', arguments: { board: 'all', level: 20 } }
  expect(await client.tools.call(byHand)).toMatchObject({ outcome: 'ok' })
  expect(ids.map((id) => board(id).state.lamp)).toEqual(ids.map(() => ({ on: true, brightness: 20 })))
  const askers = async () =>
    (await client.tools.calls({ name: 'set_lamp', limit: 10 })).map(({ caller }) => caller.kind)
  await expect.poll(askers).toEqual(ids.map(() => 'person'))

  // An outside program that is bound to one board reaches no other through this one.
  const rights = { allowed: ['board_volume', 'announce'], deviceIds: ['desk'], readOnly: false }
  const { client: outside } = await connectClient(roost.loopback, (await makeClient(client, rights)).token)
  const fromOutside = async (name: string, args: Record<string, unknown>) =>
    (await outside.callTool({ name, arguments: { device: 'desk', ...args } })).isError ?? false
  expect(await fromOutside('board_volume', { board: 'kitchen', level: 100 })).toBe(true)
  expect(await fromOutside('announce', { board: 'kitchen', text: 'hello' })).toBe(true)
  expect(await fromOutside('board_volume', { board: 'all', level: 90 })).toBe(false)
  expect(levels()).toEqual([90, 30, 45, 45])
  await expect
    .poll(() => client.tools.calls({ name: 'set_volume', limit: 1 }))
    .toMatchObject([{ deviceId: 'desk', caller: { kind: 'client' }, outcome: 'ok' }])

  expect((await ask('set the volume of attic to 30')).calls).toMatchObject([
    { outcome: 'failed', errorCode: 'helper-not-found' },
  ])
})

test(
  'an announcement is spoken by one board, a group, or all others; a board shows which one it is',
  { timeout: 120_000 },
  async () => {
    const { board, ask, said } = await house(await startRoost())
    const heard = async () =>
      Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await said(id)] as const)))

    expect((await ask('announce in kitchen that tea is ready')).replyText).toBe('Okay, told kitchen.')
    await expect.poll(() => said('kitchen'), { timeout: 10_000 }).toEqual(['tea is ready'])
    expect(board('kitchen').of('tts').length).toBeGreaterThan(0)

    expect((await ask('announce in bedroom that it is late')).calls).toMatchObject([
      { ref: 'announce@1', result: { reached: ['bedroom left', 'bedroom right'] }, outcome: 'ok' },
    ])
    expect((await ask('identify the kitchen board')).calls).toMatchObject([
      { ref: 'identify_board@1', arguments: { board: 'kitchen' }, outcome: 'ok' },
    ])
    await expect.poll(() => board('kitchen').of('control')).toMatchObject([{ action: 'identify' }])
    expect(board('desk').of('control')).toEqual([])

    await board('bedroom-right').stop()
    await expect
      .poll(async () => (await ask('identify the bedroom right board')).calls[0]?.errorCode, { timeout: 10_000 })
      .toBe('iotta-no-session')
    await expect
      .poll(async () => (await ask('告诉大家吃饭了')).calls[0]?.result, { timeout: 10_000 })
      .toMatchObject({ reached: ['kitchen', 'bedroom left'] })
    await expect.poll(async () => (await said('bedroom-left')).length, { timeout: 10_000 }).toBeGreaterThan(1)
    const all = await heard()
    expect(all['desk']).toEqual([])
    expect(all['kitchen']?.slice(0, 2)).toEqual(['tea is ready', '吃饭了'])
    expect(all['bedroom-left']?.slice(0, 2)).toEqual(['it is late', '吃饭了'])
  },
)

test('a reminder of the calendar rings on its board alone, once', async () => {
  let ahead = 0
  const wall = () => Date.now() + ahead
  const { client, said } = await house(await startRoost({}, { wall }))
  const start = wall() + 3 * 3_600_000
  const plain = { end: null, allDay: false, zone: 'UTC', category: '', note: '', repeat: '' }
  await client.calendar.put({ ...plain, id: 'a', title: 'dentist', start, remindMinutes: 30, deviceId: 'kitchen' })
  await client.calendar.put({ ...plain, id: 'b', title: 'choir', start, remindMinutes: null, deviceId: 'desk' })
  await client.calendar.put({ ...plain, id: 'c', title: 'nobody', start, remindMinutes: 30, deviceId: null })
  ahead += 2.5 * 3_600_000
  await expect
    .poll(() => said('kitchen'), { timeout: 15_000 })
    .toEqual([expect.stringMatching(/^Reminder.*: dentist\.$/)])
  expect(await Promise.all(['desk', 'bedroom-left', 'bedroom-right'].map(said))).toEqual([[], [], []])
})
