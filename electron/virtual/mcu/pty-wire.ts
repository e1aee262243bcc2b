import type { ByteWire } from '../../base/byte-wire.ts'
import { garbled } from '../../contract/uart-baud.ts'
import { usualBaud } from '../../contract/uart-wire.ts'
import { openPty } from '../chip/pty.ts'

export interface PtyWire extends ByteWire {
  /** Another program opened or closed the port. */
  onPeer(listener: (there: boolean) => void): void
}

/**
 * Our end of a pseudo-terminal with a speed of its own: a peer that opened the port with another speed reads what a real
 * receiver would read, and so do we. A peer that never set a speed is only taken at its word when we were told ours.
 * Throws `chip-no-pty`.
 */
export function openPtyWire(baud = usualBaud): PtyWire {
  const listeners = new Set<(bytes: Uint8Array) => void>()
  const peerListeners: ((there: boolean) => void)[] = []
  const closeListeners: ((unplugged: boolean) => void)[] = []
  let own = baud
  let closed = false
  const pty = openPty({
    opened: () => peerListeners.forEach((listener) => listener(true)),
    data(bytes) {
      const heard = garbled(bytes, peerBaud(), own)
      if (heard.length > 0) for (const listener of listeners) listener(heard)
      return undefined
    },
    closed: () => peerListeners.forEach((listener) => listener(false)),
  })

  function peerBaud(): number {
    return pty.baud() ?? (own === baud && baud !== usualBaud ? usualBaud : own)
  }

  return {
    path: pty.path,
    async write(bytes) {
      pty.write(garbled(bytes, own, peerBaud()))
    },
    onData(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async setBaud(speed) {
      own = speed
    },
    drain: async () => undefined,
    async close() {
      if (closed) return
      closed = true
      pty.close()
      for (const listener of closeListeners) listener(false)
    },
    onClosed: (listener) => void closeListeners.push(listener),
    onPeer: (listener) => void peerListeners.push(listener),
  }
}
