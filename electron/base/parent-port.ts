/** The child's side of base/launcher.ts, the same under fork and under Electron's utilityProcess. */
export interface ParentPort {
  post(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

interface UtilityPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
}

/** Undefined when the program was started by hand. A child whose parent is gone ends itself. */
export function connectParent(): ParentPort | undefined {
  const utility = (process as unknown as { parentPort?: UtilityPort }).parentPort
  if (utility) {
    return {
      post: (message) => utility.postMessage(message),
      onMessage: (listener) => utility.on('message', (event) => listener(event.data)),
    }
  }
  if (!process.send) return undefined
  process.on('disconnect', () => process.exit())
  return {
    post: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    onMessage: (listener) => void process.on('message', listener),
  }
}
