import { type UtilityParent, type UtilityPort, utilityParent } from './utility-port.ts'

/** The child's side of base/launcher.ts, the same under fork and under Electron's utilityProcess. */
export interface ParentPort {
  post(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

/** Undefined when the program was started by hand. A child whose parent is gone ends itself. */
export function connectParent(): ParentPort | undefined {
  const utility = utilityParent()
  if (utility) return connectPeer(utility)
  if (!process.send) return undefined
  process.on('disconnect', () => process.exit())
  return {
    post: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    onMessage: (listener) => void process.on('message', listener),
  }
}

/** In the desktop app main starts the process and sends it a port to the server: until then messages wait. */
function connectPeer(utility: UtilityParent): ParentPort {
  let port: UtilityPort | undefined
  const waiting: unknown[] = []
  const listeners: ((message: unknown) => void)[] = []
  utility.on('message', (event) => {
    port = event.ports[0]
    port?.on('message', ({ data }) => {
      for (const listener of listeners) listener(data)
    })
    port?.start()
    for (const message of waiting.splice(0)) port?.postMessage(message)
  })
  return {
    post(message) {
      if (port) port.postMessage(message)
      else waiting.push(message)
    },
    onMessage: (listener) => void listeners.push(listener),
  }
}
