import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { RpcId } from './rpc-message.ts'

export type ResultFields = Readonly<Record<string, unknown>>

export interface PendingCalls {
  readonly size: number
  /** Calls `send` with a fresh id, then waits. Ends in exactly one of: answer, error, timeout, cancel. */
  run(
    send: (id: number) => void,
    options: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<ResultFields>
  /** False when nobody waits for this id: a late or an invented answer. */
  settle(id: RpcId | null | undefined, outcome: ResultFields | AppError): boolean
  failAll(error: AppError): void
}

/** What a channel still owes its callers. */
export function createPendingCalls(clock: Clock): PendingCalls {
  const pending = new Map<RpcId, (outcome: ResultFields | AppError) => void>()
  // Small integers: every board can read them, and one channel never sees two alike.
  let nextId = 1

  return {
    get size() {
      return pending.size
    },
    async run(send, { timeoutMs, signal }) {
      const id = nextId++
      const answer = Promise.withResolvers<ResultFields>()
      const end = (outcome: ResultFields | AppError) =>
        outcome instanceof AppError ? answer.reject(outcome) : answer.resolve(outcome)
      const cancel = () => end(new AppError('tool-cancelled', 'The call was cancelled'))
      pending.set(id, end)
      signal?.addEventListener('abort', cancel)
      const stopTimer = clock.after(timeoutMs, () =>
        end(new AppError('tool-timeout', `The board did not answer within ${timeoutMs} ms`)),
      )
      try {
        send(id)
        return await answer.promise
      } finally {
        stopTimer()
        signal?.removeEventListener('abort', cancel)
        pending.delete(id)
      }
    },
    settle(id, outcome) {
      const end = id === null || id === undefined ? undefined : pending.get(id)
      end?.(outcome)
      return end !== undefined
    },
    failAll(error) {
      for (const end of [...pending.values()]) end(error)
    },
  }
}
