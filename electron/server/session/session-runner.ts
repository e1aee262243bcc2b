import type { Log } from '../../base/log.ts'
import { type Effect, type Input, start, type State, step } from './session-machine.ts'

export interface SessionRunner {
  readonly state: State
  /** An input that an effect causes waits until the effects of its step are done. */
  dispatch(input: Input): void
}

/** The only place where the machine's effects happen. */
export function createSessionRunner(options: {
  readonly log: Log
  readonly perform: (effect: Effect, input: Input) => void
  /** Another phase or another turn. */
  readonly onChange: (state: State) => void
}): SessionRunner {
  const inputs: Input[] = []
  let state: State = start
  let running = false

  function advance(input: Input): void {
    const before = state
    const [next, ...effects] = step(state, input)
    state = next
    for (const effect of effects) options.perform(effect, input)
    if (before.at === next.at && turnOf(before) === turnOf(next)) return
    options.log.debug(`${before.at} → ${next.at}`, { input: input.type })
    options.onChange(next)
  }

  return {
    get state() {
      return state
    },
    dispatch(input) {
      inputs.push(input)
      if (running) return
      running = true
      try {
        for (let next = inputs.shift(); next; next = inputs.shift()) advance(next)
      } finally {
        running = false
      }
    },
  }
}

export function turnOf(state: State): string | null {
  return 'turn' in state ? state.turn : null
}
