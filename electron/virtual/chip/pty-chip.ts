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

/** The chip behind a pseudo-terminal. The chip is closed with it. Throws `chip-no-pty`. */
export function openChipOnPty(chip: VirtualChip, tell: (event: PtyEvent) => void): PtyChip {
  let pty: Pty | undefined
  let side: ChipSide | undefined
  let closing = false

  const host: HostSide = {
    send: (bytes) => pty?.write(bytes),
    baud: () => pty?.baud(),
    unplugged() {
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
      async data(bytes) {
        await side?.receive(bytes)
      },
      closed() {
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
