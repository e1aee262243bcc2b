import { afterEach, expect, test, vi } from 'vitest'
import { silentLog } from '../../electron/base/log.ts'
import { openStore } from '../../electron/server/store/open-store.ts'
import { spokenTurn } from '../support/console-turns.ts'
import { deviceOf } from '../support/console-world.ts'
import { freshDir, startRoost } from '../support/roost-server.ts'

afterEach(() => void vi.useRealTimers())

const day = 24 * 3600_000

/** What a server still lists of turns of these ages after it ran for an hour. */
async function afterAnHour(ages: readonly number[], options: { historyDays?: number }): Promise<string[]> {
  const dataDir = await freshDir()
  const store = await openStore({ dir: dataDir, log: silentLog })
  const planted = ages.map((age) => spokenTurn(`${age} days`, deviceOf(0), Date.now() - age * day))
  await Promise.all(planted.map((turn) => store.turns.put(turn)))
  await store.close()
  // Only what repeats stands still: the server's sockets and threads run on.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const roost = await startRoost({ dataDir, ...options })
  const client = await roost.rpc()
  const listed = async () => (await client.turns.list({ limit: 10 })).turns.map(({ id }) => id)
  expect(await listed()).toHaveLength(ages.length)
  vi.advanceTimersByTime(3600_000 + 1)
  if (options.historyDays !== 0) await expect.poll(listed).not.toHaveLength(ages.length)
  return listed()
}

test('turns older than 30 days go by themselves', async () => {
  expect(await afterAnHour([1, 29, 31, 40], {})).toEqual(['1 days', '29 days'])
})

test('the days are a setting', async () => {
  expect(await afterAnHour([1, 29, 31], { historyDays: 7 })).toEqual(['1 days'])
})

test('with 0 days turns are kept for ever', async () => {
  expect(await afterAnHour([1, 29, 59], { historyDays: 0 })).toEqual(['1 days', '29 days', '59 days'])
})
