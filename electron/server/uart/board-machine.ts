import type { McuReading } from '../../contract/uart-lint.ts'
import { answerLimitMs, type BoardLine, type McuCommand, type McuTool, toolsNull } from '../../contract/uart-wire.ts'

// The voice board's side of UART-MCP (uart-mcp.md §2–§5). Awake or asleep, and beside it the one call in flight:
//
//             wake, wake-up                call             mcp-responsive
//   asleep ─────────────────▶ awake   free ────▶ in flight ────────────────▶ free ─▶ the next that waits
//      ▲  sleep, seconds over   │                    │ 5 s: ERROR                 ▲
//      └────────────────────────┘                    └──▶ held ── late answer, or quiet ──┘

export interface BoardCall {
  readonly id: number
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface BoardState {
  readonly awake: boolean
  readonly volume: number
  readonly baud: number
  /** The whole set of the last `mcp-tool`. */
  readonly tools: readonly McuTool[]
  readonly call: BoardCall | null
  /** Nobody waits for the call in flight any more; its answer still frees the line. */
  readonly abandoned: boolean
  /** An answer that came too late may still be on its way: without ids it would be taken for that of the next call. */
  readonly held: boolean
  readonly waiting: readonly BoardCall[]
}

export type BoardInput =
  | { readonly type: 'power' }
  /** The wake word, or a conversation that began. */
  | { readonly type: 'wake' }
  | { readonly type: 'sleep' }
  | { readonly type: 'line'; readonly reading: McuReading; readonly text: string }
  | { readonly type: 'call'; readonly call: BoardCall }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'timer'; readonly timer: BoardTimer }
  | { readonly type: 'say'; readonly line: BoardLine }

export type BoardTimer = 'answer' | 'awake' | 'hold'

export type BoardEffect =
  /** `call`: the call that this line carries. */
  | { readonly do: 'send'; readonly line: BoardLine; readonly call: number | null }
  | { readonly do: 'set-baud'; readonly baud: number }
  | { readonly do: 'start-timer'; readonly timer: BoardTimer; readonly ms: number }
  | { readonly do: 'stop-timer'; readonly timer: BoardTimer }
  | { readonly do: 'answered'; readonly id: number; readonly status: string }
  | { readonly do: 'timed-out'; readonly id: number }
  /** An answer that belongs to no call. */
  | { readonly do: 'late'; readonly status: string }

type Step = [BoardState, ...BoardEffect[]]

/** How long the line is kept free for an answer that is late, before the next call that waits goes out. */
export const holdMs = 2_000

export function boardAtRest(facts: Pick<BoardState, 'baud' | 'volume' | 'tools'>): BoardState {
  return { ...facts, awake: false, call: null, abandoned: false, held: false, waiting: [] }
}

/** What means nothing now changes nothing. */
export function stepBoard(state: BoardState, input: BoardInput): Step {
  switch (input.type) {
    case 'power':
      return [state, ...powerUp.map((name) => send({ type: 'state', state: name }))]
    case 'wake':
      return state.awake ? [state, stop('awake')] : [{ ...state, awake: true }, ...wakeLines(state)]
    case 'sleep':
      return fallAsleep(state)
    case 'line':
      return hearLine(state, input.reading, input.text)
    case 'call':
      return startNext({ ...state, waiting: [...state.waiting, input.call] })
    case 'cancel':
      return cancel(state, input.id)
    case 'timer':
      return timerEnded(state, input.timer)
    case 'say':
      return [state, send(input.line)]
  }
}

const powerUp = ['AI Start', 'WIFI_CONNECTED', 'WIFI_GOT_IP', '1.WiFi connect OK'] as const
const ok: BoardEffect = { do: 'send', line: { type: 'ok' }, call: null }

function send(line: BoardLine): BoardEffect {
  return { do: 'send', line, call: null }
}

function stop(timer: BoardTimer): BoardEffect {
  return { do: 'stop-timer', timer }
}

/** The saved tools are read again at each wake-up; that there are none is told (uart-mcp.md §3). */
function wakeLines({ tools }: BoardState): BoardEffect[] {
  const awake = send({ type: 'state', state: '2.WakeUP' })
  return tools.length > 0 ? [awake] : [awake, send({ type: 'error', message: toolsNull })]
}

function fallAsleep(state: BoardState): Step {
  if (!state.awake) return [state]
  return [{ ...state, awake: false }, stop('awake'), send({ type: 'state', state: '3.Sleep' })]
}

function hearLine(state: BoardState, reading: McuReading, text: string): Step {
  if (reading.command) return obey(state, reading.command)
  const broken = reading.faults.filter(({ severity }) => severity === 'error')
  // Without its line end a command is not carried out, and nothing is said about it (uart-mcp.md §1).
  if (broken.some(({ rule }) => rule === 'uart-no-line-end' || rule === 'uart-line-too-long')) return [state]
  // What is no command at all is somebody's log.
  if (reading.name === null && !looksLikeCommand.test(text)) return [state]
  return [state, send({ type: 'error', message: broken[0]?.message ?? 'not understood' })]
}

const looksLikeCommand = /^[\x21-\x7e]{1,40} ?\{/

function obey(state: BoardState, command: McuCommand): Step {
  switch (command.type) {
    case 'baudrate-set':
      return [{ ...state, baud: command.baud }, ok, { do: 'set-baud', baud: command.baud }]
    case 'wake-up': {
      const timer: BoardEffect = { do: 'start-timer', timer: 'awake', ms: command.seconds * 1000 }
      return [{ ...state, awake: true }, ok, ...wakeLines(state), timer]
    }
    case 'volume-set':
      return [{ ...state, volume: command.volume }, tellVolume(command.volume)]
    case 'volume-check':
      return [state, tellVolume(state.volume)]
    case 'mcp-tool':
      return [{ ...state, tools: command.tools }, ok]
    case 'mcp-responsive':
      return hearAnswer(state, command.status)
  }
}

function tellVolume(volume: number): BoardEffect {
  return send({ type: 'volume', volume, status: 'OK' })
}

function hearAnswer(state: BoardState, status: string): Step {
  const late: BoardEffect = { do: 'late', status }
  if (!state.call) {
    if (!state.held) return [state, late]
    const [next, ...effects] = startNext({ ...state, held: false })
    return [next, late, stop('hold'), ...effects]
  }
  const told: BoardEffect = state.abandoned ? late : { do: 'answered', id: state.call.id, status }
  const [next, ...effects] = startNext({ ...state, call: null, abandoned: false })
  return [next, stop('answer'), told, ok, ...effects]
}

/** One call at a time: there are no ids (uart-mcp.md §1). */
function startNext(state: BoardState): Step {
  const [call, ...waiting] = state.waiting
  if (!call || state.call || state.held) return [state]
  return [
    { ...state, call, abandoned: false, waiting },
    { do: 'send', line: { type: 'call', name: call.name, arguments: call.arguments }, call: call.id },
    { do: 'start-timer', timer: 'answer', ms: answerLimitMs },
  ]
}

function cancel(state: BoardState, id: number): Step {
  if (state.call?.id === id) return [{ ...state, abandoned: true }]
  return [{ ...state, waiting: state.waiting.filter((call) => call.id !== id) }]
}

function timerEnded(state: BoardState, timer: BoardTimer): Step {
  switch (timer) {
    case 'awake':
      return fallAsleep(state)
    case 'hold':
      return startNext({ ...state, held: false })
    case 'answer':
      if (!state.call) return [state]
      return [
        { ...state, call: null, abandoned: false, held: true },
        send({ type: 'error', message: `MCP command timeout: ${state.call.name}` }),
        { do: 'timed-out', id: state.call.id },
        { do: 'start-timer', timer: 'hold', ms: holdMs },
      ]
  }
}
