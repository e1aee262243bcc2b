import { expect, test } from 'vitest'
import { AppError } from '../../base/app-error.ts'
import { createWriteBuffer, type WriteBufferOptions } from './write-buffer.ts'

function buffer(write: (items: readonly string[]) => Promise<void>, options: Partial<WriteBufferOptions<string>> = {}) {
  const dropped: [number, string][] = []
  const made = createWriteBuffer<string>({
    write,
    delayMs: 1,
    batchRows: 100,
    maxRows: 1000,
    onDropped: (rows, error) => dropped.push([rows, error.code]),
    ...options,
  })
  return { ...made, dropped }
}

const codes = async (writes: Promise<void>[]) =>
  (await Promise.allSettled(writes)).map((end) => (end.status === 'fulfilled' ? 'kept' : (end.reason as AppError).code))

test('writes that come together share one batch, and resolve after it', async () => {
  const batches: string[] = []
  const { add } = buffer(async (items) => void batches.push(items.join('')))
  await Promise.all([add('a', 1), add('b', 1), add('c', 1)])
  expect(batches).toEqual(['abc'])
})

test('what comes during a batch goes with the next one', async () => {
  const batches: string[] = []
  const gate = Promise.withResolvers<undefined>()
  const { add, flush } = buffer(
    async (items) => {
      batches.push(items.join(''))
      if (batches.length === 1) await gate.promise
    },
    { batchRows: 1 },
  )
  const first = add('a', 1)
  const later = [add('b', 1), add('c', 1)]
  gate.resolve(undefined)
  await Promise.all([first, ...later])
  await flush()
  expect(batches).toEqual(['a', 'bc'])
})

test('writes one after the other each get their commit', async () => {
  const { add } = buffer(async () => undefined)
  for (const item of ['a', 'b', 'c', 'd']) await add(item, 1)
  expect(await codes([add('e', 100)])).toEqual(['kept'])
})

test('one bad write fails alone', async () => {
  const { add, dropped } = buffer(async (items) => {
    if (items.includes('bad')) throw new AppError('server-store-failed', 'bad row')
  })
  expect(await codes([add('a', 1), add('bad', 7), add('c', 1)])).toEqual(['kept', 'server-store-failed', 'kept'])
  expect(dropped).toEqual([[7, 'server-store-failed']])
})

test('a full disk fails the batch and not the one after it', async () => {
  let full = true
  const { add, dropped } = buffer(async () => {
    if (full) throw new AppError('server-disk-full', 'no space')
  })
  expect(await codes([add('a', 1), add('b', 2)])).toEqual(['server-disk-full', 'server-disk-full'])
  full = false
  expect(await codes([add('c', 1)])).toEqual(['kept'])
  expect(dropped.map(([rows]) => rows)).toEqual([1, 2])
})

test('more rows than the limit do not wait, until there is room again', async () => {
  const gate = Promise.withResolvers<undefined>()
  const { add, dropped } = buffer(() => gate.promise, { batchRows: 1, maxRows: 10 })
  const held = [add('a', 6), add('b', 4)]
  expect(await codes([add('c', 1)])).toEqual(['server-overloaded'])
  gate.resolve(undefined)
  expect(await codes(held)).toEqual(['kept', 'kept'])
  expect(await codes([add('d', 10)])).toEqual(['kept'])
  expect(dropped).toEqual([[1, 'server-overloaded']])
})

test('a flush does not wait for what is written after it was asked for', async () => {
  let flushed = false
  let more = 0
  const { add, flush } = buffer(
    async () => {
      if (!flushed && more++ < 1000) void add('x', 1)
    },
    { batchRows: 1 },
  )
  void add('a', 1)
  await flush()
  flushed = true
  expect(more).toBeLessThan(1000)
})
