import { toAppError } from '../../base/app-error.ts'
import { createBoardWait } from './board-wait.ts'
import type { LaneOutcome } from './lane-event.ts'
import { type Effect, type Input, type State, firstEffect, initialState, phaseOf, step } from './lane-machine.ts'
import { type LaneRun, countRetry, createLaneRun, endSession } from './lane-run.ts'
import type { LaneSetup, LaneTools } from './lane-setup.ts'
import { laneSteps } from './lane-steps.ts'
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

type Perform = (effect: Effect) => Promise<Input>

const boardTimeoutMs = 60_000

/** Starts at once. Throws what `checkRequest` throws, before the port is touched. */
export function startLane(setup: LaneSetup, tools: LaneTools): Lane {
  checkRequest(setup.request)
  const stop = new AbortController()
  const run = createLaneRun(setup, { ...tools, signal: stop.signal })
  const board = createBoardWait(setup.boardTimeoutMs ?? boardTimeoutMs, stop.signal)
  const perform: Perform = (effect) => (effect.do === 'await-board' ? board.next() : laneSteps[effect.do](run))
  return {
    outcome: runLane(run, perform),
    cancel: () => stop.abort(),
    provisioned: () => board.said('provisioned'),
    heard: () => board.said('heard'),
  }
}

async function runLane(run: LaneRun, perform: Perform): Promise<LaneOutcome> {
  const startedAt = performance.now()
  const end = await runMachine(run, perform)
  endSession(run)
  await run.link?.close()
  const outcome = outcomeOf(run, end, performance.now() - startedAt)
  const { result, code, mac, ms } = outcome
  run.tools.log.info('lane ended', { port: run.setup.port, result, code, mac, ms })
  run.tools.onEvent({ type: 'done', outcome })
  return outcome
}

async function runMachine(run: LaneRun, perform: Perform): Promise<Extract<State, { at: 'done' }> | null> {
  const wishes = { verify: run.setup.verify, awaitBoard: run.setup.awaitBoard }
  let state: State = initialState
  let effect: Effect | undefined = firstEffect
  while (effect) {
    const input = await inputOf(perform, effect)
    const [next, ...effects]: readonly [State, ...Effect[]] = step(state, input, wishes)
    run.tools.log.debug('lane moved', { port: run.setup.port, from: state.at, to: next.at, input: input.type })
    if (input.type === 'failed' && next.at === 'detect') countRetry(run, 'reboot')
    const phase = phaseOf(next)
    if (phase && next.at !== state.at) run.tools.onEvent({ type: 'phase', phase })
    state = next
    effect = effects[0]
  }
  return state.at === 'done' ? state : null
}

/** The catch-all of a lane: whatever a step throws is an input of the machine. */
async function inputOf(perform: Perform, effect: Effect): Promise<Input> {
  try {
    return await perform(effect)
  } catch (error) {
    const { code, message } = toAppError(error)
    return { type: 'failed', failure: { code, message } }
  }
}

function outcomeOf(run: LaneRun, end: Extract<State, { at: 'done' }> | null, ms: number): LaneOutcome {
  const failure = end?.failure ?? null
  return {
    result: end?.result ?? 'failed',
    code: failure?.code ?? (end ? null : 'flash-protocol'),
    message: failure ? run.mask.apply(failure.message) : null,
    mac: run.board?.mac ?? null,
    sha256: run.setup.request.parts[0]?.image.info.sha256 ?? null,
    ms: Math.round(ms),
    board: run.board ?? null,
    retries: run.retries,
    degraded: run.degraded,
    noiseBytes: run.noiseBytes,
  }
}
