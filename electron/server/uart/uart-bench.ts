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
  readonly ask: <M extends UartMethod>(method: M, ...params: Parameters<UartMethods[M]>) => Promise<UartAnswer<M>>
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
export function createUartBench(options: BenchOptions): UartBench {
  const answers = createAnswers()
  let closing: Promise<void> | undefined
  const process = createProcess(options, {
    onMessage(message) {
      if (!answers.take(message)) tell(message, options.events)
    },
    onExit(code) {
      if (!closing) options.log.error('serial bench stopped', { code })
      answers.failAll()
      options.events.died()
    },
  })
  let lastTicket = 0

  async function ask<M extends UartMethod>(method: M, ...params: Parameters<UartMethods[M]>): Promise<UartAnswer<M>> {
    if (closing) throw stopped()
    // The far side answers with what UartMethods says: it is our own build.
    return (await answers.wait((request) => process.post({ request, method, params }))) as UartAnswer<M>
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
    close: () => (closing ??= process.stop()),
  }
}

function tell(message: FromUart, events: UartEvents): void {
  if (message.type === 'session') events.session(message.session)
  else if (message.type === 'lines') events.lines(message.id, message.lines)
  else if (message.type === 'tools') events.tools(message.id, message.tools)
}

/** Questions that wait for their answer. */
function createAnswers() {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastRequest = 0
  return {
    async wait(post: (request: number) => Promise<void>): Promise<unknown> {
      const request = (lastRequest += 1)
      const answer = Promise.withResolvers<unknown>()
      waiting.set(request, answer)
      try {
        await post(request)
        return await answer.promise
      } finally {
        waiting.delete(request)
      }
    },
    /** False: the message is no answer. */
    take(message: FromUart): boolean {
      if (message.type === 'answer') waiting.get(message.request)?.resolve(message.value)
      else if (message.type === 'refusal')
        waiting.get(message.request)?.reject(new AppError(message.code, message.message))
      else return false
      return true
    },
    failAll(): void {
      for (const answer of waiting.values()) answer.reject(stopped())
    },
  }
}

interface ProcessEvents {
  readonly onMessage: (message: FromUart) => void
  readonly onExit: (code: number | null) => void
}

function createProcess({ launcher, dir }: BenchOptions, { onMessage, onExit }: ProcessEvents) {
  let child: Promise<Child> | undefined

  async function launch(): Promise<Child> {
    try {
      const started = await launcher.launch('uart', [dir])
      started.onMessage((message) => onMessage(message as FromUart))
      started.onExit(({ code }) => {
        child = undefined
        onExit(code)
      })
      return started
    } catch (error) {
      child = undefined
      throw stopped(error)
    }
  }

  return {
    async post(message: ToUart): Promise<void> {
      const to = await (child ??= launch())
      to.post(message)
    },
    async stop(): Promise<void> {
      const running = child && (await child.catch(() => undefined))
      if (!running) return
      const gone = Promise.withResolvers<undefined>()
      running.onExit(() => gone.resolve(undefined))
      running.post({ request: 0, method: 'stop', params: [] } satisfies ToUart)
      const late = { code: 'uart-stopped', message: 'The serial bench did not stop in time' } as const
      await withDeadline(gone.promise, stopLimitMs, late).catch(() => running.kill(true))
    },
  }
}

function stopped(cause?: unknown): AppError {
  return new AppError('uart-stopped', 'The process that holds the serial ports stopped', { cause })
}
