import type { RawData, WebSocket } from 'ws'
import type { DeviceSocket } from '../../base/device-socket.ts'

export interface BoardSocketOptions {
  readonly socket: WebSocket
  readonly listener: 'tls' | 'loopback'
  readonly address: string
}

const closeGraceMs = 1_000
// reliability.md C 7: a reader that stands still is let go, nobody's queue grows for ever.
const outboundLimitBytes = 1024 * 1024

/** A ws socket behind the five methods that sessions know. Nothing is read before the first `onMessage`. */
export function createBoardSocket({ socket, listener, address }: BoardSocketOptions): DeviceSocket {
  let receive: ((data: string | Uint8Array) => void) | undefined
  let closeCode: number | undefined
  const closeListeners: ((code: number) => void)[] = []
  let closing = false

  socket.pause()
  socket.on('message', (data, isBinary) => receive?.(messageOf(data, isBinary)))
  socket.on('close', (code) => {
    closeCode = code
    closeListeners.splice(0).forEach((tell) => tell(code))
  })

  function close(code: number, reason = ''): void {
    if (closing || closeCode !== undefined) return
    closing = true
    closeSocket(socket, code, reason)
  }

  return {
    listener,
    address,
    send(data) {
      if (closing || closeCode !== undefined) return
      if (socket.bufferedAmount > outboundLimitBytes) close(1013, 'too slow')
      else socket.send(data)
    },
    get bufferedAmount() {
      return socket.bufferedAmount
    },
    onMessage(next) {
      receive = next
      socket.resume()
    },
    onClose(tell) {
      if (closeCode === undefined) closeListeners.push(tell)
      else tell(closeCode)
    },
    close,
  }
}

/** A stalled peer never answers the close frame: it is cut after 1 s. The reason is cut to what a frame holds. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  // A paused socket would never read the peer's close frame.
  socket.resume()
  socket.close(code, Buffer.from(reason).subarray(0, 120))
  const timer = setTimeout(() => socket.terminate(), closeGraceMs)
  socket.once('close', () => clearTimeout(timer))
}

function messageOf(data: RawData, isBinary: boolean): string | Uint8Array {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? Buffer.from(data) : data
  return isBinary ? bytes : bytes.toString('utf8')
}
