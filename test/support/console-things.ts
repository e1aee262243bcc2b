import { AppError } from '../../electron/base/app-error.ts'
import { createLiveFeed } from '../../electron/base/live-feed.ts'
import { applyCall, carryState, thingMembers, type ThingState } from '../../electron/contract/thing-engine.ts'
import {
  type SimulatedFault,
  type ThingBinding,
  type ThingDraft,
  type ThingLive,
  ThingModel,
  type ThingSummary,
  type ThingValue,
  type ThingVersion,
} from '../../electron/contract/thing.ts'
import type { ToolCall } from '../../electron/contract/tool.ts'
import type { RpcFeatures } from '../../electron/server/rpc/handlers.ts'
import { boardProfiles } from '../../electron/server/things/boards.ts'
import type { ReplayPlayer } from '../../electron/server/things/replay-player.ts'
import { thingTemplates } from '../../electron/server/things/templates.ts'
import { thingDiff } from '../../electron/server/things/thing-diff.ts'
import { thingProblems } from '../../electron/server/things/thing-lint.ts'
import { replayRows } from './console-thing-replay.ts'
import { emptyModel, historyOf, previewsOf, templateModel } from './console-thing-rows.ts'
import type { WorldName } from './console-world.ts'

// Test support: Things as the scripted server of the console tests plays them. Drafts, revisions, publishes and
// conflicts are kept as the contract says, values are played by the product's own engine.

export interface ThingKnobs {
  /** Somebody else publishes the next version with this change. */
  publishElsewhere(name: string, change: (model: ThingModel) => ThingModel): void
  /** Another page of the same person saves the draft. */
  saveElsewhere(name: string, change: (model: ThingModel) => ThingModel): void
  /** Writes stay pending until `confirm`. */
  holdWrites(on: boolean): void
  confirm(): void
  draft(name: string): ThingDraft | undefined
  newest(name: string): ThingVersion | undefined
  live(name: string): ThingLive | undefined
}

interface Running {
  binding: ThingBinding
  model: ThingModel
  version: number
  state: ThingState
  at: Record<string, number>
  pending: Record<string, ThingValue>
  fault: SimulatedFault
  occurrences: ThingLive['occurrences']
  calls: ThingLive['calls']
  replay: ReplayPlayer | null
}

const done = { ok: true } as const
const me = 'owner'
const MINUTE = 60_000

export function createThingScript(world: WorldName) {
  const versions = new Map<string, ThingVersion[]>()
  const drafts = new Map<string, ThingDraft>()
  const running: Running[] = []
  const changes = createLiveFeed<{ revision: number }>()
  const work = createLiveFeed<ThingLive[]>()
  let held = false
  let count = 0

  const touch = () => changes.publish((revision) => ({ revision }))
  const tell = () => work.publish(lives())
  const lives = () => running.map(liveOf)
  const newest = (name: string) => versions.get(name)?.at(-1)
  const must = <T>(
    found: T | undefined,
    code: 'thing-unknown' | 'thing-draft-unknown' | 'thing-not-bound',
    what: string,
  ): T => {
    if (found === undefined) throw new AppError(code, `Nothing is known of ${what}`)
    return found
  }
  const draftById = (id: string) =>
    must(
      [...drafts.values()].find((draft) => draft.id === id),
      'thing-draft-unknown',
      id,
    )
  const runs = (id: string) =>
    must(
      running.find(({ binding }) => binding.id === id),
      'thing-not-bound',
      id,
    )

  function liveOf(one: Running): ThingLive {
    const reading = (name: string) => ({
      value: one.state[name] ?? null,
      at: one.at[name] ?? null,
      pending: one.pending[name] ?? null,
    })
    return {
      binding: one.binding,
      version: one.version,
      model: one.model,
      reachable: world !== 'failed',
      readings: Object.fromEntries(one.model.properties.map(({ name }) => [name, reading(name)])),
      occurrences: one.occurrences,
      fault: one.binding.home === 'simulated' ? one.fault : null,
      replay: one.replay?.view() ?? null,
      calls: one.calls,
    }
  }
  function freeze(name: string, model: ThingModel, over: Partial<ThingVersion> = {}): ThingVersion {
    const before = versions.get(name) ?? []
    const version = before.length + 1
    const tools = Object.fromEntries(thingMembers(model).map(({ key, tool }) => [key, `${tool}@${version}`]))
    const made = {
      name,
      version,
      model,
      author: me,
      note: '',
      basedOn: before.at(-1)?.version ?? null,
      publishedAt: Date.now() - (10 - version) * 60 * MINUTE,
      canary: [],
      tools,
      ...over,
    }
    versions.set(name, [...before, made])
    return made
  }
  function bind(
    thing: string,
    home: ThingBinding['home'],
    at: { deviceId?: string; model?: ThingModel } = {},
  ): Running {
    const { deviceId = 'virtual-1', model } = at
    const played = model ?? newest(thing)?.model ?? emptyModel()
    const one: Running = {
      binding: { id: `binding-${++count}`, thing, deviceId, home, pin: null },
      model: played,
      version: newest(thing)?.version ?? 0,
      state: carryState(played, {}),
      at: Object.fromEntries(played.properties.map(({ name }, index) => [name, Date.now() - (index + 1) * 14_000])),
      pending: {},
      fault: { delayMs: 0, failure: 'none' },
      replay: null,
      occurrences: [],
      calls: [],
    }
    running.push(one)
    return one
  }
  function settle(one: Running, state: ThingState, changed: readonly string[]) {
    one.state = state
    for (const name of changed) one.at[name] = Date.now()
    one.pending = {}
  }
  function play(one: Running, member: string, args: Record<string, ThingValue>): ToolCall {
    const startedAt = Date.now()
    const tool = thingMembers(one.model).find(({ key }) => key === member)?.tool ?? member
    const step = applyCall(one.model, one.state, { member, arguments: args })
    const failed = one.fault.failure !== 'none'
    const error = failed ? { code: 'tool-failed', message: 'The part refused' } : step.error
    if (!error && held && member.startsWith('set:')) one.pending = { ...one.pending, ...args }
    else if (!error) settle(one, step.state, Object.keys(args))
    one.calls = [...one.calls, { at: startedAt, tool, arguments: args, result: error ?? step.result }]
    tell()
    const call = { ref: `${tool}@${one.version}`, arguments: args, startedAt, endedAt: Date.now() }
    if (!error) return { ...call, outcome: 'ok', result: step.result }
    const code = failed ? 'tool-timeout' : 'tool-bad-arguments'
    return { ...call, outcome: 'refused', errorCode: code, errorMessage: error.message }
  }
  function summaries(): ThingSummary[] {
    const names = new Set([...versions.keys(), ...drafts.keys()])
    return [...names].map((name) => {
      const model = drafts.get(name)?.model ?? newest(name)?.model ?? emptyModel()
      return {
        name,
        title: model.title,
        template: model.template,
        published: newest(name)?.version ?? null,
        drafts: drafts.has(name) ? 1 : 0,
        bindings: running.filter(({ binding }) => binding.thing === name).length,
        members: model.properties.length + model.methods.length + model.events.length,
      }
    })
  }
  function openDraft({
    name,
    template,
    from,
  }: {
    name: string
    template?: string | undefined
    from?: number | undefined
  }) {
    const known = drafts.get(name)
    if (known) return known
    const based = versions.get(name)?.find(({ version }) => version === from)
    const model = based?.model ?? (template === undefined ? emptyModel() : templateModel(template))
    const draft = {
      id: `draft-${++count}`,
      name,
      author: me,
      basedOn: based?.version ?? null,
      revision: 1,
      model,
      updatedAt: Date.now(),
    }
    drafts.set(name, draft)
    touch()
    return draft
  }
  function save(draft: ThingDraft, model: ThingModel): ThingDraft {
    const next = { ...draft, model, revision: draft.revision + 1, updatedAt: Date.now() }
    drafts.set(draft.name, next)
    for (const one of running.filter(({ binding }) => binding.thing === draft.name && binding.home === 'simulated')) {
      one.model = model
      one.state = carryState(model, one.state)
    }
    tell()
    return next
  }

  if (world !== 'empty') {
    freeze('desk_lamp', templateModel('lamp'), { note: 'First version' })
    freeze(
      'desk_lamp',
      { ...templateModel('lamp'), description: 'The lamp beside the door.' },
      { note: 'Says where it is' },
    )
    freeze('class_air', templateModel('air-conditioner'), { note: 'For class 3B' })
    freeze('window_sensor', templateModel('climate-sensor'))
    const lamp = bind('desk_lamp', 'simulated')
    lamp.state = { ...lamp.state, power: true, brightness: 60 }
    lamp.calls = [
      { at: Date.now() - 14_000, tool: 'set_brightness', arguments: { brightness: 60 }, result: { status: 'ok' } },
    ]
    lamp.occurrences = [{ at: Date.now() - MINUTE, event: 'overheat', params: { celsius: 81 }, announced: true }]
    const sensor = bind('window_sensor', 'board')
    sensor.state = { temperature: 26.1, humidity: 48 }
    openDraft({ name: 'plant_pump', template: 'pump' })
  }

  const features: RpcFeatures['things'] = {
    list: () => {
      if (world === 'failed') throw new AppError('server-internal', 'The store did not answer')
      return summaries()
    },
    watch: (_input, { signal }) => changes.subscribe(signal, { snapshot: (revision) => ({ revision }) }),
    detail({ name }) {
      const own = drafts.get(name)
      if (!own && !versions.has(name)) throw new AppError('thing-unknown', `No Thing ${name}`)
      return {
        versions: versions.get(name) ?? [],
        drafts: own ? [own] : [],
        bindings: running.map(({ binding }) => binding).filter(({ thing }) => thing === name),
      }
    },
    templates: () => [...thingTemplates],
    boards: () => [...boardProfiles],
    openDraft,
    saveDraft({ id, revision, model }) {
      const draft = draftById(id)
      if (draft.revision !== revision) throw new AppError('thing-draft-changed', `The draft is at ${draft.revision}`)
      return save(draft, ThingModel.parse(model))
    },
    dropDraft({ id }) {
      drafts.delete(draftById(id).name)
      touch()
      return done
    },
    review({ draftId }) {
      const draft = draftById(draftId)
      const now = newest(draft.name)
      const based = versions.get(draft.name)?.find(({ version }) => version === draft.basedOn)
      const conflict = now && now.version !== draft.basedOn
      return {
        changes: thingDiff(now?.model ?? based?.model ?? null, draft.model),
        problems: thingProblems(draft.model),
        conflict: conflict ? { theirs: now.model, theirVersion: now.version, author: now.author } : null,
      }
    },
    previews: ({ name, model }) => previewsOf(name, ThingModel.parse(model)),
    publish({ draftId, basedOn, note, canary }) {
      const draft = draftById(draftId)
      if ((newest(draft.name)?.version ?? null) !== basedOn)
        throw new AppError('thing-publish-conflict', `${draft.name} has a newer version`)
      drafts.delete(draft.name)
      const made = freeze(draft.name, draft.model, { note, canary, publishedAt: Date.now() })
      touch()
      return made
    },
    promote({ name, version }) {
      versions.set(
        name,
        (versions.get(name) ?? []).map((one) => (one.version === version ? { ...one, canary: [] } : one)),
      )
      touch()
      return done
    },
    rollBack({ name, to, note }) {
      const old = must(
        versions.get(name)?.find(({ version }) => version === to),
        'thing-unknown',
        name,
      )
      const made = freeze(name, old.model, { note, publishedAt: Date.now() })
      touch()
      return made
    },
    remove({ name }) {
      versions.delete(name)
      drafts.delete(name)
      touch()
      return done
    },
    bindTo({ thing, deviceId, home }) {
      const one = bind(thing, home, { deviceId })
      tell()
      touch()
      return one.binding
    },
    unbind({ bindingId }) {
      running.splice(running.indexOf(runs(bindingId)), 1)
      tell()
      touch()
      return done
    },
    simulate({ draftId, deviceId }) {
      const draft = draftById(draftId)
      const one = bind(draft.name, 'simulated', { deviceId, model: draft.model })
      tell()
      touch()
      return one.binding
    },
    async *live({ deviceId }, { signal }) {
      const mine = (all: readonly ThingLive[]) =>
        all.filter(({ binding }) => deviceId === undefined || binding.deviceId === deviceId)
      for await (const all of work.subscribe(signal, { snapshot: lives })) yield mine(all)
    },
    write: ({ bindingId, property, value }) => play(runs(bindingId), `set:${property}`, { [property]: value }),
    invoke: ({ bindingId, method, arguments: args }) => play(runs(bindingId), `call:${method}`, args),
    setReading({ bindingId, property, value }) {
      const one = runs(bindingId)
      settle(one, { ...one.state, [property]: value }, [property])
      tell()
      return done
    },
    raise({ bindingId, event, params }) {
      const one = runs(bindingId)
      const known = one.model.events.find(({ name }) => name === event)
      one.occurrences = [
        ...one.occurrences,
        { at: Date.now(), event, params, announced: (known?.announce ?? null) !== null },
      ]
      tell()
      return done
    },
    ...replayRows(runs, { settle, tell }),
    setFault({ bindingId, fault }) {
      runs(bindingId).fault = fault
      tell()
      return done
    },
    history: ({ bindingId, property }) => historyOf(runs(bindingId).state[property] ?? null),
  }

  const knobs: ThingKnobs = {
    publishElsewhere(name, change) {
      const now = must(newest(name), 'thing-unknown', name)
      freeze(name, change(now.model), { author: 'Mina', publishedAt: Date.now() })
      touch()
    },
    saveElsewhere(name, change) {
      const draft = must(drafts.get(name), 'thing-draft-unknown', name)
      save(draft, change(draft.model))
    },
    holdWrites: (on) => (held = on),
    confirm() {
      for (const one of running) settle(one, { ...one.state, ...one.pending }, Object.keys(one.pending))
      tell()
    },
    draft: (name) => drafts.get(name),
    newest,
    live: (name) => lives().find(({ binding }) => binding.thing === name),
  }
  return { features, knobs, close: () => [changes, work].forEach((feed) => feed.close()) }
}
