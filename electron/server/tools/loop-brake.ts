import type { Clock } from '../../base/clock.ts'
import { createRateGuard, type RateGuard } from '../../base/rate-guard.ts'
import type { Caller } from '../../contract/tool-registry.ts'

/** A model that calls in circles is stopped (reliability.md C 45). */
export const maxCallsOfTurn = 8
export const maxCallsOfMinute = 30
const rememberedTurns = 1000

export interface LoopBrake {
  /** Counts a call that no person made; the reason when it is one too many. */
  count(deviceId: string, caller: Caller): string | undefined
}

export function createLoopBrake(clock: Clock): LoopBrake {
  const turns = new Map<string, number>()
  const minutes = new Map<string, RateGuard>()

  function ofTurn(id: string): number {
    const calls = (turns.get(id) ?? 0) + 1
    turns.delete(id)
    turns.set(id, calls)
    if (turns.size > rememberedTurns) turns.delete(turns.keys().next().value ?? '')
    return calls
  }

  return {
    count(deviceId, caller) {
      if (caller.kind === 'person' || caller.kind === 'test') return undefined
      if (caller.kind === 'turn' && ofTurn(caller.id) > maxCallsOfTurn) {
        return `More than ${maxCallsOfTurn} calls in one turn`
      }
      const guard = minutes.get(deviceId) ?? createRateGuard({ limit: maxCallsOfMinute + 1, windowMs: 60_000 })
      minutes.set(deviceId, guard)
      return guard.count(clock.now()) ? `More than ${maxCallsOfMinute} calls in a minute on this device` : undefined
    },
  }
}
