import type { WebSocket } from 'ws'
import { pause } from '../../base/deadline.ts'

/** What the RPC library writes to. It awaits what `send` returns before it pulls the next item of a stream. */
export type Outlet = Pick<globalThis.WebSocket, 'send' | 'addEventListener'>

const highWaterBytes = 256 * 1024
const stalledAfterMs = 10_000
const lookEveryMs = 20

/** Holds the next message back while the peer has not read the last ones, so that no queue of ours grows for it. */
export function createOutlet(socket: WebSocket, giveUp: (reason: string) => void): Outlet {
  async function drained(): Promise<void> {
    const deadline = performance.now() + stalledAfterMs
    while (socket.bufferedAmount > highWaterBytes && socket.readyState === socket.OPEN) {
      if (performance.now() > deadline) return giveUp('reads too slowly')
      await pause(lookEveryMs)
    }
  }

  async function write(data: string): Promise<void> {
    if (socket.bufferedAmount > highWaterBytes) await drained()
    if (socket.readyState === socket.OPEN) socket.send(data)
  }

  // The library's type says void, its code awaits the promise.
  const outlet = { send: write, addEventListener: () => undefined }
  return outlet
}
