import { join } from 'node:path'
import { AppError, toAppError } from '../../base/app-error.ts'
import { systemClock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { ThingModel } from '../../contract/thing.ts'
import { type BenchSession, createBenchSession, type PlayedMcu } from './bench-session.ts'
import type { SessionWire } from './rejoining-wire.ts'
import type { SessionOrder } from './session-order.ts'
import type { FromUart, ToUart, UartHost } from './uart-message.ts'
import { portTrouble } from './port-trouble.ts'

export interface HostParts {
  readonly log: Log
  /** For the lines on disk. */
  readonly dir: string
  post(message: FromUart): void
  /** Rejects flash-… codes of serial-link.ts. */
  openPort(path: string, baud: number): Promise<SessionWire>
  readonly playMcu: (send: (text: string) => void) => PlayedMcu
  /** A microcontroller of its own on a pseudo-terminal. Throws `chip-no-pty`. */
  startMcu(
    model: ThingModel | null,
    names: Readonly<Record<string, string>>,
  ): { readonly path: string; close(): Promise<void> }
}

/** A pane for each is all that a person can follow; a class has one a desk. */
const mostSessions = 32
const mostMcus = 16

/** The child's side: every session with its port on one loop. Answers each request once; never throws. */
export function createUartHost(parts: HostParts): { receive(message: ToUart): void; stop(): Promise<void> } {
  const sessions = new Map<string, BenchSession>()
  const mcus: { close(): Promise<void> }[] = []

  function need(id: string): BenchSession {
    const session = sessions.get(id)
    if (!session) throw new AppError('uart-not-open', 'This serial port is not open')
    return session
  }

  async function stop(): Promise<void> {
    const open = [...sessions.values(), ...mcus.splice(0)]
    sessions.clear()
    await Promise.allSettled(open.map((one) => one.close()))
  }

  const host: UartHost = {
    ...sessionRows(need),
    async open(order) {
      const session = await openSession(order, sessions, parts)
      return session.view()
    },
    async close(id) {
      const session = need(id)
      sessions.delete(id)
      await session.close()
    },
    startMcu(model, names) {
      if (mcus.length >= mostMcus)
        throw new AppError('uart-too-many', `${mostMcus} virtual microcontrollers run already`)
      const mcu = parts.startMcu(model, names)
      mcus.push(mcu)
      return mcu.path
    },
    stop,
  }

  async function answer({ request, method, params }: ToUart): Promise<void> {
    try {
      // Our own build is the only caller: names and parameters are those of UartMethods.
      const run = host[method] as (...params: readonly unknown[]) => unknown
      parts.post({ type: 'answer', request, value: await run(...params) })
    } catch (error) {
      const { code, message } = toAppError(error)
      parts.post({ type: 'refusal', request, code: portTrouble(code), message })
    }
  }

  return { receive: (message) => void answer(message), stop }
}

async function openSession(
  order: SessionOrder,
  sessions: Map<string, BenchSession>,
  parts: HostParts,
): Promise<BenchSession> {
  if (sessions.size >= mostSessions) throw new AppError('uart-too-many', `${mostSessions} ports are open already`)
  if ([...sessions.values()].some((session) => session.view().port === order.port))
    throw new AppError('uart-port-open', `${order.port} is open in the bench already`)
  const wire = await parts.openPort(order.port, order.baud)
  const session = createBenchSession({
    order,
    wire,
    clock: systemClock,
    log: parts.log,
    dir: join(parts.dir, order.id),
    playMcu: parts.playMcu,
    onSession: (view) => parts.post({ type: 'session', session: view }),
    onLines: (lines) => parts.post({ type: 'lines', id: order.id, lines }),
    onTools: (tools) => parts.post({ type: 'tools', id: order.id, tools }),
  })
  sessions.set(order.id, session)
  return session
}

/** What is asked of one open session. */
function sessionRows(need: (id: string) => BenchSession): Omit<UartHost, 'open' | 'close' | 'startMcu' | 'stop'> {
  const calls = new Map<number, AbortController>()
  return {
    send: (id, text, end) => need(id).send(text, end),
    async call(id, { ticket, ...ask }) {
      const cancel = new AbortController()
      calls.set(ticket, cancel)
      try {
        return await need(id).call({ ...ask, signal: cancel.signal })
      } finally {
        calls.delete(ticket)
      }
    },
    cancel: (_id, ticket) => calls.get(ticket)?.abort(),
    setBaud: (id, baud) => need(id).setBaud(baud),
    setFaults: (id, plan) => need(id).setFaults(plan),
    record: (id, on) => need(id).record(on),
    recording: (id) => need(id).recording(),
    replay: (id, text) => need(id).replay(text),
    runScript: (id, steps) => need(id).runScript(steps),
    page: (id, before, limit) => need(id).page(before, limit),
    newest: (id) => [...need(id).newest],
    wake: (id) => need(id).wake(),
    sleep: (id) => need(id).sleep(),
    say: (id, line) => need(id).say(line),
  }
}
