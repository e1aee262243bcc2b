import { imitate } from './imitated.ts'
import { createPortEnd, type PortEnd } from './port-end.ts'

// Electron hands a port from process to process; here both ends stay known to main, which relays between them. That is
// enough for server ⇄ sibling, and it is what recipes-desktop-serial.md §4 asks for.

/** Where a port can live besides main: a child, told by its IPC channel. */
export interface PortHome {
  deliver(portId: number, data: unknown): void
  peerClosed(portId: number): void
}

interface End {
  readonly id: number
  readonly local: PortEnd
  home: PortHome | undefined
  peer: End
}

const ends = new Map<number, End>()
const byPort = new Map<unknown, End>()
let nextId = 1

function createEnd(): End {
  const id = nextId
  nextId += 1
  const local = createPortEnd({ send: (data) => fromEnd(id, data), close: () => closeEnd(id) })
  const end: Omit<End, 'peer'> & { peer: End | undefined } = { id, local, home: undefined, peer: undefined }
  ends.set(id, end as End)
  byPort.set(local.port, end as End)
  return end as End
}

// A function, because `new` is how Electron's programs make one.
export const MessageChannelMain = imitate(
  'MessageChannelMain',
  Object.assign(function () {
    const [one, two] = [createEnd(), createEnd()]
    one.peer = two
    two.peer = one
    return imitate('MessageChannelMain', { port1: one.local.port, port2: two.local.port })
  }, {}),
)

/** Data that was posted at end `id`, wherever that end lives. */
export function fromEnd(id: number, data: unknown): void {
  const peer = ends.get(id)?.peer
  if (!peer || !ends.has(peer.id)) return
  if (peer.home) peer.home.deliver(peer.id, data)
  else peer.local.receive(data)
}

export function closeEnd(id: number): void {
  const end = ends.get(id)
  if (!end) return
  ends.delete(id)
  byPort.delete(end.local.port)
  if (!ends.has(end.peer.id)) return
  if (end.peer.home) end.peer.home.peerClosed(end.peer.id)
  else end.peer.local.closed()
}

/** Hands a port on; afterwards the object in main is dead. Throws on anything that is not a port of main. */
export function transferPort(port: unknown, home: PortHome): { id: number; waiting: readonly unknown[] } {
  const end = byPort.get(port)
  if (!end) throw new TypeError('Found invalid value in transferList: not a port, or handed on already')
  byPort.delete(port)
  end.home = home
  return { id: end.id, waiting: end.local.takeWaiting() }
}

/** A process that ended takes its ports along. */
export function closeHome(home: PortHome): void {
  for (const end of [...ends.values()]) if (end.home === home) closeEnd(end.id)
}
