import { AppError, isAppError } from '../base/app-error.ts'
import type { Log } from '../base/log.ts'
import type { Turn } from '../contract/conversation.ts'
import type { ToolContent } from '../contract/tool-registry.ts'
import type { ToolVersion } from '../contract/tool.ts'
import type { UartSession } from '../contract/uart.ts'
import type { McuTool } from '../contract/uart-wire.ts'
import type { ProviderCall, ToolOffer, ToolProvider } from './tools/tool-provider.ts'
import { outcomeOf, toolContent, toolProblem } from './uart/mcu-tool.ts'
import { createSubtitles } from './uart/subtitles.ts'
import type { UartBench } from './uart/uart-bench.ts'

/** What a bridge needs of the tool registry. */
export interface BridgeRegistry {
  adopt(content: ToolContent, as: { name: string; origin: 'uart'; owner: string }): Promise<ToolVersion>
  published(name: string): ToolVersion | undefined
}

export interface McuCall {
  readonly deviceId: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly turnId?: string | null
}

/** Microcontrollers on serial ports as a source of tools, and what they see of the conversations around them. */
export interface UartBridges {
  readonly provider: ToolProvider
  /**
   * `everywhere`: no board was chosen, so every voice may call its tools. `tools`: saved by an earlier run. Resolves
   * when those are known.
   */
  add(session: UartSession, options: { everywhere: boolean; tools: readonly McuTool[] }): Promise<void>
  update(session: UartSession): void
  setTools(sessionId: string, tools: readonly McuTool[]): Promise<void>
  remove(sessionId: string): void
  follow(turn: Turn): void
  readonly has: (deviceId: string) => boolean
  /** The text that the microcontroller behind this device answers. Rejects tool-… codes. */
  readonly callMcu: (call: McuCall) => Promise<string>
}

interface BridgesOptions {
  readonly bench: Pick<UartBench, 'ask' | 'call'>
  readonly registry: BridgeRegistry
  readonly log: Log
  /** A record that may speak to a voice: not itself a microcontroller. */
  readonly isVoice: (deviceId: string) => boolean
  /** Calls back after `ms`; the result cancels it. */
  readonly after: (ms: number, callback: () => void) => () => void
}

interface Bridge {
  session: UartSession
  readonly everywhere: boolean
  offers: readonly BridgeOffer[]
  /** Turns that it takes part in. */
  readonly turns: Set<string>
  stopSleep: (() => void) | undefined
}

interface BridgeOffer {
  readonly mcuName: string
  readonly name: string
  readonly tool: ToolVersion
}

/** A conversation that goes on within it finds the microcontroller awake. */
const sleepAfterMs = 8_000

export function createUartBridges(options: BridgesOptions): UartBridges {
  const { registry, log } = options
  const bridges = new Map<string, Bridge>()
  const of = (deviceId: string) => bridgesOf(deviceId, [...bridges.values()], options.isVoice)
  const voice = createVoice(options)
  const listeners = new Set<(deviceId: string | undefined) => void>()
  const changed = ({ everywhere, session }: Bridge) =>
    listeners.forEach((listener) => listener(everywhere ? undefined : (session.deviceId ?? undefined)))

  async function setTools(sessionId: string, tools: readonly McuTool[]): Promise<void> {
    const bridge = bridges.get(sessionId)
    if (!bridge) return
    const usable = tools.filter((tool) => toolProblem(tool) === null)
    const offers = await Promise.all(usable.map((tool) => adopt(tool, bridge.session.port, { registry, log })))
    bridge.offers = offers.flatMap((offer) => offer ?? [])
    changed(bridge)
  }

  return {
    provider: {
      id: 'uart',
      offers: async (deviceId) => of(deviceId).flatMap(offersOf),
      call: (call) => callOffer(call, of(call.deviceId), voice.ask),
      onChange: (listener) => void listeners.add(listener),
    },
    async add(session, { everywhere, tools }) {
      const bridge: Bridge = { session, everywhere, offers: [], turns: new Set(), stopSleep: undefined }
      bridges.set(session.id, bridge)
      // A board that just started: the wake-up asks for tools that it does not have (uart-mcp.md §3).
      voice.wake(bridge)
      voice.sleepSoon(bridge)
      await setTools(session.id, tools)
    },
    update(session) {
      const bridge = bridges.get(session.id)
      if (!bridge) return
      const { state } = bridge.session
      bridge.session = session
      if (state !== session.state) changed(bridge)
    },
    setTools,
    remove(sessionId) {
      const bridge = bridges.get(sessionId)
      if (!bridges.delete(sessionId) || !bridge) return
      bridge.stopSleep?.()
      changed(bridge)
    },
    follow: (turn) => voice.follow(turn, [...bridges.values()]),
    has: (deviceId) => of(deviceId).length > 0,
    async callMcu(call) {
      const found = of(call.deviceId).find(
        ({ session }) => session.state === 'open' && session.tools.some(({ name }) => name === call.name),
      )
      if (!found) throw new AppError('tool-unreachable', `No microcontroller of this device has a tool "${call.name}"`)
      return await voice.ask(found, call)
    },
  }
}

/** The microcontroller of this very board comes before one that serves all. */
function bridgesOf(deviceId: string, all: readonly Bridge[], isVoice: (deviceId: string) => boolean): Bridge[] {
  const own = all.filter(({ session }) => session.deviceId === deviceId)
  const open = isVoice(deviceId) ? all.filter((bridge) => bridge.everywhere && !own.includes(bridge)) : []
  return [...own, ...open]
}

/** A Thing whose name the microcontroller uses is that Thing, drawn in the console: its words and ranges count. */
async function adopt(
  tool: McuTool,
  port: string,
  { registry, log }: Pick<BridgesOptions, 'registry' | 'log'>,
): Promise<BridgeOffer | undefined> {
  const as = (name: string) => registry.adopt(toolContent(tool), { name, origin: 'uart', owner: port })
  try {
    return { mcuName: tool.name, name: tool.name, tool: await as(tool.name) }
  } catch (error) {
    const holder = isAppError(error, 'tool-name-taken') ? registry.published(tool.name) : undefined
    if (holder?.origin === 'thing') return { mcuName: tool.name, name: tool.name, tool: holder }
    const name = `uart_${tool.name}`.slice(0, 64)
    const other = holder && (await as(name).catch(() => undefined))
    if (other) return { mcuName: tool.name, name, tool: other }
    log.warn('a tool of a microcontroller was not taken', { port, tool: tool.name, error })
    return undefined
  }
}

type Ask = (bridge: Bridge, call: McuCall) => Promise<string>

async function callOffer(
  { deviceId, tool, arguments: args, signal, turnId }: ProviderCall,
  bridges: readonly Bridge[],
  ask: Ask,
): Promise<Readonly<Record<string, unknown>>> {
  for (const bridge of bridges) {
    const offer = bridge.offers.find(({ name }) => name === tool.name)
    if (!offer || bridge.session.state !== 'open') continue
    const status = await ask(bridge, { deviceId, name: offer.mcuName, arguments: args, signal, turnId })
    const outcome = outcomeOf(tool.result, args, status)
    if (!outcome.ok) throw new AppError('tool-failed', `The microcontroller answered "${status}"`)
    return outcome.value
  }
  throw new AppError('tool-unreachable', 'The serial port of this microcontroller is not open')
}

interface BridgeVoice {
  wake(bridge: Bridge): void
  sleepSoon(bridge: Bridge): void
  readonly ask: Ask
  follow(turn: Turn, bridges: readonly Bridge[]): void
}

/** What microcontrollers see of the conversations: they are woken, called, read to, and left to sleep. */
function createVoice({ bench, log, after }: BridgesOptions): BridgeVoice {
  const subtitles = createSubtitles()
  const tell = (asked: Promise<unknown>) =>
    void asked.catch((error: unknown) => log.debug('bridge not told', { error }))

  function wake(bridge: Bridge): void {
    bridge.stopSleep?.()
    bridge.stopSleep = undefined
    tell(bench.ask('wake', bridge.session.id))
  }

  function sleepSoon(bridge: Bridge): void {
    bridge.stopSleep?.()
    bridge.stopSleep = after(sleepAfterMs, () => tell(bench.ask('sleep', bridge.session.id)))
  }

  function takesPart(bridge: Bridge, turn: Turn): boolean {
    return bridge.turns.has(turn.id) || (!bridge.everywhere && bridge.session.deviceId === turn.deviceId)
  }

  return {
    wake,
    sleepSoon,
    async ask(bridge: Bridge, call: McuCall): Promise<string> {
      const { turnId = null, name, arguments: args, signal } = call
      if (turnId !== null && !bridge.turns.has(turnId)) {
        bridge.turns.add(turnId)
        wake(bridge)
      }
      try {
        return await bench.call(bridge.session.id, { name, arguments: args, turnId, signal })
      } catch (error) {
        throw asToolError(error)
      }
    },
    follow(turn: Turn, bridges: readonly Bridge[]): void {
      const around = bridges.filter((bridge) => takesPart(bridge, turn))
      if (around.length === 0) return
      const running = turn.status === 'running'
      const lines = subtitles.follow(turn)
      for (const bridge of around) {
        if (running && !bridge.turns.has(turn.id)) wake(bridge)
        if (running) bridge.turns.add(turn.id)
        for (const line of lines) tell(bench.ask('say', bridge.session.id, line))
        if (!running && bridge.turns.delete(turn.id)) sleepSoon(bridge)
      }
    },
  }
}

function offersOf({ session, offers }: Bridge): ToolOffer[] {
  const reachable = session.state === 'open'
  return offers.map(({ name, tool }) => ({ name, tool, reachable, source: 'uart', provider: session.port }))
}

function asToolError(error: unknown): unknown {
  if (isAppError(error, 'uart-answer-timeout')) return new AppError('tool-timeout', error.message, { cause: error })
  if (isAppError(error, 'uart-not-open') || isAppError(error, 'uart-stopped'))
    return new AppError('tool-disconnected', error.message, { cause: error })
  return error
}
