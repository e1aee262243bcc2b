import type { WebSocket } from 'ws'

const pingEveryMs = 20_000
const goneAfterMs = 45_000
const lookEveryMs = 5_000

export interface KeepAlive {
  watch(socket: WebSocket): void
  close(): void
}

/** A ping every 20 s; a peer that is silent for 45 s is gone (iotta-protocol.md §1.3). */
export function createKeepAlive(now: () => number = () => performance.now()): KeepAlive {
  const sockets = new Map<WebSocket, { heardAt: number; pingedAt: number }>()
  const timer = setInterval(look, lookEveryMs).unref()

  function look(): void {
    const at = now()
    for (const [socket, times] of sockets) {
      if (at - times.heardAt >= goneAfterMs) socket.terminate()
      else if (at - times.pingedAt >= pingEveryMs && socket.readyState === socket.OPEN) {
        times.pingedAt = at
        socket.ping()
      }
    }
  }

  return {
    watch(socket) {
      const times = { heardAt: now(), pingedAt: now() }
      sockets.set(socket, times)
      const heard = () => void (times.heardAt = now())
      for (const event of ['message', 'ping', 'pong'] as const) socket.on(event, heard)
      socket.on('close', () => sockets.delete(socket))
    },
    close: () => clearInterval(timer),
  }
}
