import { AppError } from '../../base/app-error.ts'
import type { ThingDraft, ThingVersion } from '../../contract/thing.ts'
import type { ThingStore } from '../store/thing-store.ts'

/** `published`: the draft that became a version. */
export interface ThingShelfChange {
  readonly name: string
  readonly published: string | null
}

/** All versions and drafts in memory, written through to the store. */
export interface ThingShelf {
  /** Names of Things with a version or a draft, sorted. */
  names(): string[]
  knows(name: string): boolean
  /** Oldest first. */
  versions(name: string): readonly ThingVersion[]
  allVersions(): readonly ThingVersion[]
  newest(name: string): ThingVersion | undefined
  /** Throws thing-version-unknown. */
  version(name: string, number: number): ThingVersion
  drafts(name: string): readonly ThingDraft[]
  findDraft(id: string): ThingDraft | undefined
  /** Throws thing-draft-unknown. */
  draft(id: string): ThingDraft
  putDraft(draft: ThingDraft): Promise<ThingDraft>
  removeDraft(id: string): Promise<void>
  /** The draft that it was goes. */
  addVersion(version: ThingVersion, draftId: string | null): Promise<ThingVersion>
  setCanary(version: ThingVersion, canary: readonly string[]): Promise<void>
  removeThing(name: string): Promise<void>
}

export async function openThingShelf(
  store: ThingStore,
  changed: (change: ThingShelfChange) => void,
): Promise<ThingShelf> {
  const versions = new Map<string, ThingVersion[]>()
  const drafts = new Map((await store.drafts()).map((draft) => [draft.id, draft]))
  const of = (name: string) => versions.get(name) ?? []
  for (const version of await store.versions()) versions.set(version.name, [...of(version.name), version])
  const draftsOf = (name: string) => [...drafts.values()].filter((draft) => draft.name === name)
  return {
    ...readers(versions, drafts),
    async putDraft(draft) {
      await store.putDraft(draft)
      drafts.set(draft.id, draft)
      changed({ name: draft.name, published: null })
      return draft
    },
    async removeDraft(id) {
      const draft = drafts.get(id)
      await store.removeDraft(id)
      drafts.delete(id)
      if (draft) changed({ name: draft.name, published: null })
    },
    async addVersion(version, draftId) {
      await store.addVersion(version, draftId)
      versions.set(version.name, [...of(version.name), version])
      if (draftId !== null) drafts.delete(draftId)
      changed({ name: version.name, published: draftId })
      return version
    },
    async setCanary(version, canary) {
      await store.setCanary(version, canary)
      const next = of(version.name).map((other) => (other === version ? { ...version, canary: [...canary] } : other))
      versions.set(version.name, next)
      changed({ name: version.name, published: null })
    },
    async removeThing(name) {
      await store.removeThing(name)
      versions.delete(name)
      for (const { id } of draftsOf(name)) drafts.delete(id)
      changed({ name, published: null })
    },
  }
}

function readers(versions: ReadonlyMap<string, ThingVersion[]>, drafts: ReadonlyMap<string, ThingDraft>) {
  const of = (name: string): readonly ThingVersion[] => versions.get(name) ?? []
  const draftsOf = (name: string) => [...drafts.values()].filter((draft) => draft.name === name)
  return {
    names: () => [...new Set([...versions.keys(), ...[...drafts.values()].map(({ name }) => name)])].sort(),
    knows: (name: string) => of(name).length > 0 || draftsOf(name).length > 0,
    versions: of,
    allVersions: () => [...versions.values()].flat(),
    newest: (name: string) => of(name).at(-1),
    version(name: string, number: number) {
      const version = of(name).find((candidate) => candidate.version === number)
      if (!version) throw new AppError('thing-version-unknown', `${name} has no version ${number}`)
      return version
    },
    drafts: draftsOf,
    findDraft: (id: string) => drafts.get(id),
    draft(id: string) {
      const draft = drafts.get(id)
      if (!draft) throw new AppError('thing-draft-unknown', 'There is no such draft')
      return draft
    },
  }
}
