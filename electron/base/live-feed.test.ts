import { expect, test } from 'vitest'
import { createLiveFeed, type LiveItems } from './live-feed.ts'

async function take<T>(items: LiveItems<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  while (taken.length < count) {
    const { done, value } = await items.next()
    if (done) break
    taken.push(value)
  }
  return taken
}

test('the snapshot comes first, then every publication in order', async () => {
  const feed = createLiveFeed<string>()
  feed.publish('before')
  const items = feed.subscribe(undefined, { snapshot: (revision) => `snapshot ${revision}` })
  feed.publish('a')
  feed.publish((revision) => `b ${revision}`)
  expect(await take(items, 3)).toEqual(['snapshot 1', 'a', 'b 3'])
})

test('a subscriber that waits gets what is published later', async () => {
  const feed = createLiveFeed<number>()
  const items = feed.subscribe()
  const both = Promise.all([items.next(), items.next()])
  feed.publish(1)
  feed.publish(2)
  expect(await both).toEqual([
    { done: false, value: 1 },
    { done: false, value: 2 },
  ])
})

test('waiting items of one key are replaced by the newest, which stands last', async () => {
  const feed = createLiveFeed<{ id: string; n: number }>()
  const items = feed.subscribe(undefined, { key: (item) => item.id, max: 2 })
  for (let n = 0; n < 1000; n += 1) feed.publish({ id: n % 2 ? 'odd' : 'even', n })
  feed.publish({ id: 'even', n: 1000 })
  expect(await take(items, 2)).toEqual([
    { id: 'odd', n: 999 },
    { id: 'even', n: 1000 },
  ])
})

test('a slow subscriber is ended with server-overloaded, and the others go on', async () => {
  const feed = createLiveFeed<number>()
  const slow = feed.subscribe(undefined, { max: 3 })
  const quick = feed.subscribe(undefined, { max: 10 })
  for (let n = 0; n < 4; n += 1) feed.publish(n)
  expect(feed.subscribers).toBe(1)
  await expect(slow.next()).rejects.toMatchObject({ code: 'server-overloaded' })
  expect(await slow.next()).toEqual({ done: true, value: undefined })
  expect(await take(quick, 4)).toEqual([0, 1, 2, 3])
})

test('an abort ends a subscriber that waits', async () => {
  const feed = createLiveFeed<number>()
  const stop = new AbortController()
  const waiting = feed.subscribe(stop.signal).next()
  stop.abort()
  expect(await waiting).toEqual({ done: true, value: undefined })
  expect(feed.subscribers).toBe(0)
  expect(await feed.subscribe(stop.signal, { snapshot: () => 1 }).next()).toEqual({ done: true, value: undefined })
})

test('leaving the loop unsubscribes, even while a pull is open', async () => {
  const feed = createLiveFeed<number>()
  const items = feed.subscribe(undefined, { snapshot: () => 0 })
  for await (const item of items) {
    expect(item).toBe(0)
    break
  }
  expect(feed.subscribers).toBe(0)
  const other = feed.subscribe()
  const open = other.next()
  await other.return(undefined)
  expect(await open).toEqual({ done: true, value: undefined })
})

test('closing the feed ends all subscriptions and those to come', async () => {
  const feed = createLiveFeed<number>()
  const items = feed.subscribe()
  feed.close()
  feed.publish(1)
  expect(await items.next()).toEqual({ done: true, value: undefined })
  expect(await feed.subscribe().next()).toEqual({ done: true, value: undefined })
})
