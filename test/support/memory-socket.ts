import type { DeviceSocket } from '../../electron/base/device-socket.ts'

/** The board's end of a linked pair. */
export interface FarSocket {
  send(data: string | Uint8Array): void
  close(code?: number): void
  /** Everything the server sent, in order. */
  readonly received: readonly (string | Uint8Array)[]
  onMessage(listener: (data: string | Uint8Array) => void): void
  /** The code of the close, from either side. */
  readonly closed: Promise<number>
  readonly closeCode: number | undefined
  /** Stops reading: what the server sends from now on piles up in its `bufferedAmount`. */
  stall(): void
  /** What piled up. */
  readonly unread: readonly (string | Uint8Array)[]
  readonly buffered: number
}

export interface SocketPair {
  readonly near: DeviceSocket
  readonly far: FarSocket
}

/** Two ends of one connection in memory. Messages arrive in order, in a later microtask, as from a network. */
export function createSocketPair(options: { listener?: DeviceSocket['listener']; address?: string } = {}): SocketPair {
  const closing = Promise.withResolvers<number>()
  const received: (string | Uint8Array)[] = []
  let closeCode: number | undefined
  let stalled = false
  let buffered = 0
  const unread: (string | Uint8Array)[] = []
  let nearListener: ((data: string | Uint8Array) => void) | undefined
  let farListener: ((data: string | Uint8Array) => void) | undefined
  const closeListeners: ((code: number) => void)[] = []

  function end(code: number): void {
    if (closeCode !== undefined) return
    closeCode = code
    closing.resolve(code)
    for (const listener of closeListeners) listener(code)
  }

  const near: DeviceSocket = {
    listener: options.listener ?? 'loopback',
    address: options.address ?? '127.0.0.1',
    send(data) {
      if (closeCode !== undefined) return
      if (stalled) {
        unread.push(data)
        buffered += typeof data === 'string' ? Buffer.byteLength(data) : data.byteLength
        return
      }
      received.push(data)
      queueMicrotask(() => farListener?.(data))
    },
    get bufferedAmount() {
      return buffered
    },
    onMessage: (listener) => (nearListener = listener),
    onClose(listener) {
      if (closeCode === undefined) closeListeners.push(listener)
      else listener(closeCode)
    },
    close: (code) => end(code),
  }
  const far: FarSocket = {
    send(data) {
      queueMicrotask(() => {
        if (closeCode === undefined) nearListener?.(data)
      })
    },
    close: (code = 1000) => end(code),
    received,
    onMessage: (listener) => (farListener = listener),
    closed: closing.promise,
    get closeCode() {
      return closeCode
    },
    stall: () => (stalled = true),
    unread,
    get buffered() {
      return buffered
    },
  }
  return { near, far }
}
