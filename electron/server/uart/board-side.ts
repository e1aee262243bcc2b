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

interface OpenCall {
  readonly turnId: string | null
  readonly answer: PromiseWithResolvers<string>
}

export function createBoardSide(options: BoardSideOptions): BoardSide {
  const { clock } = options
  let state = boardAtRest({ baud: options.baud, volume: options.volume ?? usualVolume, tools: options.tools ?? [] })
  const timers = new Map<BoardTimer, () => void>()
  const calls = new Map<number, OpenCall>()
  let lastId = 0

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
        return options.send(
          boardLine(effect.line),
          (effect.call === null ? null : calls.get(effect.call)?.turnId) ?? null,
        )
      case 'set-baud':
        return options.setBaud(effect.baud)
      case 'start-timer':
        timers.get(effect.timer)?.()
        timers.set(
          effect.timer,
          clock.after(effect.ms, () => put({ type: 'timer', timer: effect.timer })),
        )
        return
      case 'stop-timer':
        return timers.get(effect.timer)?.()
      case 'answered':
        return calls.get(effect.id)?.answer.resolve(effect.status)
      case 'timed-out':
        return calls.get(effect.id)?.answer.reject(timedOut())
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
    async call({ name, arguments: args, turnId, signal }) {
      if (!state.tools.some((tool) => tool.name === name))
        throw new AppError('tool-unknown', `The microcontroller has declared no tool "${name}"`)
      signal?.throwIfAborted()
      const id = (lastId += 1)
      const answer = Promise.withResolvers<string>()
      const cancel = () => {
        put({ type: 'cancel', id })
        answer.reject(new AppError('tool-cancelled', 'The call was cancelled'))
      }
      calls.set(id, { turnId, answer })
      signal?.addEventListener('abort', cancel)
      try {
        put({ type: 'call', call: { id, name, arguments: args } })
        return await answer.promise
      } finally {
        signal?.removeEventListener('abort', cancel)
        calls.delete(id)
      }
    },
    close() {
      for (const stop of timers.values()) stop()
      for (const { answer } of calls.values())
        answer.reject(new AppError('uart-not-open', 'The serial port was closed before the answer came'))
    },
  }
}

function timedOut(): AppError {
  return new AppError('uart-answer-timeout', `The microcontroller did not answer within ${answerLimitMs} ms`)
}
