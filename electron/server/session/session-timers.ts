import type { Clock } from '../../base/clock.ts'
import type { Effect, Input, TimerName } from './session-machine.ts'

export interface SessionTimers {
  /** Replaces the timer of the same name; one that is no longer meant is ignored by the machine. */
  set(timer: Extract<Effect, { do: 'timer' }>): void
  clear(): void
}

export function createSessionTimers(clock: Clock, fire: (input: Input) => void): SessionTimers {
  const running = new Map<TimerName, () => void>()
  return {
    set({ name, ms, turn }) {
      running.get(name)?.()
      const input: Input = turn === undefined ? { type: 'timer', name } : { type: 'timer', name, turn }
      running.set(
        name,
        clock.after(ms, () => fire(input)),
      )
    },
    clear() {
      for (const cancel of running.values()) cancel()
      running.clear()
    },
  }
}
