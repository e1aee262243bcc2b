import { expect, test, vi } from 'vitest'
import { speak } from '../support/audio-signals.ts'
import { followTurns, freshDir, startRoost } from '../support/roost-server.ts'

const minute = 60_000
const hour = 60 * minute

/** The computer's clock as somebody sets it, in the middle of a morning. */
function createWallClock() {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    set: (by: number) => (ahead += by),
  }
}

type Roost = Awaited<ReturnType<typeof startRoost>>

async function say(roost: Roost, deviceId: string, text: string) {
  const client = await roost.rpc()
  const { turnId } = await client.talk.type({ deviceId, text })
  return vi.waitFor(
    async () => {
      const turn = await client.turns.get({ id: turnId })
      if (turn.status === 'running') throw new Error('not yet')
      return turn
    },
    { timeout: 20_000, interval: 50 },
  )
}

/** What the board said by itself so far. */
const announced = async (roost: Roost, deviceId: string): Promise<string[]> => {
  const client = await roost.rpc()
  const { turns } = await client.turns.list({ deviceId, limit: 50 })
  return turns.flatMap(({ source, replyText }) => (source === 'announcement' && replyText ? [replyText] : []))
}

test(
  'an alarm set by voice rings on its board alone, over a restart, a changed clock and a missed hour',
  { timeout: 120_000 },
  async () => {
    const dataDir = await freshDir()
    const wall = createWallClock()
    const first = await startRoost({ dataDir }, { wall: wall.now })
    const tokens: Record<string, string> = {}
    const boardOf = (roost: Roost, deviceId: string) => {
      const token = tokens[deviceId]
      const onToken = (given: string) => (tokens[deviceId] = given)
      return roost.board({ deviceId, onToken, ...(token === undefined ? {} : { token }) })
    }
    const boards = [boardOf(first, 'bedroom'), boardOf(first, 'kitchen')] as const
    await Promise.all(boards.map(({ online }) => online))

    // Said into the microphone of the board, heard by the recogniser of the product.
    const turns = await followTurns(await first.rpc(), 'bedroom')
    const spoken = 'set an alarm for seven thirty'
    const { pcm } = speak(spoken, 'flite') ?? expect.fail('flite is not installed')
    expect(await boards[0].say(pcm, spoken)).toMatchObject({ text: spoken })
    const soon = await turns.ended()
    expect(soon).toMatchObject({ source: 'voice', calls: [{ ref: 'set_alarm@1', outcome: 'ok' }] })
    const dueAt = (soon.calls[0]?.result as { due_at: number }).due_at
    expect([new Date(dueAt).getHours() % 12, new Date(dueAt).getMinutes()]).toEqual([7, 30])
    expect((await say(first, 'kitchen', '三小时后提醒我关火')).calls).toMatchObject([
      { ref: 'set_reminder@1', arguments: { text: '关火', delay: 'PT3H' }, outcome: 'ok' },
    ])
    await first.close()

    // Restarted half a minute before half past seven: the clock has been set meanwhile.
    wall.set(dueAt - wall.now() - 3_000)
    const second = await startRoost({ dataDir }, { wall: wall.now })
    const bedroom = boardOf(second, 'bedroom')
    const kitchen = boardOf(second, 'kitchen')
    await Promise.all([bedroom.online, kitchen.online])
    await expect
      .poll(() => announced(second, 'bedroom'), { timeout: 20_000 })
      .toEqual([expect.stringMatching(/^Alarm\. It is 7:30 [AP]M\.$/)])
    expect(bedroom.of('tts').length).toBeGreaterThan(0)
    expect((await say(second, 'bedroom', 'stop')).calls).toMatchObject([{ ref: 'hush@1', outcome: 'ok' }])
    expect((await announced(second, 'kitchen')).filter((text) => text.startsWith('Alarm'))).toEqual([])

    // A clock set back an hour moves the alarm with it; nothing rings twice.
    expect((await say(second, 'bedroom', '明天早上八点叫我起床')).calls).toMatchObject([
      { ref: 'set_alarm@1', outcome: 'ok' },
    ])
    wall.set(-hour)
    const [next] = await listed(second)
    expect(next).toMatchObject({ deviceId: 'bedroom', wall: { time: '08:00' }, state: 'waiting' })

    // Asleep over its moment by an hour: it does not ring then, it is told.
    wall.set((next?.dueAt ?? 0) + hour - wall.now())
    await expect
      .poll(() => announced(second, 'bedroom'), { timeout: 20_000 })
      .toContainEqual(expect.stringMatching(/错过了.*八点|错过了.*8点/))
    expect(await listed(second)).toEqual([])
  },
)

async function listed(roost: Roost) {
  const client = await roost.rpc()
  const stop = new AbortController()
  const watched = await client.alarms.watch(undefined, { signal: stop.signal })
  for await (const alarms of watched) {
    stop.abort()
    return alarms.filter(({ deviceId }) => deviceId === 'bedroom')
  }
  return []
}

test('a command with a delay runs its tool later on the same board', async () => {
  const wall = createWallClock()
  const roost = await startRoost({}, { wall: wall.now })
  const board = roost.board({ deviceId: 'lamp' })
  await board.online
  const client = await roost.rpc()
  await expect
    .poll(async () =>
      (await client.tools.ofDevice({ deviceId: 'lamp' })).some(
        ({ name, reachable }) => name === 'set_lamp' && reachable,
      ),
    )
    .toBe(true)
  const turn = await say(roost, 'lamp', 'turn on the lamp in ten minutes')
  expect(turn.calls).toMatchObject([
    {
      ref: 'run_later@1',
      arguments: { command: { tool: 'set_lamp', arguments: { on: true } }, delay: 'PT10M' },
      outcome: 'ok',
    },
  ])
  expect(board.state.lamp.on).toBe(false)
  wall.set(10 * minute)
  await expect.poll(() => board.state.lamp.on, { timeout: 10_000 }).toBe(true)
})
