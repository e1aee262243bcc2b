import type { Connection } from './connection.ts'

type Source<T> = (signal: AbortSignal) => Promise<AsyncIterable<T>>

const REFUSED_DELAY_MS = 2_000

/**
 * An iterator ends with its socket. The follower waits for the next `open` and asks again; as every stream of the
 * contract starts with a snapshot, nothing is missed and nothing is mixed.
 */
export function createSubscriber(connection: Pick<Connection, 'link' | 'onChange'>) {
  function opened(signal: AbortSignal): Promise<void> {
    if (connection.link() === 'open' || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const off = connection.onChange((link) => {
        if (link === 'open') finish()
      })
      const finish = () => {
        off()
        resolve()
      }
      signal.addEventListener('abort', finish, { once: true })
    })
  }

  const pause = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, REFUSED_DELAY_MS)
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
    })

  async function take<T>(stream: Promise<AsyncIterable<T>>, each: (value: T) => void) {
    for await (const value of await stream) each(value)
  }

  async function follow<T>(source: Source<T>, each: (value: T) => void, signal: AbortSignal) {
    const unlessStopped = (value: T) => (signal.aborted ? undefined : each(value))
    while (!signal.aborted) {
      await opened(signal)
      // The socket went, or the server refused: both are shown by the link state, and asked again below.
      await take(source(signal), unlessStopped).catch(() => undefined)
      // A stream that ends while the socket is open must not become a busy loop.
      if (connection.link() === 'open') await pause(signal)
    }
  }

  return function subscribe<T>(source: Source<T>, each: (value: T) => void): () => void {
    const controller = new AbortController()
    void follow(source, each, controller.signal)
    return () => controller.abort()
  }
}
