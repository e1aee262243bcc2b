import { toAppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import type { Turn } from '../../contract/conversation.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import type { TurnStore } from '../store/store.ts'

const reason: ErrorCode = 'server-restarted'

/**
 * Closes every turn that the server before left running, as aborted with `server-restarted`; returns how many. To be
 * called before the first turn is opened. A history that takes no writes is no reason not to start: those turns stay
 * out of the list and are closed at a later start.
 */
export async function closeInterruptedTurns(store: Pick<TurnStore, 'running' | 'put'>, log: Log): Promise<number> {
  try {
    const left = await store.running()
    await Promise.all(left.map((turn) => store.put(interrupted(turn))))
    if (left.length > 0) log.info('turns were interrupted by the end of the server before', { turns: left.length })
    return left.length
  } catch (error) {
    log.warn('interrupted turns were not closed', { code: toAppError(error).code, error })
    return 0
  }
}

/** When the server died nobody knows: the turn ends at the last moment that was written of it. */
function interrupted(turn: Turn): Turn {
  const moments = turn.stages.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt ?? startedAt])
  const calls = turn.calls.map(({ endedAt }) => endedAt)
  const endedAt = Math.max(turn.startedAt, ...moments, ...calls)
  const stages = turn.stages.map((stage) => (stage.endedAt === null ? { ...stage, endedAt } : stage))
  return { ...turn, status: 'aborted', endedAt, stages, errorCode: turn.errorCode ?? reason }
}
