import { AppError, toAppError } from '../../base/app-error.ts'
import { createLiveFeed } from '../../base/live-feed.ts'
import { argumentFault, type ThingMember, valueFault } from '../../contract/thing-engine.ts'
import type { SimulatedFault, ThingBinding, ThingLive, ThingValue } from '../../contract/thing.ts'
import { type ToolCall, toolRef } from '../../contract/tool.ts'
import { createFirstReadings } from './first-readings.ts'
import type { ReplayFault, ReplayOrder } from '../../contract/thing-replay.ts'
import { bare, type LiveThing } from './live-thing.ts'
import { readReplay } from './replay-csv.ts'
import { createReplayPlayer } from './replay-player.ts'
import { openThingBindings, type ThingBindings, type ThingBindingsOptions } from './thing-bindings.ts'
import { createThingEvents } from './thing-events.ts'
import type { ThingSource } from './thing-source.ts'
import { homeAnswer, type ThingPorts } from './thing-ports.ts'

export interface ThingRuntime {
  readonly provider: ThingSource
  bindings(): readonly ThingBinding[]
  /** Rejects thing-already-bound, thing-version-unknown, thing-too-many. */
  bind(order: Omit<ThingBinding, 'id'>): Promise<ThingBinding>
  unbind(id: string): Promise<void>
  /** The device is no more. */
  forget(deviceId: string): Promise<void>
  simulate(order: { draftId: string; deviceId: string }): Promise<ThingBinding>
  snapshot(deviceId?: string): ThingLive[]
  /** All of them at every change. */
  watch(deviceId: string | undefined, signal: AbortSignal): AsyncIterable<ThingLive[]>
  /** Never rejects for what the device does: that is the outcome. Rejects thing-not-bound, thing-member-unknown. */
  write(order: { bindingId: string; property: string; value: ThingValue }, signal?: AbortSignal): Promise<ToolCall>
  invoke(
    order: { bindingId: string; method: string; arguments: Readonly<Record<string, ThingValue>> },
    signal?: AbortSignal,
  ): Promise<ToolCall>
  /** Rejects thing-not-simulated, thing-member-unknown, tool-bad-arguments. */
  setReading(order: { bindingId: string; property: string; value: ThingValue }): void
  raise(order: { bindingId: string; event: string; params: Readonly<Record<string, ThingValue>> }): Promise<void>
  setFault(bindingId: string, fault: SimulatedFault): void
  /**
   * A simulated Thing plays a CSV of measurements (replay-csv.ts); with faults it goes on as it was. Throws
   * thing-replay-bad, thing-not-simulated.
   */
  startReplay(order: { bindingId: string; file: string; text: string }): { faults: ReplayFault[] }
  /** Throws thing-no-replay. */
  steerReplay(bindingId: string, order: ReplayOrder): void
  history(query: { bindingId: string; property: string; limit: number }): Promise<{ at: number; value: ThingValue }[]>
  /** A call that went to the board's own tools past this provider. */
  noteCall(call: {
    deviceId: string
    name: string
    arguments: Readonly<Record<string, unknown>>
    result: Readonly<Record<string, unknown>>
  }): void
  /**
   * A board reported an event of itself (iotta-protocol.md §5). When a Thing that lives on it has one of this name, it
   * occurred there; `message` may hold its parameters as a JSON object. Never rejects.
   */
  reported(event: { deviceId: string; code: string; message: string }): Promise<void>
  /** A board or a microcontroller came or went. */
  reachabilityChanged(deviceId: string | undefined): void
  close(): void
}

export interface ThingRuntimeOptions extends Omit<ThingBindingsOptions, 'changed'> {
  readonly ports: ThingPorts
}

interface Inner extends ThingRuntimeOptions {
  readonly things: ThingBindings
  readonly show: () => void
}

/** Bound Things at work: a source of tools, and what the console shows and does with them. */
export async function openThingRuntime(options: ThingRuntimeOptions): Promise<ThingRuntime> {
  const feed = createLiveFeed<number>()
  const listeners = new Set<(deviceId: string | undefined) => void>()
  const show = () => feed.publish((revision) => revision)
  const first = createFirstReadings({ ...options, show })
  const changed = (deviceId: string | undefined) => {
    show()
    for (const listener of listeners) listener(deviceId)
    first.look(deviceId === undefined ? things.all() : things.of(deviceId))
  }
  const things: ThingBindings = await openThingBindings({ ...options, changed })
  const inner: Inner = { ...options, things, show }
  options.book.onChange(({ name, published }) => {
    things
      .refresh(name, published)
      .catch((error: unknown) => options.log.warn('a Thing was not followed', { name, error }))
  })
  const snapshot = (deviceId?: string) =>
    (deviceId === undefined ? things.all() : things.of(deviceId)).map((thing) => thing.live(reaches(thing, inner)))
  return {
    provider: sourceOf(inner, (listener) => void listeners.add(listener)),
    bindings: () => things.stored().map(bare),
    bind: async (order) => bare((await things.bind({ ...order, draftId: null })).binding),
    unbind: (id) => things.remove(id),
    async forget(deviceId) {
      for (const { id } of things.stored().filter((binding) => binding.deviceId === deviceId)) await things.remove(id)
    },
    async simulate({ draftId, deviceId }) {
      const draft = options.book.draft(draftId)
      if (!draft) throw new AppError('thing-draft-unknown', 'There is no such draft')
      const order = { thing: draft.name, deviceId, home: 'simulated', pin: null, draftId } as const
      return bare((await things.bind(order)).binding)
    },
    snapshot,
    async *watch(deviceId, signal) {
      for await (const _ of feed.subscribe(signal, { snapshot: (revision) => revision, key: () => 'all' }))
        yield snapshot(deviceId)
    },
    write: ({ bindingId, property, value }, signal) =>
      byHand(things.get(bindingId), { key: `set:${property}`, arguments: { [property]: value }, signal }, inner),
    invoke: ({ bindingId, method, arguments: args }, signal) =>
      byHand(things.get(bindingId), { key: `call:${method}`, arguments: args, signal }, inner),
    ...handsOn(inner),
    reachabilityChanged: changed,
    close() {
      for (const { recording } of things.all()) recording.put(null)
      first.close()
      feed.close()
    },
  }
}

/** What a person does to a simulated Thing, and what is looked up. */
function handsOn(
  inner: Inner,
): Pick<
  ThingRuntime,
  'setReading' | 'raise' | 'reported' | 'setFault' | 'history' | 'noteCall' | 'startReplay' | 'steerReplay'
> {
  const { things, show } = inner
  const events = createThingEvents(inner)
  const simulated = (id: string) => {
    const thing = things.get(id)
    if (!thing.simulator) throw new AppError('thing-not-simulated', `${thing.binding.thing} is a real one`)
    return { thing, simulator: thing.simulator }
  }
  return {
    setReading({ bindingId, property: name, value }) {
      const { thing, simulator } = simulated(bindingId)
      const property = thing.work.model.properties.find((candidate) => candidate.name === name)
      if (!property) throw new AppError('thing-member-unknown', `There is no property ${name}`)
      const fault = valueFault(property, value)
      if (fault !== undefined) throw new AppError('tool-bad-arguments', `${name} ${fault}`)
      simulator.put(name, value)
      thing.observe(name, value)
      show()
    },
    async raise({ bindingId, event, params }) {
      await events.raise(simulated(bindingId).thing, { name: event, params })
    },
    reported: ({ deviceId, code, message }) => events.reported(things.of(deviceId), { code, message }),
    setFault(bindingId, fault) {
      simulated(bindingId).simulator.setFault(fault)
      show()
    },
    ...replays(inner, (id) => simulated(id).thing),
    history: ({ bindingId, property, limit }) =>
      inner.store.values({ bindingId: things.get(bindingId).binding.id, property, limit }),
    noteCall({ deviceId, name, arguments: args, result }) {
      for (const thing of things.of(deviceId)) {
        const member = thing.binding.home === 'board' ? thing.memberOfTool(name) : undefined
        if (!member) continue
        try {
          settle(thing, { member, args, tool: name }, homeAnswer(member, result, args))
        } catch (error) {
          inner.log.warn('an answer of a board does not fit its Thing', { deviceId, name, error })
        }
        show()
      }
    },
  }
}

/** Recordings in the place of hands: their values take the same way. */
function replays(
  { clock, show }: Inner,
  simulated: (id: string) => LiveThing,
): Pick<ThingRuntime, 'startReplay' | 'steerReplay'> {
  return {
    startReplay({ bindingId, file, text }) {
      const thing = simulated(bindingId)
      const read = readReplay(text, thing.work.model)
      if ('faults' in read) return read
      const put = (values: Readonly<Record<string, ThingValue>>) => {
        for (const [name, value] of Object.entries(values)) {
          thing.simulator?.put(name, value)
          thing.observe(name, value)
        }
      }
      const player = createReplayPlayer({ file, rows: read.rows, clock, put, changed: show })
      thing.recording.put(player)
      player.steer({ action: 'play' })
      return { faults: [] }
    },
    steerReplay(bindingId, order) {
      const { recording } = simulated(bindingId)
      if (!recording.player) throw new AppError('thing-no-replay', 'Nothing is played here')
      recording.player.steer(order)
      if (order.action !== 'stop') return
      recording.put(null)
      show()
    },
  }
}

function reaches({ binding }: LiveThing, { ports }: Inner): boolean {
  return binding.home === 'simulated' || ports[binding.home].reaches(binding.deviceId)
}

function sourceOf(inner: Inner, onChange: ThingSource['onChange']): ThingSource {
  const { things } = inner
  return {
    id: 'things',
    offers: async (deviceId) =>
      things.of(deviceId).flatMap((thing) => {
        // A board names its tools itself (iotta-protocol.md §4); what they answer is noted.
        if (thing.binding.home === 'board') return []
        const { title } = thing.work.model
        const rest = { reachable: reaches(thing, inner), source: 'thing', provider: title.en || title.zh } as const
        return [...thing.work.tools.values()].map((tool) => ({ name: tool.name, tool, ...rest }))
      }),
    async call({ deviceId, tool, arguments: args, signal, timeoutMs, turnId }) {
      const thing = things.of(deviceId).find((candidate) => candidate.memberOfTool(tool.name))
      const member = thing?.memberOfTool(tool.name)
      if (!thing || !member) throw new AppError('tool-unknown', `No Thing of this device has "${tool.name}"`)
      return run(thing, { member, args, tool: tool.name, signal, timeoutMs, turnId }, inner)
    },
    onChange,
  }
}

interface Call {
  readonly member: ThingMember
  readonly args: Readonly<Record<string, unknown>>
  readonly tool: string
}
interface SentCall extends Call {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly turnId: string | null
}

/** One call at the Thing's home: pending, sent, confirmed, traced. */
async function run(thing: LiveThing, call: SentCall, inner: Inner): Promise<Readonly<Record<string, unknown>>> {
  const unmark = thing.expect(call.member, call.args)
  inner.show()
  try {
    const raw = await send(thing, call, inner)
    return settle(thing, call, homeAnswer(call.member, raw, call.args))
  } catch (error) {
    thing.trace({ tool: call.tool, arguments: call.args, result: { error: toAppError(error).code } })
    throw error
  } finally {
    unmark()
    inner.show()
  }
}

function settle(
  thing: LiveThing,
  { member, args, tool }: Call,
  result: Record<string, unknown>,
): Record<string, unknown> {
  thing.confirm(member, args, result)
  thing.trace({ tool, arguments: args, result })
  return result
}

function send(thing: LiveThing, call: SentCall, { ports }: Inner): Promise<Readonly<Record<string, unknown>>> {
  const { home, deviceId } = thing.binding
  if (home === 'simulated' || thing.simulator) {
    if (!thing.simulator) throw new AppError('tool-unreachable', 'The simulation is not there')
    return thing.simulator.call({ member: call.member.key, arguments: call.args }, call.signal)
  }
  const { tool: name, args, signal, timeoutMs, turnId } = call
  return ports[home].call({ deviceId, name, arguments: args, signal, timeoutMs, turnId })
}

const handTimeoutMs = 10_000

interface HandCall {
  readonly key: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
}

/** A control of the console: the same road as a tool, members that no voice is offered too. */
async function byHand(thing: LiveThing, order: HandCall, inner: Inner): Promise<ToolCall> {
  const { clock } = inner
  const member = thing.member(order.key)
  if (!member) throw new AppError('thing-member-unknown', `${thing.binding.thing} has no ${order.key}`)
  const tool = thing.work.tools.get(order.key)
  const base = { ref: tool ? toolRef(tool) : member.tool, arguments: { ...order.arguments }, startedAt: clock.now() }
  const fault = argumentFault(member, order.arguments)
  if (fault) {
    const refusal = { outcome: 'refused', errorCode: 'tool-bad-arguments', errorMessage: fault.message } as const
    return { ...base, ...refusal, endedAt: clock.now() }
  }
  const ending = new AbortController()
  const cancel = () => ending.abort()
  order.signal?.addEventListener('abort', cancel)
  const late = new AppError('tool-timeout', `There was no answer within ${handTimeoutMs} ms`)
  const stop = clock.after(handTimeoutMs, () => ending.abort(late))
  try {
    const call = { member, args: order.arguments, tool: tool?.name ?? member.tool, turnId: null }
    const result = await run(thing, { ...call, signal: ending.signal, timeoutMs: handTimeoutMs }, inner)
    return { ...base, outcome: 'ok', result, endedAt: clock.now() }
  } catch (error) {
    const { code, message } = ending.signal.reason === late ? late : toAppError(error)
    const outcome = code === 'tool-timeout' ? 'timeout' : code === 'tool-cancelled' ? 'cancelled' : 'failed'
    return { ...base, outcome, errorCode: code, errorMessage: message, endedAt: clock.now() }
  } finally {
    stop()
    order.signal?.removeEventListener('abort', cancel)
  }
}
