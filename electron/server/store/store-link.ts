import { Worker } from 'node:worker_threads'
import { AppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import {
  lockedCode,
  type OpenOrder,
  type StoreAnswer,
  type StoreFailure,
  type StoreOrder,
  type StoreReply,
} from './store-protocol.ts'

export interface StoreLink {
  /** Grows when the worker had to be started again: a transaction of an earlier generation is gone. */
  readonly generation: number
  /**
   * Runs one order. Rejects with 'server-disk-full', 'server-store-failed', 'server-already-running' (open) or
   * 'server-store-closed'. While a lost worker is being replaced, orders wait for the outcome of that attempt.
   */
  send(order: StoreOrder): Promise<StoreAnswer>
  /** Lets the worker checkpoint and end itself. Idempotent. */
  close(): Promise<void>
}

interface Pending {
  readonly resolve: (answer: StoreAnswer) => void
  readonly reject: (error: AppError) => void
}

interface Thread {
  nextId: number
  readonly worker: Worker
  readonly pending: Map<number, Pending>
  readonly ended: Promise<void>
}

/** Starts the thread at `entry`; `open` is sent first, after every restart too. Rejects when that first open fails. */
export async function openStoreLink(options: { entry: URL; open: OpenOrder; log: Log }): Promise<StoreLink> {
  const { log } = options
  let generation = 0
  let closing: Promise<void> | undefined
  /** Set while no thread is open; resolves when one is, rejects when the attempt failed. */
  let restart: Promise<void> | undefined
  let thread = await start()

  async function start(): Promise<Thread> {
    const started = startThread(options.entry, log)
    try {
      await post(started, options.open)
    } catch (error) {
      // The thread stays alive after a refused open; let it end by itself.
      started.worker.postMessage({ id: -1, do: 'close' })
      await started.ended
      throw error
    }
    generation += 1
    void started.ended.then(() => {
      if (closing) return
      log.error('store worker stopped, starting another', { generation })
      void again().catch(() => undefined)
    })
    return started
  }

  function again(): Promise<void> {
    restart ??= start()
      .then((started) => {
        thread = started
        log.info('store worker runs again', { generation })
      })
      .catch((error: unknown) => {
        log.error('store worker could not open the files', { error })
        throw error
      })
      .finally(() => (restart = undefined))
    return restart
  }

  return {
    get generation() {
      return generation
    },
    async send(order) {
      if (closing) throw new AppError('server-store-closed', 'The store is closed')
      // An attempt that failed is repeated by the next caller: the files may be usable again.
      if (restart ?? hasEnded(thread)) await again()
      return post(thread, order)
    },
    close() {
      closing ??= (async () => {
        await restart?.catch(() => undefined)
        if (hasEnded(thread)) return
        await post(thread, { do: 'close' }).finally(() => thread.ended)
      })()
      return closing
    },
  }
}

function post(thread: Thread, order: StoreOrder): Promise<StoreAnswer> {
  const id = thread.nextId++
  return new Promise((resolve, reject) => {
    if (hasEnded(thread)) {
      reject(new AppError('server-store-failed', 'The store worker has stopped'))
      return
    }
    thread.pending.set(id, { resolve, reject })
    thread.worker.postMessage({ ...order, id })
  })
}

function hasEnded(thread: Thread): boolean {
  return thread.worker.threadId === -1
}

function startThread(entry: URL, log: Log): Thread {
  const worker = new Worker(entry, { env: {}, execArgv: [], stdin: false })
  const pending = new Map<number, Pending>()
  const ended = Promise.withResolvers<undefined>()

  worker.on('message', (reply: StoreReply) => {
    const waiting = pending.get(reply.id)
    pending.delete(reply.id)
    if ('answer' in reply) waiting?.resolve(reply.answer)
    else waiting?.reject(errorOf(reply.error))
  })
  worker.on('error', (error) => log.error('store worker failed', { error }))
  worker.on('exit', () => {
    for (const { reject } of pending.values()) {
      reject(new AppError('server-store-failed', 'The store worker stopped before it answered'))
    }
    pending.clear()
    ended.resolve(undefined)
  })
  return { nextId: 0, worker, pending, ended: ended.promise }
}

/** SHMSIZE is how a full disk looks when the shared index of the log cannot grow. */
const fullCodes = ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']

function errorOf({ code, message, file }: StoreFailure): AppError {
  if (code === lockedCode) return new AppError('server-already-running', message)
  const kind = fullCodes.includes(code) ? 'server-disk-full' : 'server-store-failed'
  const where = file ? `${file}.db: ` : ''
  return new AppError(kind, `${where}${message} (${code})`, { details: { sqlite: code, file: file ?? '' } })
}
