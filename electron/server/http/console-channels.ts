import type { WebSocket } from 'ws'
import type { Auth, Caller } from './auth.ts'
import { closeSocket } from './board-socket.ts'

/** The open RPC sockets: a session that ends takes its sockets with it, as the cookie is not read again. */
export interface ConsoleChannels {
  add(socket: WebSocket, caller: Caller): void
  closeAll(code: number, reason: string): void
}

export function createConsoleChannels(auth: Auth): ConsoleChannels {
  const open = new Map<WebSocket, Caller>()
  auth.onSessionEnded((session) => {
    for (const [socket, caller] of open) if (caller.session === session) closeSocket(socket, 4401, 'signed out')
  })
  return {
    add(socket, caller) {
      open.set(socket, caller)
      socket.on('close', () => open.delete(socket))
    },
    closeAll(code, reason) {
      for (const socket of open.keys()) closeSocket(socket, code, reason)
    },
  }
}
