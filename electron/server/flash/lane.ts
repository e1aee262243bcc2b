import { toAppError } from '../../base/app-error.ts'
import type { LaneOutcome } from './lane-event.ts'
import { type Effect, type Input, type State, firstEffect, initialState, phaseOf, step } from './lane-machine.ts'
import type { LaneSetup, LaneTools } from './lane-setup.ts'
import { type LaneSteps, createLaneSteps } from './lane-steps.ts'
import { checkRequest } from './plan.ts'

export interface Lane {
  /** Never rejects: a failure is an outcome. */
  readonly outcome: Promise<LaneOutcome>
  /** Stops within a second; the board is reset to its flash where it has lines. */
  cancel(): void
  /** The server gave this board its addresses. */
  provisioned(): void
  /** The server heard its session `hello`. */
  heard(): void
}

/** Starts at once. Throws what `checkRequest` throws, before the port is touched. */
export function startLane(setup: LaneSetup, tools: LaneTools): Lane {
  checkRequest(setup.request)
  const stop = new AbortController()
  const steps = createLaneSteps(setup, { ...tools, signal: stop.signal })
  return {
    outcome: runLane(setup, tools, steps),
    cancel: () => stop.abort(),
    provisioned: () => steps.boardSaid('provisioned'),
    heard: () => steps.boardSaid('heard'),
  }
}

async function runLane(setup: LaneSetup, { log, onEvent }: LaneTools, steps: LaneSteps): Promise<LaneOutcome> {
  const startedAt = performance.now()
  const wishes = { verify: setup.verify, awaitBoard: setup.awaitBoard }
  let state: State = initialState
  let effect: Effect | undefined = firstEffect
  try {
    while (state.at !== 'done' && effect) {
      const input = await inputOf(steps, effect)
      const [next, ...effects]: readonly [State, ...Effect[]] = step(state, input, wishes)
      log.debug('lane moved', { from: state.at, to: next.at, input: input.type })
      if (input.type === 'failed' && next.at === 'detect') steps.retried('reboot')
      const phase = phaseOf(next)
      if (phase && next.at !== state.at) onEvent({ type: 'phase', phase })
      state = next
      effect = effects[0]
    }
  } finally {
    await steps.close()
  }
  const ended = state.at === 'done' ? state : null
  const outcome: LaneOutcome = {
    result: ended?.result ?? 'failed',
    code: ended?.failure?.code ?? null,
    message: ended?.failure ? steps.masked(ended.failure.message) : null,
    sha256: setup.request.parts[0]?.image.info.sha256 ?? null,
    ms: Math.round(performance.now() - startedAt),
    ...steps.report(),
  }
  log.info('lane ended', {
    port: setup.port,
    result: outcome.result,
    code: outcome.code,
    mac: outcome.mac,
    ms: outcome.ms,
  })
  onEvent({ type: 'done', outcome })
  return outcome
}

/** The catch-all of a lane: whatever a step throws is an input of the machine. */
async function inputOf(steps: LaneSteps, effect: Effect): Promise<Input> {
  try {
    return await steps.perform(effect)
  } catch (error) {
    const { code, message } = toAppError(error)
    return { type: 'failed', failure: { code, message } }
  }
}
