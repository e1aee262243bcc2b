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

    expect((await ask('announce in kitchen that tea is ready')).replyText).toBe('Okay, saying it on kitchen now.')
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

test('what boards say by themselves is kept by its kind, with who asked; a board that is away is named', async () => {
  const { client, board, ask, said } = await house(await startRoost())
  await board('bedroom-right').stop()
  const late = async () => (await ask('announce in bedroom that it is late')).replyText
  await expect.poll(late, { timeout: 20_000 }).toBe('Okay, saying it on bedroom left now. bedroom right is offline.')
  const answer = await ask('announce in bedroom that it is late')
  expect(answer.calls[0]?.result).toMatchObject({ missed: [{ name: 'bedroom right', reason: 'offline' }] })
  expect((await ask('announce in bedroom right that it is late')).calls).toMatchObject([
    { outcome: 'failed', errorCode: 'helper-boards-away' },
  ])

  expect(await client.announcements.say({ deviceIds: ['kitchen', 'bedroom-right'], text: 'Lunch is ready' })).toEqual({
    reached: ['kitchen'],
    missed: [{ deviceId: 'bedroom-right', code: 'iotta-no-session' }],
  })
  await expect(client.announcements.say({ deviceIds: ['kitchen'], text: 'x'.repeat(501) })).rejects.toMatchObject({
    data: { code: 'helper-too-long' },
  })

  await ask('set a timer for one second called eggs')
  const kinds = async (deviceId: string) =>
    (await client.turns.list({ deviceId, limit: 50 })).turns.flatMap(({ announced, replyText }) =>
      announced ? [{ ...announced, replyText }] : [],
    )
  await expect
    // It was asked for more than once above.
    .poll(async () => [(await kinds('bedroom-left')).at(-1), await kinds('kitchen'), (await kinds('desk')).at(-1)], {
      timeout: 20_000,
    })
    .toEqual([
      { kind: 'announcement', by: { kind: 'board', name: 'desk' }, replyText: 'it is late' },
      [{ kind: 'announcement', by: { kind: 'person', name: '' }, replyText: 'Lunch is ready' }],
      { kind: 'timer', by: { kind: 'clock', name: '' }, replyText: 'Time is up: eggs.' },
    ])
  const only = await client.turns.list({ kind: 'announcement', limit: 50 })
  const heard = new Set(only.turns.map(({ deviceId }) => deviceId))
  expect([heard.has('bedroom-left'), heard.has('kitchen'), heard.has('desk')]).toEqual([true, true, false])
  expect(await said('kitchen')).toEqual(['Lunch is ready'])
})

test.each([
  ['en', 'dentist', 'delete the dentist', 'yes, do it', 'delete the dentist'],
  ['zh', '家长会', '删除家长会', '确认执行', '把家长会删掉'],
] as const)('in %s an event is deleted after a yes only, and one that is not there is told', async (...row) => {
  const [language, title, sayDelete, yes, again] = row
  const { client, ask } = await house(await startRoost())
  const start = Date.now() + 86_400_000
  const plain = { end: null, allDay: false, zone: 'UTC', category: '', note: '', repeat: '', remindMinutes: null }
  await client.calendar.put({ ...plain, id: 'a', title, start, deviceId: null })
  const titles = async () =>
    (await client.calendar.between({ from: Date.now(), to: start + 1 })).map((one) => one.title)

  const first = await ask(sayDelete)
  expect(first.calls).toMatchObject([{ ref: 'calendar_delete@1', errorCode: 'tool-needs-consent' }])
  expect(await titles()).toEqual([title])
  expect((await ask(yes)).calls).toMatchObject([{ ref: 'calendar_delete@1', outcome: 'ok' }])
  expect(await titles()).toEqual([])

  await ask(again)
  const gone = await ask(yes)
  expect(gone.calls).toMatchObject([{ outcome: 'failed', errorCode: 'helper-no-event' }])
  expect(gone.replyText).toBe(language === 'en' ? 'There is no such event in the calendar.' : '日历里没有这样的日程。')
})
