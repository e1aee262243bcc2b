export type Close = () => void | Promise<void>

export interface Disposer {
  /** Something to close later. Added after the end, it is closed at once. */
  add(close: Close): void
  /** The same, but the ones after it do not wait: it is begun in its place and waited for when all others are closed. */
  addAside(close: Close): void
  /** Closes in reverse order; every one is tried, the first failure is thrown at the end. Idempotent. */
  close(): Promise<void>
}

export function createDisposer(): Disposer {
  const closers: { readonly close: Close; readonly aside: boolean }[] = []
  let closing: Promise<void> | undefined

  async function closeAll(): Promise<void> {
    const failures: unknown[] = []
    const attempt = async (close: Close) => {
      try {
        await close()
      } catch (error) {
        failures.push(error)
      }
    }
    const begun: Promise<void>[] = []
    for (let next = closers.pop(); next; next = closers.pop()) {
      const ended = attempt(next.close)
      if (next.aside) begun.push(ended)
      else await ended
    }
    await Promise.all(begun)
    if (failures.length > 0) throw failures[0]
  }

  function add(close: Close, aside: boolean): void {
    if (closing) void close()
    else closers.push({ close, aside })
  }

  return {
    add: (close) => add(close, false),
    addAside: (close) => add(close, true),
    close: () => (closing ??= closeAll()),
  }
}
