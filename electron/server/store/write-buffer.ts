import { AppError, toAppError } from '../../base/app-error.ts'

export interface WriteBuffer<T> {
  /** Resolves once the batch with this item is committed; rejects when it could not be. */
  readonly add: (item: T, rows: number) => Promise<void>
  /** Resolves when everything added before is settled. */
  readonly flush: () => Promise<void>
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
  const batches = createBatches(options)
  const unsettled = new Set<Promise<void>>()
  return {
    add(item, rows) {
      const write = batches.add(item, rows)
      unsettled.add(write)
      const forget = () => void unsettled.delete(write)
      write.then(forget, forget)
      return write
    },
    // Not until nothing waits: that may never be while others go on writing.
    async flush() {
      void batches.start()
      await Promise.allSettled([...unsettled])
    },
  }
}

function createBatches<T>(options: WriteBufferOptions<T>) {
  let waiting: Waiting<T>[] = []
  let rowsHeld = 0
  let rowsWaiting = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<unknown> | undefined

  async function settle(batch: readonly Waiting<T>[], last = false): Promise<void> {
    try {
      await options.write(batch.map(({ item }) => item))
      for (const { resolve } of batch) resolve()
    } catch (thrown) {
      const error = toAppError(thrown)
      // One bad row, or a worker that was lost: alone, each gets a second chance. A full disk refuses them all.
      if (last || error.code === 'server-disk-full') refuse(batch, error)
      else for (const one of batch) await settle([one], true)
    }
  }

  function refuse(batch: readonly Pick<Waiting<T>, 'rows' | 'reject'>[], error: AppError): void {
    for (const { rows, reject } of batch) {
      options.onDropped(rows, error)
      reject(error)
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
    // In the same turn as the last look at `waiting`: what is added from here on starts a run of its own.
    running = undefined
  }

  function start(): Promise<unknown> {
    clearTimeout(timer)
    timer = undefined
    if (running || waiting.length === 0) return running ?? Promise.resolve()
    // Not before `running` is set: a write that adds a write would begin a run inside this one, and so on.
    const { promise, resolve } = Promise.withResolvers<undefined>()
    running = promise
    void run().then(() => resolve(undefined))
    return promise
  }

  function add(item: T, rows: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (rowsHeld + rows > options.maxRows) {
        refuse([{ rows, reject }], new AppError('server-overloaded', `More than ${options.maxRows} rows wait`))
        return
      }
      rowsHeld += rows
      rowsWaiting += rows
      waiting.push({ item, rows, resolve, reject })
      if (running) return
      if (rowsWaiting >= options.batchRows) void start()
      else timer ??= setTimeout(() => void start(), options.delayMs)
    })
  }

  return { add, start }
}
