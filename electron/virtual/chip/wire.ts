import type { ConsoleKind } from './registers.ts'
import type { Lines } from './reset-lines.ts'
import { createWirePace } from './wire-pace.ts'

/** The host's end of the cable. */
export interface HostSide {
  send(bytes: Uint8Array): void
  /** The speed of the host's port; undefined when the host has none or never set it. */
  baud(): number | undefined
  /** The cable is pulled at the board (fault `unplug`, or unplug()). */
  unplugged(): void
}

/** The board's end of the cable, as the host uses it. */
export interface ChipSide {
  /** Undefined: taken at once. From a paced chip a promise that resolves when the bytes have gone over the wire. */
  receive(bytes: Uint8Array): Promise<void> | undefined
  setLines(lines: Lines): void
  detach(): void
}

export interface WireOptions {
  readonly console: ConsoleKind
  /** Bytes to the board take their time, at this speed at most. */
  readonly paceBaud: number | undefined
  onBytes(bytes: Uint8Array): void
  onLines(lines: Lines): void
}

export interface Wire {
  attach(host: HostSide): ChipSide
  /** Lost when no host is there; other bits than ours when its speed differs. */
  send(bytes: Uint8Array): void
  /** The board's own speed. */
  baud: number
  unplug(): void
}

export const consoleBaud = 115200

/** The serial line between a host and the chip. USB consoles have no speed. */
export function createWire(options: WireOptions): Wire {
  const { paceBaud } = options
  const isUart = options.console === 'uart'
  const pace = createWirePace()
  let host: HostSide | undefined
  let baud = consoleBaud

  const speedsDiffer = () => {
    const theirs = host?.baud()
    return isUart && theirs !== undefined && theirs !== baud
  }

  return {
    get baud() {
      return baud
    },
    set baud(next) {
      baud = next
    },
    send: (bytes) => host?.send(speedsDiffer() ? bytes.map((byte) => (byte * 5 + 0x81) & 0xff) : bytes),
    unplug: () => host?.unplugged(),
    attach(side) {
      host = side
      return {
        receive(bytes) {
          const take = () => {
            if (host === side && !speedsDiffer()) options.onBytes(bytes)
          }
          if (paceBaud !== undefined)
            return pace.pass(bytes.length, isUart ? Math.min(paceBaud, baud) : paceBaud).then(take)
          take()
          return undefined
        },
        setLines: (lines) => options.onLines(lines),
        detach() {
          if (host === side) host = undefined
        },
      }
    },
  }
}
