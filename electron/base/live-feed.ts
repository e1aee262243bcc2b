import { AppError } from './app-error.ts'

/** A subscription as a `for await` loop and an oRPC event iterator take it. */
export type LiveItems<T> = AsyncGenerator<T, undefined, void>

export interface SubscribeOptions<T> {
  /** The first item; taken at once, so nothing published later is missed and nothing in it comes twice. */
  readonly snapshot?: ((revision: number) => T) | undefined
  /** Waiting items of the same key are replaced by the newest. `undefined` = never replaced. */
  readonly key?: ((item: T) => string | undefined) | undefined
  /** How many items may wait (after coalescing) before the subscriber is ended. Default 256. */
  readonly max?: number | undefined
}

export interface LiveFeed<T> {
  /** Of the last publication; grows by one each, starts at 0. */
  readonly revision: number
  readonly subscribers: number
  /** Gives the item, or what the function makes of the new revision, to every subscriber. Never waits, never throws. */
  publish(item: T | ((revision: number) => T)): void
  /**
   * Ends when the signal aborts or the feed closes. A subscriber that does not keep up is ended with
   * 'server-overloaded' after the items that waited were dropped: it subscribes again and gets a new snapshot.
   */
  subscribe(signal?: AbortSignal, options?: SubscribeOptions<T>): LiveItems<T>
  /** Ends every subscription, those to come too. Idempotent. */
  close(): void
}

/** Bounded publish and subscribe for live views (architecture.md D11; reliability.md C 7: nobody's queue grows for ever). */
export function createLiveFeed<T>(): LiveFeed<T> {
  const subscribers = new Set<Subscriber<T>>()
  let revision = 0
  let closed = false

  return {
    get revision() {
      return revision
    },
    get subscribers() {
      return subscribers.size
    },
    publish(item) {
      if (closed) return
      revision += 1
      // A function is never an item: what is published crosses a wire.
      const made = typeof item === 'function' ? (item as (revision: number) => T)(revision) : item
      for (const subscriber of subscribers) subscriber.push(made)
    },
    subscribe(signal, options = {}) {
      const subscriber = createSubscriber(options, () => {
        signal?.removeEventListener('abort', subscriber.end)
        subscribers.delete(subscriber)
      })
      if (closed || signal?.aborted) {
        subscriber.end()
        return subscriber.items
      }
      signal?.addEventListener('abort', subscriber.end)
      if (options.snapshot) subscriber.push(options.snapshot(revision))
      subscribers.add(subscriber)
      return subscriber.items
    },
    close() {
      closed = true
      for (const subscriber of [...subscribers]) subscriber.end()
    },
  }
}

interface Subscriber<T> {
  readonly items: LiveItems<T>
  push(item: T): void
  end(this: void): void
}

type Pull<T> = PromiseWithResolvers<IteratorResult<T, undefined>>

function createSubscriber<T>(options: SubscribeOptions<T>, onEnd: () => void): Subscriber<T> {
  const max = options.max ?? 256
  const queue = new Map<unknown, T>()
  const pulls: Pull<T>[] = []
  let ended = false
  let failure: AppError | undefined

  function end(error?: AppError): void {
    if (ended) return
    ended = true
    failure = error
    queue.clear()
    for (const pull of pulls.splice(0)) pull.resolve({ done: true, value: undefined })
    onEnd()
  }

  function push(item: T): void {
    if (ended) return
    const pull = pulls.shift()
    if (pull) {
      pull.resolve({ done: false, value: item })
      return
    }
    const key = options.key?.(item) ?? Symbol('item')
    // Out and in again: the newest stands last, so revisions only grow.
    queue.delete(key)
    queue.set(key, item)
    if (queue.size > max) {
      end(new AppError('server-overloaded', `A subscriber was ended: more than ${max} changes waited for it`))
    }
  }

  function next(): Promise<IteratorResult<T, undefined>> {
    for (const [key, value] of queue) {
      queue.delete(key)
      return Promise.resolve({ done: false, value })
    }
    if (failure) {
      const error = failure
      failure = undefined
      return Promise.reject(error)
    }
    if (ended) return Promise.resolve({ done: true, value: undefined })
    const pull: Pull<T> = Promise.withResolvers()
    pulls.push(pull)
    return pull.promise
  }

  async function stop(): Promise<IteratorReturnResult<undefined>> {
    end()
    return { done: true, value: undefined }
  }

  // By hand and not `async function*`: a generator's return() waits for its pending next(), which may never come.
  const items: LiveItems<T> = {
    next,
    return: stop,
    throw: stop,
    [Symbol.asyncIterator]: () => items,
    [Symbol.asyncDispose]: async () => end(),
  }
  return { items, push, end: () => end() }
}
