import { isMainThread } from 'node:worker_threads'
import { forbidFork } from './forbid-fork.ts'
import { createEvents, imitate, notImitated } from './imitated.ts'
import { createPortEnd, type PortEnd } from './port-end.ts'
import type { FromUtility, ToUtility } from './utility-wire.ts'

// Loaded before the program (`--import`): gives a forked Node process what Electron's utility process has.
// Worker threads inherit the option, but have no parentPort.
if (isMainThread) becomeUtility()

function becomeUtility(): void {
  const channel = process.send?.bind(process)
  if (!channel) throw new Error('the shim of utility processes needs an IPC channel')
  const send = (message: FromUtility) => void channel(message, undefined, undefined, () => undefined)
  // Main is gone: Electron ends its utility processes too.
  process.on('disconnect', () => process.exit(0))
  Reflect.deleteProperty(process, 'send')
  forbidFork()

  const events = createEvents('ParentPort', ['message'])
  const ports = new Map<number, PortEnd>()
  const waiting: object[] = []
  let heard = false
  const listen = (how: 'on' | 'once') => (event: string, listener: (...args: never[]) => void) => {
    events.members[how](event, listener)
    heard = true
    for (const message of waiting.splice(0)) events.emit('message', message)
  }

  function open(id: number): PortEnd {
    const end = createPortEnd({
      send: (data) => send({ from: 'port', port: id, data }),
      close: () => send({ from: 'close', port: id }),
    })
    ports.set(id, end)
    return end
  }

  process.on('message', (message: ToUtility) => {
    if (message.to === 'port') return ports.get(message.port)?.receive(message.data)
    if (message.to === 'closed') return ports.get(message.port)?.closed()
    const event = { data: message.data, ports: message.ports.map((id) => open(id).port) }
    if (heard) events.emit('message', event)
    else waiting.push(event)
  })

  const parentPort = imitate(
    'ParentPort',
    {
      ...events.members,
      on: listen('on'),
      once: listen('once'),
      postMessage(data: unknown, ...more: readonly unknown[]) {
        // electron.d.ts has no second parameter: a port handed over here would be lost without a word.
        if (more.length > 0) throw notImitated('parentPort.postMessage with a transfer list')
        send({ from: 'parentPort', data })
      },
    },
    events,
  )
  Object.defineProperty(process, 'parentPort', { value: parentPort })
}
