import { expect, onTestFinished, test, vi } from 'vitest'
import { silentLog } from '../../base/log.ts'
import { createRetention, dayMs } from './retention.ts'

const start = 1_800_000_000_000

/** Things that started at these times; a retention of ten days over them, on timers of its own. */
function scene(...times: number[]) {
  vi.useFakeTimers({ now: start, toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] })
  const store = {
    oldest: () => Promise.resolve(times[0]),
    prune(before: number) {
      const old = times.filter((at) => at < before)
      times.splice(0, old.length)
      return Promise.resolve(old.length)
    },
  }
  const retention = createRetention({ store, now: Date.now, log: silentLog, retainMs: 10 * dayMs })
  onTestFinished(() => {
    retention.close()
    vi.useRealTimers()
  })
  return { times, retention }
}

test('what is older than the limit goes by itself, soon after the start and every hour', async () => {
  const { times, retention } = scene(start - 12 * dayMs, start - 10 * dayMs + 30 * 60_000, start - 9 * dayMs)
  await vi.advanceTimersByTimeAsync(5 * 60_000 - 1)
  expect(times).toHaveLength(3)
  await vi.advanceTimersByTimeAsync(1)
  expect(times).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(3600_000)
  expect(times).toEqual([start - 9 * dayMs])
  await vi.advanceTimersByTimeAsync(dayMs)
  expect(times).toEqual([])
  times.push(start - 20 * dayMs)
  retention.close()
  await vi.advanceTimersByTimeAsync(dayMs)
  expect(times).toHaveLength(1)
})

test('a clock that jumped far ahead removes nothing without a yes', async () => {
  const { times, retention } = scene(start - dayMs)
  vi.setSystemTime(start + 365 * dayMs)
  await vi.advanceTimersByTimeAsync(20 * 3600_000)
  expect(times).toHaveLength(1)
  expect(await retention.prune({ confirmed: true })).toBe(1)
})

test('a clock that nobody corrected for a day is believed, one that jumps again is not', async () => {
  const { times } = scene(start - dayMs)
  vi.setSystemTime(start + 365 * dayMs)
  await vi.advanceTimersByTimeAsync(20 * 3600_000)
  vi.setSystemTime(start + 800 * dayMs)
  await vi.advanceTimersByTimeAsync(20 * 3600_000)
  expect(times).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(6 * 3600_000)
  expect(times).toEqual([])
})
