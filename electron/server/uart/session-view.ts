import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import type { UartLine, UartSession } from '../../contract/uart.ts'
import type { McuTool } from '../../contract/uart-wire.ts'
import { usualVolume } from '../../contract/uart-wire.ts'
import type { SessionOrder } from './session-order.ts'
import type { PairingFigures } from './call-pairing.ts'
import { noFaultPlan } from './fault-line.ts'
import type { ReadLine } from './line-view.ts'
import { toolProblem } from './mcu-tool.ts'
import type { Recorder } from './recording.ts'
import type { WireWatch } from './wire-watch.ts'

export interface SessionView {
  now(): UartSession
  /** Since the last time that it was asked. */
  changed(): boolean
  open(): void
  fail(code: ErrorCode): void
  /** Not there now, and looked for. */
  away(code: ErrorCode): void
  set(change: Partial<Pick<UartSession, 'baud' | 'volume' | 'awake' | 'faultPlan'>>): void
  setTools(tools: readonly McuTool[]): void
  count(line: UartLine, figures: PairingFigures): void
  setFigures(figures: PairingFigures): void
  /** What a line of the far end tells one who does not play the board; the speed, when both sides just agreed on one. */
  follow(line: ReadLine): number | null
}

interface ViewParts {
  readonly recorder: Recorder
  readonly watch: WireWatch
  readonly clock: Clock
}

/** The session as the console sees it. */
export function createSessionView(order: SessionOrder, { recorder, watch, clock }: ViewParts): SessionView {
  const seen = { board: false, mcu: false }
  let figures: PairingFigures = { timeouts: 0, lateAnswers: 0, p50Ms: null, slowestMs: null }
  let last: UartSession | undefined
  const facts = firstFacts(order)
  const follower = createFollower(facts, setTools)

  function now(): UartSession {
    const { timeouts, lateAnswers, p50Ms } = figures
    return {
      ...facts,
      bothSeen: seen.board && seen.mcu,
      timeouts,
      lateAnswers,
      p50Ms,
      recording: recorder.on,
      hints: watch.hints(clock.now(), figures),
    }
  }

  function setTools(tools: readonly McuTool[]): void {
    facts.tools = tools.map((tool) => ({ ...tool, properties: { ...tool.properties }, problem: toolProblem(tool) }))
  }

  return {
    now,
    changed() {
      const next = now()
      const same = isDeepStrictEqual(next, last)
      last = next
      return !same
    },
    open() {
      facts.state = 'open'
      facts.errorCode = null
    },
    away(code) {
      facts.state = 'opening'
      facts.errorCode = code
    },
    fail(code) {
      facts.state = 'failed'
      facts.errorCode = code
    },
    set: (change) => void Object.assign(facts, change),
    setTools,
    count(line, next) {
      facts.lines = line.seq + 1
      if (line.faults.some(({ severity }) => severity === 'error')) facts.errors += 1
      if (line.kind !== 'unknown') seen[line.from] = true
      figures = next
    },
    setFigures: (next) => void (figures = next),
    // One who plays the board knows all this from itself.
    follow: (line) => (order.role === 'bridge' || order.role === 'board' ? null : follower(line)),
  }
}

type Facts = Omit<UartSession, 'bothSeen' | 'timeouts' | 'lateAnswers' | 'p50Ms' | 'recording' | 'hints'>

function firstFacts({ id, port, virtual, role, baud, deviceId }: SessionOrder): Facts {
  const counts = { lines: 0, errors: 0 }
  const board = { volume: usualVolume, awake: false, tools: [], faultPlan: noFaultPlan }
  return { id, port, virtual, role, baud, deviceId, state: 'opening', errorCode: null, ...board, ...counts }
}

/** What both sides agree on, for one who does not decide it: a command counts when the board says OK. */
function createFollower(facts: Facts, setTools: (tools: readonly McuTool[]) => void) {
  let wanted: { baud?: number; tools?: readonly McuTool[] } = {}

  function agreed(): number | null {
    const { baud = null, tools } = wanted
    wanted = {}
    if (tools) setTools(tools)
    return baud
  }

  return ({ reading, board }: ReadLine): number | null => {
    if (reading?.command?.type === 'baudrate-set') wanted = { baud: reading.command.baud }
    else if (reading?.command?.type === 'mcp-tool') wanted = { tools: reading.command.tools }
    else if (board?.type === 'ok') return agreed()
    else if (board?.type === 'error') wanted = {}
    else if (board?.type === 'volume') facts.volume = Math.min(100, Math.max(0, Math.round(board.volume)))
    else if (board?.type === 'state' && board.state === '2.WakeUP') facts.awake = true
    else if (board?.type === 'state' && board.state === '3.Sleep') facts.awake = false
    return null
  }
}
