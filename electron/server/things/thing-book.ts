import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import { createLiveFeed } from '../../base/live-feed.ts'
import type { ThingReview } from '../../contract/rpc-things.ts'
import type { ThingDraft, ThingModel, ThingSummary, ThingVersion } from '../../contract/thing.ts'
import { thingMembers } from '../../contract/thing-engine.ts'
import type { ThingStore } from '../store/thing-store.ts'
import { thingDiff } from './thing-diff.ts'
import { type NamedThing, thingProblems } from './thing-lint.ts'
import { numberedTitle } from './thing-titles.ts'
import { createToolNames, type ThingToolShelf, type ToolNames } from './thing-tool-names.ts'
import { openThingShelf, type ThingShelf, type ThingShelfChange } from './thing-shelf.ts'
import { thingTemplates } from './templates.ts'

const maxThings = 500
const maxVersions = 500

interface DraftOrder {
  readonly name: string
  readonly author: string
  readonly template?: string | undefined
  readonly from?: number | undefined
}
interface DraftChange {
  readonly id: string
  readonly revision: number
  readonly model: ThingModel
}
interface PublishOrder {
  readonly draftId: string
  readonly author: string
  readonly basedOn: number | null
  readonly note: string
  readonly canary: readonly string[]
}

export interface ThingBook {
  /** `bindings`: how many each Thing has. */
  list(bindings: ReadonlyMap<string, number>): ThingSummary[]
  watch(signal: AbortSignal): AsyncIterable<{ revision: number }>
  versions(name: string): readonly ThingVersion[]
  /** As versions(), for people: a trial that a later version for all has overtaken is none any more. */
  history(name: string): ThingVersion[]
  drafts(name: string): readonly ThingDraft[]
  draft(id: string): ThingDraft | undefined
  knows(name: string): boolean
  /** Pinned, else the newest that is for this device. */
  versionFor(name: string, at: { deviceId: string; pin: number | null }): ThingVersion | undefined
  /** The author's draft of this Thing, opened or made. Rejects thing-name-taken, thing-version-unknown, thing-too-many. */
  openDraft(order: DraftOrder): Promise<ThingDraft>
  /** Rejects thing-draft-changed for an older revision, thing-empty-save, thing-draft-unknown. */
  saveDraft(change: DraftChange): Promise<ThingDraft>
  dropDraft(id: string): Promise<void>
  review(draftId: string): ThingReview
  /** Rejects thing-publish-conflict when `basedOn` is not the newest, thing-has-problems. */
  publish(order: PublishOrder): Promise<ThingVersion>
  /** A canary is for all from now on. */
  promote(name: string, version: number): Promise<void>
  /** A new version like an old one. */
  rollBack(order: { name: string; to: number; note: string; author: string }): Promise<ThingVersion>
  remove(name: string): Promise<void>
  /** A version, its canary or a draft changed. */
  readonly names: ToolNames
  onChange(listener: (change: ThingShelfChange) => void): void
  close(): void
}

export interface ThingBookOptions {
  readonly store: ThingStore
  readonly tools: ThingToolShelf
  readonly clock: Clock
  readonly newId: () => string
}

interface BookParts extends ThingBookOptions {
  readonly shelf: ThingShelf
  readonly names: ToolNames
}

/** Drafts and versions of every Thing. Versions never change; publishing makes their tools. */
export async function openThingBook(options: ThingBookOptions): Promise<ThingBook> {
  const feed = createLiveFeed<{ revision: number }>()
  const listeners = new Set<(change: ThingShelfChange) => void>()
  const shelf = await openThingShelf(options.store, (change) => {
    feed.publish((revision) => ({ revision }))
    for (const listener of listeners) listener(change)
  })
  const parts: BookParts = { ...options, shelf, names: createToolNames(options.tools, () => shelf.allVersions()) }
  const inTurn = createTurnstile()
  return {
    list: (bindings) => shelf.names().map((name) => summaryOf(name, shelf, bindings.get(name) ?? 0)),
    watch: (signal) => feed.subscribe(signal, { snapshot: (revision) => ({ revision }), key: () => 'all' }),
    versions: (name) => shelf.versions(name),
    history: (name) => withoutPastTrials(shelf.versions(name)),
    drafts: (name) => shelf.drafts(name),
    draft: (id) => shelf.findDraft(id),
    knows: (name) => shelf.knows(name),
    versionFor(name, { deviceId, pin }) {
      if (pin !== null) return shelf.versions(name).find(({ version }) => version === pin)
      return shelf.versions(name).findLast(({ canary }) => canary.length === 0 || canary.includes(deviceId))
    },
    openDraft: (order) => inTurn(() => openDraft(order, parts)),
    saveDraft: (change) => inTurn(() => saveDraft(change, parts)),
    dropDraft: (id) => inTurn(() => shelf.removeDraft(shelf.draft(id).id)),
    review: (draftId) => reviewOf(shelf.draft(draftId), shelf),
    publish: (order) => inTurn(() => publish(order, parts)),
    promote: (name, number) =>
      inTurn(async () => {
        const version = shelf.version(name, number)
        await parts.names.setCanary(version, [])
        await shelf.setCanary(version, [])
      }),
    rollBack: ({ name, to, note, author }) =>
      inTurn(() => {
        const { model } = shelf.version(name, to)
        return release({ name, model, author, note, canary: [], draftId: null }, parts)
      }),
    remove: (name) =>
      inTurn(() => {
        if (!shelf.knows(name)) throw new AppError('thing-unknown', `There is no Thing called ${name}`)
        return shelf.removeThing(name)
      }),
    names: parts.names,
    onChange: (listener) => void listeners.add(listener),
    close: () => feed.close(),
  }
}

async function openDraft(order: DraftOrder, { shelf, newId, clock }: BookParts): Promise<ThingDraft> {
  const { name, author } = order
  if (order.template !== undefined && shelf.knows(name))
    throw new AppError('thing-name-taken', `There is a Thing called ${name} already`)
  const own = shelf.drafts(name).find((draft) => draft.author === author)
  if (own && order.from === undefined) return own
  if (!shelf.knows(name) && shelf.names().length >= maxThings)
    throw new AppError('thing-too-many', `There are ${maxThings} Things already`)
  const newest = shelf.newest(name)
  const fresh = () => numberedTitle(seed(name, order.template), othersOf(name, shelf))
  const model = order.from === undefined ? (newest?.model ?? fresh()) : shelf.version(name, order.from).model
  const blank = { id: newId(), name, author, basedOn: newest?.version ?? null }
  return shelf.putDraft({ ...(own ?? blank), revision: (own?.revision ?? 0) + 1, model, updatedAt: clock.now() })
}

async function saveDraft(change: DraftChange, { shelf, clock }: BookParts): Promise<ThingDraft> {
  const { id, revision, model } = change
  const draft = shelf.draft(id)
  if (draft.revision !== revision)
    throw new AppError('thing-draft-changed', `The draft is at revision ${draft.revision}, not ${revision}`)
  // A page that saves before it has loaded (ux.md G28); the last member can still go by hand.
  if (sizeOf(model) === 0 && sizeOf(draft.model) > 1)
    throw new AppError('thing-empty-save', 'An empty model would replace one that has members')
  return shelf.putDraft({ ...draft, model, revision: revision + 1, updatedAt: clock.now() })
}

function sizeOf(model: ThingModel): number {
  return model.properties.length + model.methods.length + model.events.length
}

function reviewOf(draft: ThingDraft, shelf: ThingShelf): ThingReview {
  const current = shelf.newest(draft.name)
  const conflict =
    current && current.version !== draft.basedOn
      ? { theirs: current.model, theirVersion: current.version, author: current.author }
      : null
  return {
    changes: thingDiff(current?.model ?? null, draft.model),
    problems: thingProblems(draft.model, othersOf(draft.name, shelf)),
    conflict,
  }
}

async function publish(order: PublishOrder, parts: BookParts): Promise<ThingVersion> {
  const draft = parts.shelf.draft(order.draftId)
  const current = parts.shelf.newest(draft.name)?.version ?? null
  if (order.basedOn !== current)
    throw new AppError('thing-publish-conflict', `${draft.name} is at version ${current ?? 0} meanwhile`)
  const worst = thingProblems(draft.model).find(({ severity }) => severity === 'error')
  if (worst) throw new AppError('thing-has-problems', `${worst.path || draft.name}: ${worst.code}`)
  const { author, note, canary } = order
  return release({ name: draft.name, model: draft.model, author, note, canary, draftId: draft.id }, parts)
}

interface Release {
  readonly name: string
  readonly model: ThingModel
  readonly author: string
  readonly note: string
  readonly canary: readonly string[]
  readonly draftId: string | null
}

async function release({ draftId, canary, ...order }: Release, parts: BookParts): Promise<ThingVersion> {
  const { shelf, names, clock } = parts
  if (shelf.versions(order.name).length >= maxVersions)
    throw new AppError('thing-too-many', `${order.name} has ${maxVersions} versions`)
  const before = shelf.newest(order.name)?.version ?? null
  const version: ThingVersion = {
    ...order,
    version: (before ?? 0) + 1,
    basedOn: before,
    publishedAt: clock.now(),
    canary: [...canary],
    tools: await names.adopt(order.name, order.model),
  }
  if (canary.length > 0) await names.setCanary(version, canary)
  else await names.withdraw(version)
  return shelf.addVersion(version, draftId)
}

function seed(name: string, template: string | undefined): ThingModel {
  const drawn = thingTemplates.find(({ id }) => id === template)
  if (template !== undefined && !drawn) throw new AppError('thing-unknown', `There is no template ${template}`)
  if (drawn) return drawn.model
  const title = name.replaceAll('_', ' ')
  return {
    title: { en: title.charAt(0).toUpperCase() + title.slice(1), zh: '' },
    description: '',
    names: { en: [], zh: [] },
    template: null,
    properties: [],
    methods: [],
    events: [],
    wiring: null,
    hidden: [],
  }
}

/** What all other Things are called: published, or in somebody's draft. */
function othersOf(name: string, shelf: ThingShelf): NamedThing[] {
  return shelf
    .names()
    .filter((other) => other !== name)
    .flatMap((other) => {
      const models = [shelf.newest(other)?.model, ...shelf.drafts(other).map((draft) => draft.model)]
      return models.flatMap((model) => (model ? [{ name: other, title: model.title }] : []))
    })
}

function summaryOf(name: string, shelf: ThingShelf, bindings: number): ThingSummary {
  const newest = shelf.versions(name).findLast(({ canary }) => canary.length === 0) ?? shelf.newest(name)
  const drafts = shelf.drafts(name)
  const model = newest?.model ?? drafts[0]?.model
  return {
    name,
    title: model && `${model.title.en}${model.title.zh}`.trim() !== '' ? model.title : { en: name, zh: '' },
    template: model?.template ?? null,
    published: newest?.version ?? null,
    drafts: drafts.length,
    bindings,
    members: model ? thingMembers(model).length : 0,
  }
}

function withoutPastTrials(versions: readonly ThingVersion[]): ThingVersion[] {
  const current = versions.findLast(({ canary }) => canary.length === 0)?.version ?? 0
  return versions.map((version) => (version.version < current ? { ...version, canary: [] } : version))
}

function createTurnstile() {
  let last: Promise<unknown> = Promise.resolve()
  return function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const next = last.then(change)
    last = next.catch(() => undefined)
    return next
  }
}
