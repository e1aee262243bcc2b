import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { ThingModel } from '../../contract/thing.ts'
import { draftToolVersions, type ToolVersion } from '../../contract/tool.ts'
import type { StoredBinding, ThingStore } from '../store/thing-store.ts'
import { type LiveThing, openLiveThing, type ThingAtWork } from './live-thing.ts'
import type { ThingBook } from './thing-book.ts'
import { partsOf, type ThingToolShelf } from './thing-tool-names.ts'

const maxBindings = 1000

export interface ThingBindings {
  all(): readonly LiveThing[]
  of(deviceId: string): readonly LiveThing[]
  /** Throws thing-not-bound. */
  get(id: string): LiveThing
  stored(): readonly StoredBinding[]
  /** Rejects thing-already-bound, thing-version-unknown, thing-too-many. */
  bind(order: Omit<StoredBinding, 'id'>): Promise<LiveThing>
  remove(id: string): Promise<void>
  /** The Thing's versions or drafts changed: all that are bound follow. */
  refresh(name: string, published: string | null): Promise<void>
}

export interface ThingBindingsOptions {
  readonly store: ThingStore
  readonly book: ThingBook
  readonly tools: ThingToolShelf
  readonly clock: Clock
  readonly log: Log
  readonly newId: () => string
  readonly changed: (deviceId: string) => void
}

interface Shelf extends ThingBindingsOptions {
  readonly stored: Map<string, StoredBinding>
  readonly live: Map<string, LiveThing>
}

/** Which Thing lives where, over restarts. A binding whose version is gone is kept and shows nothing. */
export async function openThingBindings(options: ThingBindingsOptions): Promise<ThingBindings> {
  const stored = new Map((await options.store.bindings()).map((binding) => [binding.id, binding]))
  const live = new Map<string, LiveThing>()
  const shelf: Shelf = { ...options, stored, live }
  for (const binding of stored.values()) await start(binding, shelf)
  return {
    all: () => [...live.values()],
    of: (deviceId) => [...live.values()].filter(({ binding }) => binding.deviceId === deviceId),
    get(id) {
      const thing = live.get(id)
      if (!thing) throw new AppError('thing-not-bound', 'There is no such binding')
      return thing
    },
    stored: () => [...stored.values()],
    bind: (order) => bind(order, shelf),
    remove: (id) => remove(id, shelf),
    async refresh(name, published) {
      for (const binding of [...stored.values()].filter(({ thing }) => thing === name))
        await follow(binding, published, shelf)
    },
  }
}

async function start(binding: StoredBinding, shelf: Shelf): Promise<LiveThing | undefined> {
  const work = workOf(binding, shelf)
  if (!work) return undefined
  const failed = (error: unknown) => shelf.log.warn('the history of a Thing was not kept', { error })
  const thing = await openLiveThing(binding, work, { store: shelf.store, clock: shelf.clock, failed })
  shelf.live.set(binding.id, thing)
  return thing
}

async function bind(order: Omit<StoredBinding, 'id'>, shelf: Shelf): Promise<LiveThing> {
  const { stored, newId } = shelf
  const same = [...stored.values()].find(({ thing, deviceId }) => thing === order.thing && deviceId === order.deviceId)
  // A draft is tried on the simulation that is there already.
  const reused = same?.home === 'simulated' && order.home === 'simulated' && order.draftId !== null ? same : undefined
  if (same && !reused) throw new AppError('thing-already-bound', `${order.thing} is bound to ${order.deviceId} already`)
  if (!reused && stored.size >= maxBindings) throw new AppError('thing-too-many', `There are ${maxBindings} bindings`)
  const binding = { ...order, id: reused?.id ?? newId() }
  if (!workOf(binding, shelf)) throw new AppError('thing-version-unknown', `${order.thing} has nothing to bind`)
  return put(binding, shelf)
}

async function put(binding: StoredBinding, shelf: Shelf): Promise<LiveThing> {
  const known = shelf.live.get(binding.id)
  // Most often only the draft has changed, and the binding says the same.
  if (shelf.stored.get(binding.id) !== binding) await shelf.store.putBinding(binding)
  shelf.stored.set(binding.id, binding)
  const work = workOf(binding, shelf)
  known?.rebind(binding)
  if (known && work) known.follow(work)
  const thing = known ?? (await start(binding, shelf))
  if (!thing) throw new AppError('thing-version-unknown', `${binding.thing} has nothing to bind`)
  shelf.changed(binding.deviceId)
  return thing
}

async function remove(id: string, { store, stored, live, changed }: Shelf): Promise<void> {
  const binding = stored.get(id)
  if (!binding) throw new AppError('thing-not-bound', 'There is no such binding')
  await store.removeBinding(id)
  stored.delete(id)
  live.get(id)?.recording.put(null)
  live.delete(id)
  changed(binding.deviceId)
}

/** A draft that was published or dropped goes on as what is published, if anything is. */
async function follow(binding: StoredBinding, published: string | null, shelf: Shelf): Promise<void> {
  const { draftId } = binding
  const isOver = draftId !== null && (draftId === published || !shelf.book.draft(draftId))
  const next = isOver ? { ...binding, draftId: null } : binding
  if (workOf(next, shelf)) await put(next, shelf)
  else if (!shelf.book.knows(binding.thing) || draftId !== null) await remove(binding.id, shelf)
}

function workOf(binding: StoredBinding, { book, tools, clock }: ThingBindingsOptions): ThingAtWork | undefined {
  const draft = binding.draftId === null ? undefined : book.draft(binding.draftId)
  if (draft) {
    const versions = draftTools(draft, book, clock.now())
    return { version: (book.versions(draft.name).at(-1)?.version ?? 0) + 1, model: draft.model, tools: versions }
  }
  const version = book.versionFor(binding.thing, binding)
  if (!version) return undefined
  const named = Object.entries(version.tools).flatMap(([member, ref]): [string, ToolVersion][] => {
    const tool = tools.version(partsOf(ref))
    return tool ? [[member, tool]] : []
  })
  return { version: version.version, model: version.model, tools: new Map(named) }
}

function draftTools(
  draft: { name: string; revision: number; model: ThingModel },
  book: ThingBook,
  createdAt: number,
): Map<string, ToolVersion> {
  return new Map(
    book.names.preview(draft.name, draft.model).map(({ member, given, content }) => [
      member,
      {
        ...content,
        name: given,
        version: draftToolVersions + draft.revision,
        status: 'published',
        createdAt,
        origin: 'thing',
      },
    ]),
  )
}
