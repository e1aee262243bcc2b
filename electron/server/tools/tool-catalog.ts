import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { ToolDetail, ToolSummary } from '../../contract/tool-registry.ts'
import type { ToolVersion } from '../../contract/tool.ts'
import type { ToolCallStore, ToolUse } from '../store/tool-stores.ts'
import type { ToolDrafts } from './tool-drafts.ts'
import type { ToolRegistry } from './tool-registry.ts'
import type { ToolShelf } from './tool-shelf.ts'

export interface CatalogFilter {
  readonly text?: string | undefined
  readonly origin?: ToolSummary['origin'] | undefined
  readonly danger?: ToolSummary['danger'] | undefined
  readonly state?: 'published' | 'draft' | 'deprecated' | 'canary' | 'disabled' | undefined
}

export interface ToolCatalog {
  /** All tools, or those that fit, by name. Made from memory: one look at the store in 10 s, for the counts. */
  list(filter: CatalogFilter): Promise<ToolSummary[]>
  /** Versions newest first. */
  /** Rejects 'tool-unknown' for a name that has neither a version nor a draft. */
  detail(name: string): Promise<ToolDetail>
}

const dayMs = 24 * 3600_000
const usageDays = 7
/** Counting a week of calls reads their index: not for every key that a person presses. */
const usageFreshMs = 10_000

interface CatalogParts {
  readonly registry: ToolRegistry
  readonly drafts: ToolDrafts
  readonly calls: ToolCallStore
  readonly clock: Clock
  readonly log: Log
}

export function createToolCatalog({ registry, drafts, calls, clock, log }: CatalogParts): ToolCatalog {
  const { shelf } = registry
  let usage: { readonly at: number; readonly rows: Promise<readonly ToolUse[]> } | undefined

  function usedLately(): Promise<readonly ToolUse[]> {
    const at = clock.now()
    if (!usage || at - usage.at > usageFreshMs) {
      const rows = calls.usage(at - usageDays * dayMs).catch((error: unknown) => {
        log.warn('calls could not be counted', { error })
        return []
      })
      usage = { at, rows }
    }
    return usage.rows
  }

  return {
    async list(filter) {
      const counts = sumByName(await usedLately())
      const ofPeople = countBy(drafts.all().map(({ name }) => name))
      const words = (filter.text ?? '').toLowerCase().split(/\s+/).filter(Boolean)
      const names = new Set([...shelf.names(), ...ofPeople.keys()])
      return [...names]
        .sort()
        .filter((name) => words.length === 0 || says(name, shelf.named(name)[0], words))
        .map((name) => summaryOf(name, { registry, drafts, own: ofPeople.get(name) ?? 0, use: counts.get(name) }))
        .filter((row) => fits(row, filter))
    },
    async detail(name) {
      const versions = [...shelf.named(name)]
      const begun = drafts.of(name)
      if (versions.length === 0 && begun.length === 0) {
        throw new AppError('tool-unknown', `There is no tool "${name}"`)
      }
      const { enabled, cases } = shelf.settings(name)
      const rows = (await usedLately()).filter((row) => row.name === name)
      return {
        name,
        enabled,
        versions,
        current: currentOf(name, shelf)?.version ?? null,
        releases: versions.flatMap((version) => {
          const release = shelf.releaseOf(version)
          return release ? { ...release, canary: liveCanary(version, shelf) } : []
        }),
        drafts: begun,
        cases: [...cases],
        usage: rows.flatMap(({ version, calls: all, ok }) => (version === null ? [] : [{ version, calls: all, ok }])),
      }
    },
  }
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

interface Use {
  readonly calls: number
  readonly ok: number
}

function sumByName(rows: readonly ToolUse[]): Map<string, Use> {
  const sums = new Map<string, Use>()
  for (const { name, calls, ok } of rows) {
    const before = sums.get(name) ?? { calls: 0, ok: 0 }
    sums.set(name, { calls: before.calls + calls, ok: before.ok + ok })
  }
  return sums
}

/** All words must occur: in the name, the description, or what people call it. */
function says(name: string, tool: ToolVersion | undefined, words: readonly string[]): boolean {
  const { target } = tool?.speech ?? { target: { en: [], zh: [] } }
  const text = [name, tool?.description ?? '', ...target.en, ...target.zh].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

function summaryOf(
  name: string,
  { registry, drafts, own, use }: { registry: ToolRegistry; drafts: ToolDrafts; own: number; use: Use | undefined },
): ToolSummary {
  const { shelf } = registry
  const versions = shelf.named(name)
  const current = currentOf(name, shelf)
  const shown = current ?? versions[0]
  const isOnTrial = shelf.published(name).some((version) => liveCanary(version, shelf).length > 0)
  const made = versions.find(({ origin }) => origin !== 'person' && origin !== 'board' && origin !== 'born')
  const content = shown ?? drafts.of(name)[0]?.content
  return {
    name,
    description: content?.description ?? '',
    origin: shown?.origin ?? 'person',
    danger: content?.danger ?? 'physical',
    published: current?.version ?? null,
    versions: versions.filter(({ status }) => status !== 'draft').length,
    drafts: own + versions.filter(({ status }) => status === 'draft').length,
    canary: isOnTrial,
    deprecated: current?.status === 'deprecated',
    enabled: shelf.settings(name).enabled,
    provider: (made && shelf.releaseOf(made)?.author) ?? null,
    calls: use?.calls ?? 0,
    failed: use ? use.calls - use.ok : 0,
  }
}

/** What devices are given: after a rollback an older content, too. Only where nothing is for all, what is on trial. */
function currentOf(name: string, shelf: ToolShelf): ToolVersion | undefined {
  return shelf.versionFor(name, {}) ?? shelf.published(name)[0]
}

/** The devices that get this version and not the current one. A trial that was withdrawn, or overtaken, has none. */
function liveCanary(version: ToolVersion, shelf: ToolShelf): string[] {
  const isOvertaken = version.version < (shelf.versionFor(version.name, {})?.version ?? 0)
  const devices = shelf.releaseOf(version)?.canary ?? []
  // A Thing that goes back leaves its trial to the device without an id, which is none.
  return isOvertaken ? [] : devices.filter((id) => id !== '')
}

function fits(row: ToolSummary, { origin, danger, state }: CatalogFilter): boolean {
  if (origin !== undefined && row.origin !== origin) return false
  if (danger !== undefined && row.danger !== danger) return false
  switch (state) {
    case undefined:
      return true
    case 'published':
      return row.published !== null && !row.deprecated
    case 'draft':
      return row.drafts > 0
    case 'deprecated':
      return row.deprecated
    case 'canary':
      return row.canary
    case 'disabled':
      return !row.enabled
  }
}
