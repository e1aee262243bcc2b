import { createEvents, imitate, notImitated } from './imitated.ts'

/** MessagePortMain as a program sees it, in main and in a utility process alike. */
export interface PortEnd {
  readonly port: {
    postMessage(message: unknown, transfer?: readonly unknown[]): void
    start(): void
    close(): void
    on(event: string, listener: (...args: never[]) => void): void
  }
  /** A message from the other end; kept until `start`. */
  receive(data: unknown): void
  /** The other end is gone. */
  closed(): void
  /** Messages that nobody has taken yet: they travel with the port when it is handed on. */
  takeWaiting(): readonly unknown[]
}

interface Road {
  send(data: unknown): void
  close(): void
}

export function createPortEnd(road: Road): PortEnd {
  const events = createEvents('MessagePortMain', ['message', 'close'])
  const waiting: unknown[] = []
  let state: 'paused' | 'started' | 'closed' = 'paused'
  const emit = (data: unknown) => events.emit('message', { data, ports: [] })
  return {
    port: imitate(
      'MessagePortMain',
      {
        ...events.members,
        postMessage(message: unknown, transfer: readonly unknown[] = []) {
          if (transfer.length > 0) throw notImitated('ports sent through a port')
          if (state !== 'closed') road.send(message)
        },
        start() {
          if (state !== 'paused') return
          state = 'started'
          for (const data of waiting.splice(0)) emit(data)
        },
        close() {
          if (state === 'closed') return
          state = 'closed'
          road.close()
        },
      },
      events,
    ),
    receive(data) {
      if (state === 'started') emit(data)
      else if (state === 'paused') waiting.push(data)
    },
    closed() {
      if (state === 'closed') return
      state = 'closed'
      events.emit('close')
    },
    takeWaiting: () => waiting.splice(0),
  }
}
