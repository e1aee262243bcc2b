import { z } from 'zod'
import { AppError } from '../base/app-error.ts'
import type { Clock } from '../base/clock.ts'
import type { Disposer } from '../base/disposer.ts'
import type { Log } from '../base/log.ts'
import type { ToolAudit } from '../contract/tool-registry.ts'
import type { TurnRecorder } from './agent/turn-recorder.ts'
import type { Sessions } from './session/sessions.ts'
import type { Store } from './store/store.ts'
import type { Recorder } from './telemetry/recorder.ts'
import { openThingBook, type ThingBook } from './things/thing-book.ts'
import type { ThingPorts } from './things/thing-ports.ts'
import { openThingRuntime, type ThingRuntime } from './things/thing-runtime.ts'
import { nameOf, type ThingToolShelf } from './things/thing-tool-names.ts'
import type { DeviceTools } from './tools/device-tools.ts'
import type { ToolHost } from './tools/tool-host.ts'
import type { ToolRegistry } from './tools/tool-registry.ts'
import type { UartDesk } from './uart-features.ts'

export interface Things {
  readonly book: ThingBook
  readonly runtime: ThingRuntime
}

export interface ThingWiring {
  readonly store: Store
  readonly registry: ToolRegistry
  readonly tools: ToolHost
  readonly boardTools: DeviceTools
  readonly onCall: (listener: (entry: ToolAudit) => void) => void
  readonly uart: Pick<UartDesk, 'callMcu' | 'has' | 'provider'>
  readonly sessions: Pick<Sessions, 'of' | 'openTurn'>
  readonly turns: Pick<TurnRecorder, 'feed'>
  readonly recorder: Pick<Recorder, 'onEvent'>
  readonly clock: Clock
  readonly log: Log
}

/** Things, joined to the boards, the serial ports, the registry and the tool host. */
export async function openThings(parts: ThingWiring, disposer: Disposer): Promise<Things> {
  const common = {
    store: parts.store.things,
    tools: toolShelf(parts.registry),
    clock: parts.clock,
    newId: () => crypto.randomUUID(),
  }
  const book = await openThingBook(common)
  disposer.add(() => book.close())
  const log = parts.log.child('things')
  const runtime = await openThingRuntime({ ...common, book, log, ports: portsOf(parts, disposer) })
  disposer.add(() => runtime.close())
  parts.boardTools.onChange((deviceId) => runtime.reachabilityChanged(deviceId))
  disposer.add(parts.recorder.onEvent((event) => void runtime.reported(event)))
  parts.uart.provider.onChange((deviceId) => runtime.reachabilityChanged(deviceId))
  parts.onCall(({ deviceId, ref, arguments: args, outcome, result }) => {
    const answer = z.record(z.string(), z.unknown()).safeParse(result)
    if (outcome === 'ok' && answer.success)
      runtime.noteCall({ deviceId, name: nameOf(ref), arguments: args, result: answer.data })
  })
  parts.tools.register(runtime.provider)
  return { book, runtime }
}

function toolShelf(registry: ToolRegistry): ThingToolShelf {
  const { shelf } = registry
  return {
    adopt: (content, as) => registry.adopt(content, as),
    version: ({ name, version }) => shelf.published(name).find((candidate) => candidate.version === version),
    async setCanary({ name, version }, devices) {
      const release = shelf.releaseOf({ name, version })
      if (release) await shelf.setRelease({ ...release, canary: [...devices] })
    },
    isTaken: (name) => shelf.published(name).some(({ origin }) => origin !== 'thing'),
  }
}

function portsOf(parts: ThingWiring, disposer: Disposer): ThingPorts {
  const { boardTools, registry, uart, sessions } = parts
  const languageOf = followLanguages(parts, disposer)
  return {
    board: {
      reaches: (deviceId) => boardTools.isReachable(deviceId),
      call({ name, ...call }) {
        const tool = registry.shelf.versionFor(name, { deviceId: call.deviceId })
        if (!tool) throw new AppError('tool-unknown', `There is no published tool "${name}"`)
        return boardTools.call({ ...call, tool })
      },
    },
    uart: {
      reaches: (deviceId) => uart.has(deviceId),
      call: async (call) => ({ value: await uart.callMcu(call) }),
    },
    async announce(deviceId, text) {
      const phase = sessions.of(deviceId)?.phase
      if (phase === undefined || phase === 'connecting') return false
      try {
        const said = text[languageOf(deviceId)] || text.en || text.zh
        const announced = { kind: 'event', by: { kind: 'thing', name: '' } } as const
        sessions.openTurn(deviceId, { source: 'announcement', text: said, announced })
        return true
      } catch (error) {
        parts.log.info('an event was not announced', { deviceId, error })
        return false
      }
    },
  }
}

/** The language in which a device was last spoken to. */
function followLanguages({ turns, log }: ThingWiring, disposer: Disposer): (deviceId: string) => 'en' | 'zh' {
  const spoken = new Map<string, 'en' | 'zh'>()
  const stop = new AbortController()
  disposer.add(() => stop.abort())
  async function follow(): Promise<void> {
    for await (const { turn } of turns.feed.subscribe(stop.signal, { key: ({ turn: { deviceId } }) => deviceId }))
      spoken.set(turn.deviceId, turn.language)
  }
  follow().catch((error: unknown) => log.warn('the languages of turns are not followed', { error }))
  return (deviceId) => spoken.get(deviceId) ?? 'en'
}
