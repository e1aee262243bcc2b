import { AppError } from '../../base/app-error.ts'
import { withDeadline } from '../../base/deadline.ts'
import type { Child, Launcher } from '../../base/launcher.ts'
import type { Log } from '../../base/log.ts'
import type { UartLine, UartSession } from '../../contract/uart.ts'
import type { McuTool } from '../../contract/uart-wire.ts'
import type { FromUart, ToUart, UartAnswer, UartMethod, UartMethods } from './uart-message.ts'

export interface UartEvents {
  session(session: UartSession): void
  lines(id: string, lines: readonly UartLine[]): void
  /** The microcontroller declared its whole set. */
  tools(id: string, tools: readonly McuTool[]): void
  /** The process died: every session with it. */
  died(): void
}

/** The serial bench in a process of its own, as functions. */
export interface UartBench {
  /** Rejects with the code of the far side, or `uart-stopped`. */
  ask<M extends UartMethod>(method: M, ...params: Parameters<UartMethods[M]>): Promise<UartAnswer<M>>
  /** As `ask('call')`, and the signal takes the call back. */
  call(id: string, ask: CallAsk): Promise<string>
  close(): Promise<void>
}

export interface CallAsk {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly turnId: string | null
  readonly signal: AbortSignal
}

interface BenchOptions {
  readonly launcher: Launcher
  readonly log: Log
  readonly dir: string
  readonly events: UartEvents
}

const stopLimitMs = 4_000

/** The process starts with the first question, and again with the next one after it died. */
export function createUartBench({ launcher, log, dir, events }: BenchOptions): UartBench {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let child: Promise<Child> | undefined
  let lastRequest = 0
  let lastTicket = 0
  let closing: Promise<void> | undefined

  function receive(message: FromUart): void {
    switch (message.type) {
      case 'answer':
        waiting.get(message.request)?.resolve(message.value)
        return
      case 'refusal':
        waiting.get(message.request)?.reject(new AppError(message.code, message.message))
        return
      case 'session':
        return events.session(message.session)
      case 'lines':
        return events.lines(message.id, message.lines)
      case 'tools':
        return events.tools(message.id, message.tools)
    }
  }

  async function launch(): Promise<Child> {
    try {
      const started = await launcher.launch('uart', [dir])
      started.onMessage((message) => receive(message as FromUart))
      started.onExit(({ code }) => {
        child = undefined
        if (!closing) log.error('serial bench stopped', { code })
        for (const answer of waiting.values()) answer.reject(stopped())
        events.died()
      })
      return started
    } catch (error) {
      child = undefined
      throw stopped(error)
    }
  }

  async function post(method: UartMethod, params: readonly unknown[]): Promise<unknown> {
    const request = (lastRequest += 1)
    const answer = Promise.withResolvers<unknown>()
    waiting.set(request, answer)
    try {
      const to = await (child ??= launch())
      to.post({ request, method, params } satisfies ToUart)
      return await answer.promise
    } finally {
      waiting.delete(request)
    }
  }

  async function ask<M extends UartMethod>(method: M, ...params: Parameters<UartMethods[M]>): Promise<UartAnswer<M>> {
    if (closing) throw stopped()
    // The far side answers with what UartMethods says: it is our own build.
    return (await post(method, params)) as UartAnswer<M>
  }

  async function shut(): Promise<void> {
    const running = child && (await child.catch(() => undefined))
    if (!running) return
    const gone = Promise.withResolvers<undefined>()
    running.onExit(() => gone.resolve(undefined))
    running.post({ request: 0, method: 'stop', params: [] } satisfies ToUart)
    const late = { code: 'uart-stopped', message: 'The serial bench did not stop in time' } as const
    await withDeadline(gone.promise, stopLimitMs, late).catch(() => running.kill(true))
  }

  return {
    ask,
    async call(id, { signal, arguments: args, ...more }) {
      const ticket = (lastTicket += 1)
      const cancel = () => void ask('cancel', id, ticket).catch(() => undefined)
      if (signal.aborted) throw new AppError('tool-cancelled', 'The call was cancelled')
      signal.addEventListener('abort', cancel)
      try {
        return await ask('call', id, { ...more, arguments: { ...args }, ticket })
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    },
    close: () => (closing ??= shut()),
  }
}

function stopped(cause?: unknown): AppError {
  return new AppError('uart-stopped', 'The process that holds the serial ports stopped', { cause })
}
