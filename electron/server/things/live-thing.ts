import type { Clock } from '../../base/clock.ts'
import {
  applyCall,
  initialState,
  type ThingMember,
  thingMembers,
  type ThingState,
  valueFault,
} from '../../contract/thing-engine.ts'
import type { ThingLive, ThingModel, ThingOccurrence, ThingValue } from '../../contract/thing.ts'
import type { ToolVersion } from '../../contract/tool.ts'
import type { StoredBinding } from '../store/thing-store.ts'
import type { ReplayPlayer } from './replay-player.ts'
import { createSimulator, type Simulator } from './simulator.ts'
import { openReadings, type ReadingsParts, type ThingReadings } from './thing-readings.ts'

/** What a binding stands for just now: a published version, or a draft that is tried. */
export interface ThingAtWork {
  readonly version: number
  readonly model: ThingModel
  /** Tool by member. The objects stay the same while nothing changes, as the matcher keeps what it made of them. */
  readonly tools: ReadonlyMap<string, ToolVersion>
}

export interface LiveThing {
  readonly binding: StoredBinding
  rebind(binding: StoredBinding): void
  readonly work: ThingAtWork
  readonly simulator: Simulator | null
  readonly recording: RecordingSlot
  follow(work: ThingAtWork): void
  member(key: string): ThingMember | undefined
  memberOfTool(name: string): ThingMember | undefined
  /** A write was sent; the result takes the mark away. */
  expect(member: ThingMember, args: Readonly<Record<string, unknown>>): () => void
  /** A good answer: values that are known by it now. */
  confirm(member: ThingMember, args: Readonly<Record<string, unknown>>, result: Readonly<Record<string, unknown>>): void
  observe(property: string, value: ThingValue): void
  trace(entry: { tool: string; arguments: Readonly<Record<string, unknown>>; result: unknown }): void
  occurred(occurrence: ThingOccurrence): void
  live(reachable: boolean): ThingLive
}

const kept = 50

/** A bound Thing: readings with their age, what is pending, the trace of its calls, what happened. */
export async function openLiveThing(
  opened: StoredBinding,
  first: ThingAtWork,
  parts: ReadingsParts,
): Promise<LiveThing> {
  const readings = await openReadings(opened.id, parts)
  const from = { ...initialState(first.model), ...readings.known() }
  const simulator = opened.home === 'simulated' ? createSimulator(first.model, parts.clock, from) : null
  let binding = opened
  let work = first

  function showSimulated(): void {
    if (!simulator) return
    for (const [name, value] of Object.entries(simulator.state)) if (value !== null) readings.keep(name, value)
  }
  const member = (key: string) => thingMembers(work.model).find((candidate) => candidate.key === key)
  const records = createRecords(parts.clock)
  const recording = createRecordingSlot()

  showSimulated()
  return {
    get binding() {
      return binding
    },
    get work() {
      return work
    },
    simulator,
    recording,
    rebind: (next) => void (binding = next),
    follow(next) {
      // Its columns may be of no property any more.
      if (JSON.stringify(next.model.properties) !== JSON.stringify(work.model.properties)) recording.put(null)
      work = next
      simulator?.follow(next.model)
      readings.fit(next.model)
      showSimulated()
    },
    member,
    memberOfTool: (name) => member([...work.tools].find(([, tool]) => tool.name === name)?.[0] ?? ''),
    expect: (which, args) => expectWrite(which, args, readings),
    confirm(which, args, result) {
      const state = simulator?.state ?? readings.known()
      const told = confirmedBy(which, { model: work.model, state, args, result })
      for (const [name, value] of Object.entries(told)) readings.keep(name, value)
    },
    observe: (name, value) => readings.keep(name, value),
    trace: records.trace,
    occurred: records.occurred,
    live: (reachable) => ({
      binding: bare(binding),
      version: work.version,
      model: work.model,
      reachable,
      readings: readings.of(work.model),
      fault: simulator?.fault ?? null,
      replay: recording.player?.view() ?? null,
      ...records.all(),
    }),
  }
}

/** What a simulated Thing plays: one recording, or none. */
export interface RecordingSlot {
  readonly player: ReplayPlayer | null
  /** The one before ends. */
  put(player: ReplayPlayer | null): void
}

function createRecordingSlot(): RecordingSlot {
  let player: ReplayPlayer | null = null
  return {
    get player() {
      return player
    },
    put(next) {
      player?.stop()
      player = next
    },
  }
}

function expectWrite(
  member: ThingMember,
  args: Readonly<Record<string, unknown>>,
  readings: ThingReadings,
): () => void {
  const name = member.kind === 'set' ? member.property?.name : undefined
  if (name === undefined) return () => undefined
  // Checked by the tool's schema or by argumentFault.
  readings.mark(name, args[name] as ThingValue)
  return () => readings.mark(name, null)
}

interface Answered {
  readonly model: ThingModel
  readonly state: ThingState
  readonly args: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>>
}

/** Values that a good answer tells: of a get its own; of the rest what the model says, until a get corrects it. */
function confirmedBy(member: ThingMember, { model, state, args, result }: Answered): Record<string, ThingValue> {
  if (member.kind === 'get') {
    const value = result['value']
    if (!member.property || valueFault(member.property, value) !== undefined) return {}
    return { [member.property.name]: value as ThingValue }
  }
  const step = applyCall(model, state, { member: member.key, arguments: args })
  const touched = member.property ? [member.property.name] : Object.keys(member.method?.sets ?? {})
  const values = touched.map((name) => [name, step.error ? null : (step.state[name] ?? null)] as const)
  return Object.fromEntries(values.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

/** The newest calls and occurrences, oldest first. */
function createRecords(clock: Clock) {
  const calls: ThingLive['calls'] = []
  const occurrences: ThingOccurrence[] = []
  const push = <T>(items: T[], item: T): void => {
    items.push(item)
    if (items.length > kept) items.shift()
  }
  return {
    trace: (entry: { tool: string; arguments: Readonly<Record<string, unknown>>; result: unknown }) =>
      push(calls, { ...entry, arguments: { ...entry.arguments }, at: Math.round(clock.now()) }),
    occurred: (occurrence: ThingOccurrence) => push(occurrences, occurrence),
    all: () => ({ calls: [...calls], occurrences: [...occurrences] }),
  }
}

/** Without what only the store knows. */
export function bare({ id, thing, deviceId, home, pin }: StoredBinding): ThingLive['binding'] {
  return { id, thing, deviceId, home, pin }
}
