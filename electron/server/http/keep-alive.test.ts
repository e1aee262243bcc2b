import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createKeepAlive } from './keep-alive.ts'

afterEach(() => vi.useRealTimers())

/** A real pair; only the intervals and the clock of the watch are ours. */
async function pair(autoPong: boolean) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const far = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { autoPong })
  const [near] = (await once(server, 'connection')) as [WebSocket]
  await once(far, 'open')
  const pings: number[] = []
  far.on('ping', () => pings.push(performance.now()))
  const keepAlive = createKeepAlive()
  keepAlive.watch(near)
  return {
    near,
    far,
    pings,
    close: () => {
      keepAlive.close()
      far.terminate()
      server.close()
    },
  }
}

test('a channel is pinged every 20 s, and a peer that answers stays', async () => {
  const { near, pings, close } = await pair(true)
  for (let round = 1; round <= 5; round++) {
    const answered = once(near, 'pong')
    vi.advanceTimersByTime(20_000)
    await answered
    expect(pings.length).toBe(round)
  }
  expect(near.readyState).toBe(near.OPEN)
  close()
})

test('a peer that is silent for 45 s is gone', async () => {
  const { near, far, close } = await pair(false)
  const gone = once(near, 'close')
  vi.advanceTimersByTime(44_000)
  expect(near.readyState).toBe(near.OPEN)
  vi.advanceTimersByTime(6_000)
  await gone
  expect((await once(far, 'close'))[0]).toBe(1006)
  close()
})
