import { AppError } from '../../base/app-error.ts'
import type { ByteWire } from '../../base/byte-wire.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'

/** A wire that may come back after it was pulled out. */
export interface SessionWire extends ByteWire {
  /** False when the cable was pulled, true when the same device is open again. */
  readonly onPlug?: (listener: (there: boolean) => void) => void
}

/** Which device stands behind a port. */
export interface PlugBook {
  /** A name that no other device has; null when it has none, as a PTY or an adapter without a serial number. */
  identify(path: string): Promise<string | null>
  /** Where that device is now; null: not plugged in, or two claim to be it. */
  find(identity: string): Promise<string | null>
}

interface WireParts {
  readonly open: (path: string, baud: number) => Promise<ByteWire>
  readonly plugs: PlugBook
  readonly clock: Clock
  readonly log: Log
}

const lookEveryMs = 1_000

/**
 * Opens a port that is opened again after an unplug and a replug, by its USB serial number and never by its path: what
 * is plugged into the same socket may be another device. Rejects as `open`; closes for good without a serial number.
 */
export async function openRejoiningWire(path: string, firstBaud: number, parts: WireParts): Promise<SessionWire> {
  const first = await parts.open(path, firstBaud)
  const identity = await parts.plugs.identify(path).catch(() => null)
  return identity === null ? first : rejoin(first, { ...parts, identity, baud: firstBaud })
}

function rejoin(first: ByteWire, parts: WireParts & { identity: string; baud: number }): SessionWire {
  const { clock, log } = parts
  const dataListeners = new Set<(bytes: Uint8Array) => void>()
  const plugListeners: ((there: boolean) => void)[] = []
  const closeListeners: ((unplugged: boolean) => void)[] = []
  let { baud } = parts
  let current: ByteWire | undefined
  let isClosed = false
  let stopLooking: (() => void) | undefined

  function use(wire: ByteWire): void {
    current = wire
    wire.onData((bytes) => dataListeners.forEach((listener) => listener(bytes)))
    wire.onClosed((unplugged) => {
      current = undefined
      if (!unplugged || isClosed) return
      plugListeners.forEach((listener) => listener(false))
      lookSoon()
    })
  }

  function lookSoon(): void {
    stopLooking = clock.after(lookEveryMs, () => void look())
  }

  async function look(): Promise<void> {
    try {
      const at = await parts.plugs.find(parts.identity)
      const wire = at === null ? undefined : await parts.open(at, baud)
      if (isClosed) return await wire?.close()
      if (!wire) return lookSoon()
      log.info('the port is back', { port: at })
      use(wire)
      plugListeners.forEach((listener) => listener(true))
    } catch (error) {
      // The node of a device appears before its rights do.
      log.debug('the port cannot be opened yet', { error })
      if (!isClosed) lookSoon()
    }
  }

  use(first)
  return {
    path: first.path,
    write: async (bytes) => plugged(current, first.path).write(bytes),
    onData(listener) {
      dataListeners.add(listener)
      return () => void dataListeners.delete(listener)
    },
    async setBaud(wanted) {
      baud = wanted
      await plugged(current, first.path).setBaud(wanted)
    },
    drain: async () => plugged(current, first.path).drain(),
    async close() {
      if (isClosed) return
      isClosed = true
      stopLooking?.()
      await current?.close()
      closeListeners.forEach((listener) => listener(false))
    },
    onClosed: (listener) => void closeListeners.push(listener),
    onPlug: (listener) => void plugListeners.push(listener),
  }
}

function plugged(wire: ByteWire | undefined, path: string): ByteWire {
  if (wire) return wire
  throw new AppError('uart-unplugged', `${path} is not plugged in`)
}
