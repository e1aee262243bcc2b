export type Close = () => void | Promise<void>

export interface Disposer {
  /** Something to close later. Added after the end, it is closed at once. */
  add(close: Close): void
  /** Closes in reverse order; every one is tried, the first failure is thrown at the end. Idempotent. */
  close(): Promise<void>
}

export function createDisposer(): Disposer {
  const closers: Close[] = []
  let closing: Promise<void> | undefined

  async function closeAll(): Promise<void> {
    const failures: unknown[] = []
    for (let close = closers.pop(); close; close = closers.pop()) {
      try {
        await close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  return {
    add(close) {
      if (closing) void close()
      else closers.push(close)
    },
    close: () => (closing ??= closeAll()),
  }
}
