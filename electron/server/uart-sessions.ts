import { AppError } from '../base/app-error.ts'
import type { Log } from '../base/log.ts'
import type { UartRole, UartSession } from '../contract/uart.ts'
import { type McuTool, usualVolume } from '../contract/uart-wire.ts'
import type { Devices } from './devices/devices.ts'
import type { ToolsLease } from './devices/live-device.ts'
import { noFaultPlan } from './uart/fault-line.ts'
import type { UartBench, UartEvents } from './uart/uart-bench.ts'
import type { UartBridges } from './uart-bridges.ts'
import { mcuDevice, mcuDeviceId, type ToolMemory } from './uart-memory.ts'

export interface OpenOrder {
  readonly port: string
  readonly baud: number
  readonly role: UartRole
  readonly deviceId?: string | undefined
}

export interface UartSessions {
  readonly views: () => UartSession[]
  /** Rejects flash-… codes of the port, `uart-port-open`, `uart-too-many`, `server-not-found` for an unknown device. */
  readonly open: (order: OpenOrder) => Promise<UartSession>
  close(id: string): Promise<void>
  /** What the process tells of them. */
  readonly events: Pick<UartEvents, 'session' | 'tools' | 'died'>
  /** All at once, without a word to the process, which ends. */
  drop(): void
}

interface SessionsParts {
  readonly bench: () => UartBench
  readonly bridges: () => UartBridges
  readonly devices: Devices
  readonly memory: ToolMemory
  readonly log: Log
  readonly isVirtual: (port: string) => boolean
  readonly onChange: () => void
}

interface OpenSession {
  view: UartSession
  /** What the microcontroller declared; it may do so before the session is all open. */
  tools: readonly McuTool[]
  lease: ToolsLease | undefined
}

/** The serial ports that are open, and the devices that they are. */
export function createUartSessions(parts: SessionsParts): UartSessions {
  const { log } = parts
  const sessions = new Map<string, OpenSession>()

  async function close(id: string): Promise<void> {
    const session = sessions.get(id)
    if (!session) throw new AppError('uart-not-open', 'This serial port is not open')
    sessions.delete(id)
    parts.bridges().remove(id)
    session.lease?.detach()
    parts.onChange()
    // Where the port went away, or the process died, there is nothing left to close.
    const { state } = session.view
    await parts
      .bench()
      .ask('close', id)
      .catch((error: unknown) => {
        if (state === 'open') throw error
      })
  }

  return {
    views: () => [...sessions.values()].map(({ view }) => view),
    open: (order) => openSession(order, { ...parts, sessions, close }),
    close,
    events: createEvents({ ...parts, sessions, close }),
    drop() {
      for (const { lease } of sessions.values()) lease?.detach()
      sessions.clear()
      log.debug('ports closed')
    },
  }
}

interface OpeningParts extends SessionsParts {
  readonly sessions: Map<string, OpenSession>
  readonly close: (id: string) => Promise<void>
}

async function openSession(order: OpenOrder, parts: OpeningParts): Promise<UartSession> {
  const { port, baud, role } = order
  const { devices, sessions } = parts
  if (order.deviceId !== undefined && !devices.row(order.deviceId))
    throw new AppError('server-not-found', `No device has the id "${order.deviceId}"`)
  const everywhere = role === 'bridge' && order.deviceId === undefined
  const deviceId = order.deviceId ?? (everywhere ? mcuDeviceId(port) : null)
  const tools = role === 'bridge' || role === 'board' ? await parts.memory.read(port) : []
  const id = crypto.randomUUID()
  const asked = { id, port, baud, role, deviceId, virtual: parts.isVirtual(port), tools }
  const session: OpenSession = { view: openingView(asked), tools, lease: undefined }
  sessions.set(id, session)
  try {
    session.view = await parts.bench().ask('open', asked)
    if (everywhere) session.lease = await becomeDevice(session.view, parts)
    if (role === 'bridge') await parts.bridges().add(session.view, { everywhere, tools: session.tools })
  } catch (error) {
    sessions.delete(id)
    throw error
  }
  parts.onChange()
  parts.log.info('port open', { port, role, deviceId })
  return session.view
}

async function becomeDevice({ id, port, virtual }: UartSession, parts: OpeningParts): Promise<ToolsLease> {
  const { devices, log } = parts
  const made = mcuDevice(port, { virtual, now: Date.now() })
  await devices.adopt(devices.row(made.id) ?? made)
  const close = () => void parts.close(id).catch((error: unknown) => log.warn('bridge not closed', { port, error }))
  return devices.attachTools(made.id, { close }, { address: port, listener: 'loopback', tokenless: true })
}

/** A bridge that serves every voice is a device of its own. */
const isDeviceItself = ({ role, deviceId, port }: UartSession) => role === 'bridge' && deviceId === mcuDeviceId(port)

function createEvents(parts: OpeningParts): UartSessions['events'] {
  const { sessions } = parts
  function update(view: UartSession): void {
    const session = sessions.get(view.id)
    if (!session) return
    const isBack = session.view.state === 'opening' && session.view.errorCode !== null && view.state === 'open'
    session.view = view
    if (view.errorCode !== null) {
      session.lease?.detach()
      session.lease = undefined
    } else if (isBack && isDeviceItself(view)) {
      rejoin(view).catch((error: unknown) => parts.log.warn('bridge not rejoined', { port: view.port, error }))
    }
    parts.bridges().update(view)
    parts.onChange()
  }

  async function rejoin(view: UartSession): Promise<void> {
    const lease = await becomeDevice(view, parts)
    const session = sessions.get(view.id)
    if (session?.view.state === 'open' && !session.lease) session.lease = lease
    else lease.detach()
  }

  async function learn(id: string, tools: readonly McuTool[]): Promise<void> {
    const session = sessions.get(id)
    if (!session) return
    session.tools = tools
    session.lease?.seen()
    await parts.bridges().setTools(id, tools)
    await parts.memory.keep(session.view.port, tools)
  }

  return {
    session: update,
    tools: (id, tools) =>
      void learn(id, tools).catch((error: unknown) => parts.log.warn('tools of a microcontroller not kept', { error })),
    died() {
      for (const { view } of sessions.values()) update({ ...view, state: 'failed', errorCode: 'uart-stopped' })
    },
  }
}

type Asked = Pick<UartSession, 'id' | 'port' | 'baud' | 'role' | 'deviceId' | 'virtual'>

function openingView({ id, port, baud, role, deviceId, virtual }: Asked): UartSession {
  return {
    ...{ id, port, baud, role, deviceId, virtual },
    state: 'opening',
    errorCode: null,
    bothSeen: false,
    volume: usualVolume,
    awake: false,
    tools: [],
    lines: 0,
    errors: 0,
    timeouts: 0,
    lateAnswers: 0,
    p50Ms: null,
    recording: false,
    faultPlan: noFaultPlan,
    hints: [],
  }
}
