import type { ChipEvent } from './chip-events.ts'
import type { VirtualChip } from './chip.ts'
import { openPty, type Pty } from './pty.ts'
import type { ChipSide, HostSide } from './wire.ts'

export type PtyEvent =
  | ChipEvent
  | { readonly event: 'opened' }
  | { readonly event: 'closed' }
  | { readonly event: 'unplugged' }
  | { readonly event: 'plugged'; readonly port: string }

export interface PtyChip {
  /** The path of the port; it may change with plug(). */
  readonly port: string
  unplug(): void
  plug(): void
  close(): Promise<void>
}

const emptyFrame = new Uint8Array([0xc0, 0xc0])
const nudgeMs = 40
const nudgeLimit = 10

/** The chip behind a pseudo-terminal. The chip is closed with it. Throws `chip-no-pty`. */
export function openChipOnPty(chip: VirtualChip, tell: (event: PtyEvent) => void): PtyChip {
  let pty: Pty | undefined
  let side: ChipSide | undefined
  let closing = false
  const nudge = createNudge(chip, () => pty?.write(emptyFrame))

  const host: HostSide = {
    send: (bytes) => pty?.write(bytes),
    baud: () => pty?.baud(),
    unplugged() {
      nudge.stop()
      const old = pty
      pty = undefined
      side?.detach()
      side = undefined
      old?.close()
      if (!closing) tell({ event: 'unplugged' })
    },
  }

  function open(): Pty {
    const made = openPty({
      opened() {
        side = chip.attach(host)
        tell({ event: 'opened' })
      },
      data(bytes) {
        nudge.soon()
        return side?.receive(bytes)
      },
      closed() {
        nudge.stop()
        side?.detach()
        side = undefined
        tell({ event: 'closed' })
      },
    })
    pty = made
    return made
  }

  let { path } = open()
  return {
    get port() {
      return path
    },
    unplug() {
      chip.unplug()
      // Without a peer the chip has no host to tell.
      if (pty) host.unplugged()
    },
    plug() {
      if (pty) return
      path = open().path
      tell({ event: 'plugged', port: path })
      chip.plug()
    },
    async close() {
      closing = true
      if (pty) host.unplugged()
      await chip.close()
    },
  }
}

/**
 * The native binding of serialport 13 forgets that it waits to write when it waits to read meanwhile (its Poller arms
 * only the newest wish), and a block that did not fit into the terminal's buffer then stays half sent for ever. Input
 * wakes it: an empty frame, which every SLIP reader passes over (flashing.md §1.1).
 */
function createNudge(chip: VirtualChip, wake: () => void): { soon(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  const arm = (left: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (!chip.inFrame() || left === 0) return
      wake()
      arm(left - 1)
    }, nudgeMs)
  }
  return { soon: () => arm(nudgeLimit), stop: () => clearTimeout(timer) }
}
