import { AppError, isAppError, toAppError } from '../../base/app-error.ts'

export interface WriteBuffer<T> {
  /** Resolves once the batch with this item is committed; rejects when it could not be. */
  add(item: T, rows: number): Promise<void>
  /** Resolves when everything added before is settled. */
  flush(): Promise<void>
}

interface Waiting<T> {
  readonly item: T
  readonly rows: number
  readonly resolve: () => void
  readonly reject: (error: AppError) => void
}

export interface WriteBufferOptions<T> {
  /** One transaction. */
  readonly write: (items: readonly T[]) => Promise<void>
  /** How long a write may wait for company. */
  readonly delayMs: number
  /** A batch of this many rows goes at once. */
  readonly batchRows: number
  /** More rows than this may not wait (reliability.md C 2): the write is refused with 'server-overloaded'. */
  readonly maxRows: number
  /** Called for every write that was not kept, with its row count. */
  readonly onDropped: (rows: number, error: AppError) => void
}

/** Many small writes, one commit. A batch that fails takes nothing with it but its own items. */
export function createWriteBuffer<T>(options: WriteBufferOptions<T>): WriteBuffer<T> {
  let waiting: Waiting<T>[] = []
  let rowsHeld = 0
  let rowsWaiting = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  async function settle(batch: readonly Waiting<T>[]): Promise<void> {
    try {
      await options.write(batch.map(({ item }) => item))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      // One bad row, or a worker that was lost: alone, each gets its own chance. A full disk refuses them all.
      if (batch.length > 1 && !isAppError(error, 'server-disk-full')) {
        for (const one of batch) await settle([one])
        return
      }
      for (const { rows, reject } of batch) {
        const reason = toAppError(error)
        options.onDropped(rows, reason)
        reject(reason)
      }
    }
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      const rows = rowsWaiting
      waiting = []
      rowsWaiting = 0
      await settle(batch)
      rowsHeld -= rows
    }
  }

  function start(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    running ??= run().finally(() => (running = undefined))
    return running
  }

  return {
    add(item, rows) {
      if (rowsHeld + rows > options.maxRows) {
        const error = new AppError('server-overloaded', `More than ${options.maxRows} rows wait to be written`)
        options.onDropped(rows, error)
        return Promise.reject(error)
      }
      rowsHeld += rows
      rowsWaiting += rows
      return new Promise<void>((resolve, reject) => {
        waiting.push({ item, rows, resolve, reject })
        if (running) return
        if (rowsWaiting >= options.batchRows) void start()
        else timer ??= setTimeout(() => void start(), options.delayMs)
      })
    },
    flush: async () => {
      while (waiting.length > 0 || running) await start()
    },
  }
}
