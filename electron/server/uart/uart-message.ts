import type { ErrorCode } from '../../contract/errors.ts'
import type { ThingModel } from '../../contract/thing.ts'
import type { UartFaultPlan, UartLine, UartSession, UartStep, UartStepResult } from '../../contract/uart.ts'
import type { BoardLine, McuTool } from '../../contract/uart-wire.ts'
import type { SessionOrder } from './session-order.ts'

/** What the server asks of the process that holds the serial ports; every one is answered once. */
export interface UartMethods {
  open(order: SessionOrder): UartSession
  close(id: string): void
  send(id: string, text: string, end: boolean): void
  call(
    id: string,
    ask: { name: string; arguments: Record<string, unknown>; turnId: string | null; ticket: number },
  ): string
  /** Nobody waits for that call any more. */
  cancel(id: string, ticket: number): void
  setBaud(id: string, baud: number): void
  setFaults(id: string, plan: UartFaultPlan): void
  record(id: string, on: boolean): void
  recording(id: string): string
  replay(id: string, text: string): void
  runScript(id: string, steps: readonly UartStep[]): UartStepResult[]
  page(id: string, before: number | null, limit: number): UartLine[]
  newest(id: string): UartLine[]
  wake(id: string): void
  sleep(id: string): void
  say(id: string, line: BoardLine): void
  /** The port of a new virtual microcontroller, with the tools of a Thing or of the lesson. */
  startMcu(model: ThingModel | null, names: Readonly<Record<string, string>>): string
  stop(): void
}

export type UartMethod = keyof UartMethods
export type UartAnswer<M extends UartMethod> = ReturnType<UartMethods[M]>

export interface ToUart {
  readonly request: number
  readonly method: UartMethod
  readonly params: readonly unknown[]
}

export type FromUart =
  | { readonly type: 'answer'; readonly request: number; readonly value: unknown }
  | { readonly type: 'refusal'; readonly request: number; readonly code: ErrorCode; readonly message: string }
  | { readonly type: 'session'; readonly session: UartSession }
  | { readonly type: 'lines'; readonly id: string; readonly lines: readonly UartLine[] }
  | { readonly type: 'tools'; readonly id: string; readonly tools: readonly McuTool[] }

/** The same functions on the far side, where each may take its time. */
export type UartHost = {
  readonly [M in UartMethod]: (...params: Parameters<UartMethods[M]>) => Promise<UartAnswer<M>> | UartAnswer<M>
}
