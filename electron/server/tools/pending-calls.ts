import { randomInt } from 'node:crypto'
import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { RpcId } from './rpc-message.ts'

export type ResultFields = Readonly<Record<string, unknown>>

export interface PendingCalls {
  readonly size: number
  /**
   * Calls `send` with a fresh id, then waits. Ends in exactly one of: answer, error, timeout, cancel; `cancel` of the
   * wire is called for the last two.
   */
  run(
    wire: { send: (id: number) => void; cancel: (id: number, reason: string) => void },
    options: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<ResultFields>
  /** False when nobody waits for this id: a late or an invented answer. */
  settle(id: RpcId | null | undefined, outcome: ResultFields | AppError): boolean
  failAll(error: AppError): void
}

/** What a channel still owes its callers. */
export function createPendingCalls(clock: Clock): PendingCalls {
  const pending = new Map<RpcId, (outcome: ResultFields | AppError) => void>()
  const freshId = createIds()

  return {
    get size() {
      return pending.size
    },
    async run(wire, { timeoutMs, signal }) {
      const id = freshId()
      const answer = Promise.withResolvers<ResultFields>()
      const end = (outcome: ResultFields | AppError) => {
        // At once: a second answer in the same packet is nobody's.
        pending.delete(id)
        if (outcome instanceof AppError) answer.reject(outcome)
        else answer.resolve(outcome)
      }
      const cancel = () => {
        end(new AppError('tool-cancelled', 'The call was cancelled'))
        wire.cancel(id, 'cancelled')
      }
      pending.set(id, end)
      signal?.addEventListener('abort', cancel)
      const stopTimer = clock.after(timeoutMs, () => {
        end(new AppError('tool-timeout', `The board did not answer within ${timeoutMs} ms`))
        wire.cancel(id, 'timeout')
      })
      try {
        wire.send(id)
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

/**
 * Nobody outside can guess an id, 31 bits fit into every board, and one channel never sees two alike (reliability.md
 * C 40): a counter times an odd number, moved on by another, is each value once.
 */
function createIds(): () => number {
  const odd = randomInt(2 ** 30) * 2 + 1
  const start = randomInt(2 ** 31)
  let count = 0
  return function next(): number {
    const id = (Math.imul(count++, odd) + start) & 0x7fffffff
    // Zero reads as "no id" on some boards.
    return id === 0 ? next() : id
  }
}
