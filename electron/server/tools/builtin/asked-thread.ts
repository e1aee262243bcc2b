import { Worker } from 'node:worker_threads'
import { type EntryName, entryUrl } from '../../../base/entries.ts'

const maxHeapMb = 256

/** A thread that answers one request at a time, and is ended when it does not. */
export interface AskedThread<Reply> {
  /** The next message. Rejects what `lost` makes when none comes in time, or the thread dies. */
  answer(): Promise<Reply>
  ask(request: unknown): Promise<Reply>
  end(): Promise<void>
}

/** `Reply` is what the entry of that name posts: both are ours. */
export function startAskedThread<Reply>(
  entry: EntryName,
  options: { readonly work?: unknown; readonly patienceMs: number; readonly lost: (why: string) => Error },
): AskedThread<Reply> {
  const worker = new Worker(entryUrl(entry), {
    workerData: options.work,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  let isGone = false
  // Out of memory between two requests: the next one finds it gone.
  worker.on('error', () => undefined).once('exit', () => (isGone = true))
  let ended: Promise<unknown> | undefined

  function answer(): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    if (isGone) return Promise.reject(options.lost('its thread has ended'))
    const timer = setTimeout(() => reject(options.lost('it takes too long')), options.patienceMs)
    const onMessage = (message: Reply) => resolve(message)
    const onEnd = () => reject(options.lost('its thread ended'))
    worker.once('message', onMessage).once('error', onEnd).once('exit', onEnd)
    return promise.finally(() => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd)
    })
  }
  return {
    answer,
    ask(request) {
      const got = answer()
      worker.postMessage(request)
      return got
    },
    async end() {
      await (ended ??= worker.terminate())
    },
  }
}
