/** Runs one task at a time per key, in order; tasks of different keys run side by side. */
export function createKeyedQueue() {
  const tails = new Map<string, Promise<unknown>>()

  return async function run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = tails.get(key) ?? Promise.resolve()
    const mine = before.then(task, task)
    const tail = mine.catch(() => undefined)
    tails.set(key, tail)
    try {
      return await mine
    } finally {
      if (tails.get(key) === tail) tails.delete(key)
    }
  }
}
