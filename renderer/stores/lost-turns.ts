import type { Turn } from '../../electron/contract/conversation.ts'
import { toProblem } from '../client/problem.ts'

/** A turn whose end nobody saw: it stopped at the last moment that is known of it, so that no bar grows on. */
export function abandoned(turn: Turn): Turn {
  const moments = turn.stages.flatMap((stage) => [stage.startedAt, stage.endedAt ?? stage.startedAt])
  const endedAt = Math.max(turn.startedAt, ...moments)
  const stages = turn.stages.map((stage) => (stage.endedAt === null ? { ...stage, endedAt } : stage))
  return { ...turn, status: 'aborted', endedAt, stages }
}

/**
 * What became of a turn that ran when the connection went. A server that was killed before anything happened in it
 * knows nothing of it; any other refusal says nothing about the turn, so it gives null and is asked again at the next
 * reconnect.
 */
export async function whatBecameOf(turn: Turn, ask: (id: string) => Promise<Turn>): Promise<Turn | null> {
  try {
    return await ask(turn.id)
  } catch (error) {
    return toProblem(error).code === 'server-not-found' ? abandoned(turn) : null
  }
}
