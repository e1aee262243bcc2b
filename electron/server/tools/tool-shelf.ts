import type { ToolRelease } from '../../contract/tool-registry.ts'
import { toolRef, type ToolVersion } from '../../contract/tool.ts'
import type { ToolStore } from '../store/store.ts'
import type { ToolEditStore, ToolSettings } from '../store/tool-stores.ts'

/** Which version a name means: for whom, and whether somebody holds it to a number. */
export interface VersionWanted {
  readonly deviceId?: string | undefined
  readonly pin?: number | undefined
}

/** The registry's memory: everything by name, written through to the store. Versions never change. */
export interface ToolShelf {
  names(): Iterable<string>
  all(): readonly ToolVersion[]
  /** Newest first, drafts of boards too. */
  named(name: string): readonly ToolVersion[]
  /** Those that were published, deprecated ones too, newest first. */
  published(name: string): readonly ToolVersion[]
  /** The pinned version, else the newest that is for this device (or, without one, for everybody). */
  versionFor(name: string, wanted: VersionWanted): ToolVersion | undefined
  releaseOf(version: Pick<ToolVersion, 'name' | 'version'>): ToolRelease | undefined
  settings(name: string): ToolSettings
  /** A draft that a board brought. */
  addDraft(version: ToolVersion, deviceId: string | null): Promise<ToolVersion>
  /** Rejects tool-version-fixed when the number is taken. */
  release(options: {
    version: ToolVersion
    release: ToolRelease
    draftId?: string
    deviceId?: string
  }): Promise<ToolVersion>
  setStatus(version: ToolVersion, status: ToolVersion['status']): Promise<ToolVersion>
  setRelease(release: ToolRelease): Promise<void>
  setSettings(settings: ToolSettings): Promise<void>
  /** One change at a time, in the order they were asked for. */
  inTurn<T>(change: () => Promise<T>): Promise<T>
  onChange(listener: () => void): void
  /** For what is kept beside the versions: drafts, cases. */
  changed(): void
}

export async function createToolShelf(store: ToolStore, edits: ToolEditStore): Promise<ToolShelf> {
  const releases = new Map((await edits.releases()).map((release) => [toolRef(release), release]))
  const settings = new Map((await edits.settings()).map((row) => [row.name, row]))
  const listeners = new Set<() => void>()
  const inTurn = createTurnstile()

  const shelved = createVersionIndex()
  const { place, named, published } = shelved
  const changed = () => listeners.forEach((listener) => listener())
  const isFor = (version: ToolVersion, deviceId: string | undefined): boolean => {
    const canary = releases.get(toolRef(version))?.canary ?? []
    return canary.length === 0 || (deviceId !== undefined && canary.includes(deviceId))
  }

  for (const version of await store.all()) place(version)
  return {
    names: shelved.names,
    all: shelved.all,
    named,
    published,
    versionFor(name, { deviceId, pin }) {
      const candidates = published(name)
      const pinned = pin === undefined ? undefined : candidates.find(({ version }) => version === pin)
      return pinned ?? candidates.find((version) => isFor(version, deviceId))
    },
    releaseOf: (version) => releases.get(toolRef(version)),
    settings: (name) => settings.get(name) ?? { name, enabled: true, cases: [] },
    async addDraft(version, deviceId) {
      await store.put(version, { deviceId })
      place(version)
      changed()
      return version
    },
    async release(options) {
      await edits.release(options)
      releases.set(toolRef(options.release), options.release)
      place(options.version)
      changed()
      return options.version
    },
    async setStatus(version, status) {
      await store.setStatus(version.name, version.version, status)
      const next = place({ ...version, status })
      changed()
      return next
    },
    async setRelease(release) {
      await edits.putRelease(release)
      releases.set(toolRef(release), release)
      changed()
    },
    async setSettings(row) {
      await edits.putSettings(row)
      settings.set(row.name, row)
      changed()
    },
    inTurn,
    onChange: (listener) => void listeners.add(listener),
    changed,
  }
}

/** Versions by name, newest first. */
function createVersionIndex() {
  const byName = new Map<string, readonly ToolVersion[]>()
  const named = (name: string): readonly ToolVersion[] => byName.get(name) ?? []
  return {
    names: () => byName.keys(),
    all: () => [...byName.values()].flatMap((versions) => [...versions].reverse()),
    named,
    published: (name: string) => named(name).filter(({ status }) => status !== 'draft'),
    place(this: void, version: ToolVersion): ToolVersion {
      const others = named(version.name).filter((other) => other.version !== version.version)
      const all = [...others, version].sort((a, b) => b.version - a.version)
      byName.set(version.name, all)
      return version
    },
  }
}

function createTurnstile() {
  let last: Promise<unknown> = Promise.resolve()
  return function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const next = last.then(change)
    last = next.catch(() => undefined)
    return next
  }
}
