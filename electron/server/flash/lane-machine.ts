import type { ErrorCode } from '../../contract/errors.ts'
import type { BoardFacts, LanePhase, LaneResult } from '../../contract/flash.ts'

/*
 * opening → detect → security → settings → compare → [erase] → write → [verify] → reset → banner → done written
 *              ▲                              │         │         │                            └─► provision → hello → done proved
 *              └── once more, after a reboot ─┴─────────┴─────────┘                                   (60 s each)
 * any failure before the flash is whole ──► leaving ──► done failed;  after it ──► done written (with a code)
 */

export interface LaneFailure {
  readonly code: ErrorCode
  readonly message: string
}

export interface LaneWishes {
  readonly verify: boolean
  /** Whether a server waits for the board to check in. */
  readonly awaitBoard: boolean
}

export type State =
  | { readonly at: 'opening' | 'detect' | 'security' | 'settings'; readonly restarts: number }
  | { readonly at: 'compare' | 'erase' | 'write' | 'verify'; readonly restarts: number }
  | { readonly at: 'reset' | 'banner' | 'provision' | 'hello' }
  | { readonly at: 'leaving'; readonly failure: LaneFailure }
  | { readonly at: 'done'; readonly result: LaneResult; readonly failure: LaneFailure | null }

export interface Security {
  readonly flags: number
  readonly cryptCount: number
  readonly chipId: number
}

export type Input =
  | { readonly type: 'opened' | 'settled' | 'erased' | 'written' | 'verified' | 'restarted' | 'left' }
  /** `security` is null when the ROM is none that we know; `chip` names what answered. */
  | { readonly type: 'connected'; readonly security: Security | null; readonly chip: string }
  | { readonly type: 'described'; readonly board: BoardFacts }
  | { readonly type: 'planned'; readonly eraseAll: boolean }
  /** `trouble` when the boot text shows that the firmware does not start. */
  | { readonly type: 'booted'; readonly trouble: LaneFailure | null }
  | { readonly type: 'provisioned' | 'heard' }
  | { readonly type: 'expired'; readonly failure: LaneFailure }
  | { readonly type: 'failed'; readonly failure: LaneFailure }

export type Effect =
  | { readonly do: 'open' | 'connect' | 'describe' | 'ask-settings' | 'compare' | 'erase' | 'write' | 'verify' }
  | { readonly do: 'reset' | 'read-banner' | 'await-board' | 'leave' }

export type Step = readonly [State, ...Effect[]]

export const initialState: State = { at: 'opening', restarts: 0 }
export const firstEffect: Effect = { do: 'open' }

/** What the console shows for a state; null where the phase before it stays on the screen. */
export function phaseOf(state: State): LanePhase | null {
  switch (state.at) {
    case 'opening':
      return 'waiting'
    case 'settings':
    case 'leaving':
    case 'done':
      return null
    case 'detect':
    case 'security':
    case 'compare':
    case 'erase':
    case 'write':
    case 'verify':
    case 'reset':
    case 'banner':
    case 'provision':
    case 'hello':
      return state.at
  }
}

/** Pure. An input with no case in the current state changes nothing. */
export function step(state: State, input: Input, wishes: LaneWishes): Step {
  if (input.type === 'failed') return fail(state, input.failure)
  switch (state.at) {
    case 'opening':
    case 'detect':
    case 'security':
    case 'settings':
      return prepare(state, input)
    case 'compare':
    case 'erase':
    case 'write':
    case 'verify':
      return change(state, input, wishes)
    case 'reset':
    case 'banner':
    case 'provision':
    case 'hello':
      return prove(state, input, wishes)
    case 'leaving':
      return input.type === 'left' ? [{ at: 'done', result: 'failed', failure: state.failure }] : [state]
    case 'done':
      return [state]
  }
}

/** Why a chip must not be touched (flashing.md §9.3); null when it may. */
export function refusal(security: Security | null, chip: string): LaneFailure | null {
  if (security?.chipId !== 9) {
    return { code: 'flash-wrong-chip', message: `The board is an ${chip}; only the ESP32-S3 can be flashed here` }
  }
  if ((security.flags & 1) !== 0)
    return { code: 'flash-secure-boot', message: 'Secure boot is on: nothing was written' }
  if ((security.flags & 4) !== 0) {
    return { code: 'flash-secure-download', message: 'Secure Download Mode is on: nothing was written' }
  }
  if (oddOnes(security.cryptCount)) {
    return { code: 'flash-encrypted', message: 'Flash encryption is on: a plain image would brick the board' }
  }
  return null
}

type Preparing = Extract<State, { at: 'opening' | 'detect' | 'security' | 'settings' }>
type Changing = Extract<State, { at: 'compare' | 'erase' | 'write' | 'verify' }>
type Proving = Extract<State, { at: 'reset' | 'banner' | 'provision' | 'hello' }>

function prepare(state: Preparing, input: Input): Step {
  const { restarts } = state
  if (state.at === 'opening' && input.type === 'opened') return [{ at: 'detect', restarts }, { do: 'connect' }]
  if (state.at === 'detect' && input.type === 'connected') {
    const failure = refusal(input.security, input.chip)
    return failure ? fail(state, failure) : [{ at: 'security', restarts }, { do: 'describe' }]
  }
  if (state.at === 'security' && input.type === 'described') {
    if (input.board.flashSize === 0) return fail(state, deadFlash(input.board.flashId))
    return [{ at: 'settings', restarts }, { do: 'ask-settings' }]
  }
  if (state.at === 'settings' && input.type === 'settled') return [{ at: 'compare', restarts }, { do: 'compare' }]
  return [state]
}

function change(state: Changing, input: Input, wishes: LaneWishes): Step {
  const { restarts } = state
  if (state.at === 'compare' && input.type === 'planned') {
    return input.eraseAll ? [{ at: 'erase', restarts }, { do: 'erase' }] : [{ at: 'write', restarts }, { do: 'write' }]
  }
  if (state.at === 'erase' && input.type === 'erased') return [{ at: 'write', restarts }, { do: 'write' }]
  if (state.at === 'write' && input.type === 'written') {
    return wishes.verify ? [{ at: 'verify', restarts }, { do: 'verify' }] : [{ at: 'reset' }, { do: 'reset' }]
  }
  if (state.at === 'verify' && input.type === 'verified') return [{ at: 'reset' }, { do: 'reset' }]
  return [state]
}

function prove(state: Proving, input: Input, wishes: LaneWishes): Step {
  if (input.type === 'expired') return [{ at: 'done', result: 'written', failure: input.failure }]
  if (state.at === 'reset' && input.type === 'restarted') return [{ at: 'banner' }, { do: 'read-banner' }]
  if (state.at === 'banner' && input.type === 'booted') {
    if (input.trouble) return [{ at: 'done', result: 'written', failure: input.trouble }]
    if (!wishes.awaitBoard) return [{ at: 'done', result: 'written', failure: null }]
    return [{ at: 'provision' }, { do: 'await-board' }]
  }
  if (state.at === 'provision' && input.type === 'provisioned') return [{ at: 'hello' }, { do: 'await-board' }]
  if (input.type === 'heard') return [{ at: 'done', result: 'proved', failure: null }]
  return [state]
}

function fail(state: State, failure: LaneFailure): Step {
  switch (state.at) {
    case 'leaving':
    case 'done':
      return [state]
    case 'reset':
    case 'banner':
    case 'provision':
    case 'hello':
      // The flash is whole and verified: a reset that fails is no failed flash (flashing.md §11 row 25).
      return [{ at: 'done', result: 'written', failure: laterFailure(state.at, failure) }]
    case 'erase':
    case 'write':
    case 'verify':
      if (failure.code === 'flash-rebooted' && state.restarts === 0)
        return [{ at: 'detect', restarts: 1 }, { do: 'connect' }]
      return [{ at: 'leaving', failure }, { do: 'leave' }]
    case 'opening':
    case 'detect':
    case 'security':
    case 'settings':
    case 'compare':
      return [{ at: 'leaving', failure }, { do: 'leave' }]
  }
}

function laterFailure(at: Proving['at'], failure: LaneFailure): LaneFailure {
  if (failure.code === 'flash-cancelled') return failure
  const code = at === 'reset' || at === 'banner' ? 'flash-not-rebooted' : 'flash-not-proved'
  return { code, message: failure.message }
}

function deadFlash(id: string): LaneFailure {
  return { code: 'flash-no-flash', message: `The flash chip does not answer: its id reads ${id}` }
}

function oddOnes(value: number): boolean {
  let ones = 0
  for (let rest = value; rest !== 0; rest &= rest - 1) ones += 1
  return ones % 2 === 1
}
