import type { EventEmitter } from 'node:events'

interface Poller extends EventEmitter {
  poll(events: number): void
}

const readable = 1
const writable = 2

/**
 * @serialport/bindings-cpp 13 arms its poll handle with the newest wish alone: a read that starts while a write waits for
 * room takes the write's wake-up away, and both sides wait for ever. Seen in one of twelve jobs over a PTY: the board had
 * taken every byte and the port was writable. Here each wish is armed together with those that still wait. Ports without
 * such a poller (Windows, in-process) are left alone.
 */
export function keepPollWishes(port: unknown): void {
  const { poller } = Object(port) as { poller?: unknown }
  if (!isPoller(poller)) return
  const arm = poller.poll.bind(poller)
  poller.poll = (events) => {
    const reading = poller.listenerCount('readable') > 0 ? readable : 0
    const writing = poller.listenerCount('writable') > 0 ? writable : 0
    arm(events | reading | writing)
  }
}

function isPoller(value: unknown): value is Poller {
  const candidate = Object(value) as Partial<Poller>
  return typeof candidate.poll === 'function' && typeof candidate.listenerCount === 'function'
}
