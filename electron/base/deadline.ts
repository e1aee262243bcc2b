import type { ErrorCode } from '../contract/errors.ts'
import { AppError } from './app-error.ts'

/** The promise, or an AppError with `code` after `ms`. The timer never outlives the promise. */
export async function withDeadline<T>(
  promise: Promise<T>,
  ms: number,
  failure: { code: ErrorCode; message: string },
): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new AppError(failure.code, failure.message)), ms)
  try {
    return await Promise.race([promise, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves after `ms`, or at once when the signal aborts (it never rejects: a stopped wait is no failure). */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve()
      return
    }
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}
