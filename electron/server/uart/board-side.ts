import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { WireLine } from '../../contract/uart-bytes.ts'
import { type McuReading, readMcuLine } from '../../contract/uart-lint.ts'
import { answerLimitMs, boardLine, type BoardLine, type McuTool, usualVolume } from '../../contract/uart-wire.ts'
import {
  boardAtRest,
  type BoardEffect,
  type BoardInput,
  type BoardState,
  type BoardTimer,
  stepBoard,
} from './board-machine.ts'

export interface BoardSideOptions {
  readonly clock: Clock
  readonly baud: number
  /** Saved by an earlier run. */
  readonly tools?: readonly McuTool[]
  readonly volume?: number
  /** With `\r\n`. `turnId`: of the call that the line carries. */
  send(text: string, turnId: string | null): void
  /** Once what was sent before has left at the old speed. */
  setBaud(baud: number): void
  /** An answer that belongs to no call: nothing is done with it. */
  onLate(status: string): void
  onChange(state: BoardState): void
}

export interface ToolAsk {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly turnId: string | null
  readonly signal?: AbortSignal | undefined
}

/** A voice board on a serial line: it obeys commands, and calls the microcontroller's tools one after the other. */
export interface BoardSide {
  readonly state: BoardState
  power(): void
  wake(): void
  sleep(): void
  /** A subtitle, or a state of the board. */
  say(line: BoardLine): void
  receive(line: WireLine, reading?: McuReading): void
  /**
   * The `status` of the answer. Rejects `tool-unknown` for a tool that the microcontroller has not declared,
   * `uart-answer-timeout` after 5 s, `tool-cancelled`, and `uart-not-open` when the line closes.
   */
  call(ask: ToolAsk): Promise<string>
  close(): void
}

export function createBoardSide(options: BoardSideOptions): BoardSide {
  let state = boardAtRest({ baud: options.baud, volume: options.volume ?? usualVolume, tools: options.tools ?? [] })
  const timers = createTimers(options.clock, (timer) => put({ type: 'timer', timer }))
  const calls = createOpenCalls()

  function put(input: BoardInput): void {
    const before = state
    const [next, ...effects] = stepBoard(state, input)
    state = next
    for (const effect of effects) run(effect)
    if (next !== before) options.onChange(next)
  }

  function run(effect: BoardEffect): void {
    switch (effect.do) {
      case 'send':
        return options.send(boardLine(effect.line), effect.call === null ? null : calls.turnOf(effect.call))
      case 'set-baud':
        return options.setBaud(effect.baud)
      case 'start-timer':
        return timers.start(effect.timer, effect.ms)
      case 'stop-timer':
        return timers.stop(effect.timer)
      case 'answered':
        return calls.settle(effect.id, effect.status)
      case 'timed-out':
        return calls.settle(effect.id, timedOut())
      case 'late':
        return options.onLate(effect.status)
    }
  }

  return {
    get state() {
      return state
    },
    power: () => put({ type: 'power' }),
    wake: () => put({ type: 'wake' }),
    sleep: () => put({ type: 'sleep' }),
    say: (line) => put({ type: 'say', line }),
    receive: (line, reading = readMcuLine(line)) => put({ type: 'line', reading, text: line.text }),
    async call(ask) {
      if (!state.tools.some(({ name }) => name === ask.name))
        throw new AppError('tool-unknown', `The microcontroller has declared no tool "${ask.name}"`)
      const start = (id: number) => put({ type: 'call', call: { id, name: ask.name, arguments: ask.arguments } })
      return await calls.run(ask, { start, cancel: (id) => put({ type: 'cancel', id }) })
    },
    close() {
      timers.stopAll()
      calls.failAll(new AppError('uart-not-open', 'The serial port was closed before the answer came'))
    },
  }
}

function createTimers(clock: Clock, onEnd: (timer: BoardTimer) => void) {
  const running = new Map<BoardTimer, () => void>()
  return {
    start(timer: BoardTimer, ms: number): void {
      running.get(timer)?.()
      running.set(
        timer,
        clock.after(ms, () => onEnd(timer)),
      )
    },
    stop: (timer: BoardTimer): void => running.get(timer)?.(),
    stopAll(): void {
      for (const stop of running.values()) stop()
    },
  }
}

interface CallLine {
  start(id: number): void
  cancel(id: number): void
}

/** What callers still wait for. */
function createOpenCalls() {
  const open = new Map<number, { readonly turnId: string | null; readonly answer: PromiseWithResolvers<string> }>()
  let lastId = 0
  return {
    turnOf: (id: number) => open.get(id)?.turnId ?? null,
    settle(id: number, outcome: string | AppError): void {
      if (outcome instanceof AppError) open.get(id)?.answer.reject(outcome)
      else open.get(id)?.answer.resolve(outcome)
    },
    failAll(error: AppError): void {
      for (const { answer } of open.values()) answer.reject(error)
    },
    async run({ turnId, signal }: ToolAsk, line: CallLine): Promise<string> {
      const cancelled = () => new AppError('tool-cancelled', 'The call was cancelled')
      if (signal?.aborted) throw cancelled()
      const id = (lastId += 1)
      const answer = Promise.withResolvers<string>()
      const cancel = () => {
        line.cancel(id)
        answer.reject(cancelled())
      }
      open.set(id, { turnId, answer })
      signal?.addEventListener('abort', cancel)
      try {
        line.start(id)
        return await answer.promise
      } finally {
        signal?.removeEventListener('abort', cancel)
        open.delete(id)
      }
    },
  }
}

function timedOut(): AppError {
  return new AppError('uart-answer-timeout', `The microcontroller did not answer within ${answerLimitMs} ms`)
}
