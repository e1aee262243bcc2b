import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import { applyCall, carryState, initialState, type MemberCall, type ThingState } from '../../contract/thing-engine.ts'
import type { SimulatedFault, ThingModel, ThingValue } from '../../contract/thing.ts'

/** A Thing that lives in the server: it plays its model, and misbehaves when it is told to. */
export interface Simulator {
  readonly state: ThingState
  readonly fault: SimulatedFault
  setFault(fault: SimulatedFault): void
  /** Another model: what still fits of the state stays. */
  follow(model: ThingModel): void
  /** As if the device itself had changed it; the value fits. */
  put(property: string, value: ThingValue): void
  /** Rejects tool-failed for a call that the model refuses or a fault fails, tool-cancelled when `signal` aborts. */
  call(call: MemberCall, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>
}

export const noFault: SimulatedFault = { delayMs: 0, failure: 'none' }

export function createSimulator(model: ThingModel, clock: Clock, from?: ThingState): Simulator {
  let played = model
  let state = from ? carryState(model, from) : initialState(model)
  let fault = noFault
  return {
    get state() {
      return state
    },
    get fault() {
      return fault
    },
    setFault: (next) => void (fault = next),
    follow(next) {
      played = next
      state = carryState(next, state)
    },
    put: (property, value) => void (state = { ...state, [property]: value }),
    async call(call, signal) {
      const { delayMs, failure } = fault
      if (failure === 'silent') await aborted(signal)
      if (delayMs > 0) await waited(delayMs, clock, signal)
      if (failure === 'error') throw new AppError('tool-failed', 'The simulated Thing fails')
      const step = applyCall(played, state, call)
      if (step.error) throw new AppError('tool-failed', step.error.message)
      state = step.state
      return { ...step.result }
    },
  }
}

const cancelled = () => new AppError('tool-cancelled', 'The call was cancelled')

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(cancelled())
    signal.addEventListener('abort', () => reject(cancelled()), { once: true })
  })
}

async function waited(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  let stop: () => void = () => undefined
  const over = new Promise<void>((resolve) => (stop = clock.after(ms, resolve)))
  try {
    await Promise.race([over, aborted(signal)])
  } finally {
    stop()
  }
}
