import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { ToolCase, ToolCaseResult, ToolContent, ToolDraft, ToolReview } from '../../contract/tool-registry.ts'
import { toolRef, type ToolVersion } from '../../contract/tool.ts'
import type { SchemaChecker } from './json-schema.ts'
import { diffContents } from './schema-diff.ts'
import type { ToolDrafts } from './tool-drafts.ts'
import { lintTool } from './tool-lints.ts'
import { checkSchemas, contentOf, type ToolRegistry } from './tool-registry.ts'
import { estimateTokens } from './tool-tokens.ts'

export interface PublishOrder {
  readonly draftId: string
  /** The version that the person looked at. */
  readonly basedOn: number | null
  readonly note: string
  readonly canary: readonly string[]
}

/** From drafts to versions and back. Everything that is published stays. */
export interface ToolPublishing {
  review(draftId: string, allTokens: number): ToolReview
  /** Rejects tool-unknown. */
  compare(name: string, from: number, to: number): ToolReview
  /** Rejects tool-publish-conflict, tool-lint-errors, tool-cases-failed, tool-draft-unknown; then nothing changed. */
  publish(order: PublishOrder, author: string): Promise<ToolVersion>
  /** Rejects tool-unknown. */
  promote(name: string, version: number): Promise<void>
  rollBack(order: { name: string; to: number; note: string }, author: string): Promise<ToolVersion>
  deprecate(name: string, replacement: string | null): Promise<void>
  enable(name: string, enabled: boolean): Promise<void>
  saveCases(name: string, cases: readonly ToolCase[]): Promise<void>
  runCases(draftId: string): ToolCaseResult[]
}

interface PublishingParts {
  readonly registry: ToolRegistry
  readonly drafts: ToolDrafts
  readonly checker: SchemaChecker
  readonly clock: Clock
}

interface Release {
  readonly author: string
  readonly note: string
  readonly canary: readonly string[]
  readonly draftId?: string
}

export function createToolPublishing(parts: PublishingParts): ToolPublishing {
  const { registry, drafts, clock } = parts
  const { shelf } = registry

  function need(name: string, version: number): ToolVersion {
    const found = shelf.published(name).find((one) => one.version === version)
    if (!found) throw new AppError('tool-unknown', `There is no published tool ${toolRef({ name, version })}`)
    return found
  }

  async function release(name: string, content: ToolContent, { author, note, canary, draftId }: Release) {
    const at = clock.now()
    const version = (shelf.named(name)[0]?.version ?? 0) + 1
    const made: ToolVersion = { ...content, name, version, status: 'published', createdAt: at, origin: 'person' }
    const basedOn = shelf.published(name)[0]?.version ?? null
    const facts = { name, version, author, note, basedOn, publishedAt: at, canary: [...canary], replacement: null }
    return shelf.release({ version: made, release: facts, ...(draftId !== undefined && { draftId }) })
  }

  return {
    review: (draftId, allTokens) => reviewDraft(drafts.need(draftId), { ...parts, allTokens }),
    compare(name, from, to) {
      const [before, after] = [contentOf(need(name, from)), contentOf(need(name, to))]
      const tokens = estimateTokens(name, after)
      return { changes: diffContents(before, after), lints: [], tokens: { tool: tokens, all: tokens }, conflict: null }
    },
    publish: ({ draftId, basedOn, note, canary }, author) =>
      shelf.inTurn(async () => {
        const draft = drafts.need(draftId)
        checkPublishable(draft, { ...parts, basedOn, author })
        const made = await release(draft.name, draft.content, { author, note, canary, draftId })
        drafts.gone(draftId)
        return made
      }),
    promote: (name, version) =>
      shelf.inTurn(async () => {
        const facts = shelf.releaseOf(need(name, version))
        if (facts && facts.canary.length > 0) await shelf.setRelease({ ...facts, canary: [] })
      }),
    rollBack: ({ name, to, note }, author) =>
      shelf.inTurn(() => release(name, contentOf(need(name, to)), { author, note, canary: [] })),
    deprecate: (name, replacement) => shelf.inTurn(() => deprecate(name, replacement, registry)),
    enable: (name, enabled) => shelf.inTurn(() => shelf.setSettings({ ...shelf.settings(name), enabled })),
    saveCases: (name, cases) => shelf.inTurn(() => shelf.setSettings({ ...shelf.settings(name), cases })),
    runCases(draftId) {
      const { name, content } = drafts.need(draftId)
      return runCases(content, shelf.settings(name).cases, parts.checker)
    },
  }
}

/** The newest version; what takes its place must be there. Throws tool-unknown. */
async function deprecate(name: string, replacement: string | null, { shelf }: ToolRegistry): Promise<void> {
  const newest = shelf.published(name)[0]
  if (!newest) throw new AppError('tool-unknown', `There is no published tool "${name}"`)
  if (replacement === name || (replacement !== null && shelf.published(replacement).length === 0)) {
    throw new AppError('tool-unknown', `"${replacement}" cannot take the place of "${name}"`)
  }
  const blank = { author: '', note: '', basedOn: null, publishedAt: newest.createdAt, canary: [] }
  const facts = shelf.releaseOf(newest) ?? { name, version: newest.version, ...blank }
  await shelf.setRelease({ ...facts, replacement })
  await shelf.setStatus(newest, 'deprecated')
}

function reviewDraft(draft: ToolDraft, parts: PublishingParts & { allTokens: number }): ToolReview {
  const { name, content, basedOn } = draft
  const { shelf } = parts.registry
  const newest = shelf.published(name)[0]
  const base = shelf.published(name).find(({ version }) => version === basedOn)
  const isBehind = newest !== undefined && newest.version !== basedOn
  return {
    changes: newest ? diffContents(contentOf(newest), content) : [],
    lints: lintTool(content, { ...parts, name, others: othersOf(name, parts.registry) }),
    tokens: { tool: estimateTokens(name, content), all: parts.allTokens },
    conflict: isBehind
      ? {
          base: base ? contentOf(base) : null,
          theirs: contentOf(newest),
          theirVersion: newest.version,
          author: shelf.releaseOf(newest)?.author ?? '',
        }
      : null,
  }
}

function othersOf(name: string, registry: ToolRegistry): ToolVersion[] {
  return [...registry.shelf.names()].flatMap((other) => (other === name ? [] : (registry.published(other) ?? [])))
}

/** Throws what stands against it, the conflict first: what was checked against an old version says nothing. */
function checkPublishable(
  draft: ToolDraft,
  { registry, checker, basedOn, author }: PublishingParts & { basedOn: number | null; author: string },
): void {
  const { name, content } = draft
  if (draft.author !== author) throw new AppError('tool-draft-unknown', 'The draft is another person’s')
  const newest = registry.shelf.published(name)[0]?.version ?? null
  if (newest !== basedOn) {
    throw new AppError('tool-publish-conflict', `Version ${newest} of "${name}" was published meanwhile`)
  }
  checkSchemas({ ...content, name }, checker)
  const lints = lintTool(content, { name, checker, others: [], allTokens: 0 })
  const errors = lints.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new AppError('tool-lint-errors', errors.map(({ code }) => code).join(', '))
  const failed = runCases(content, registry.shelf.settings(name).cases, checker).find(({ passed }) => !passed)
  if (failed) throw new AppError('tool-cases-failed', `${failed.title}: ${failed.message}`)
}

/** Against the stub: what the schema takes and what it refuses. */
function runCases(content: ToolContent, cases: readonly ToolCase[], checker: SchemaChecker): ToolCaseResult[] {
  return cases.map(({ title, arguments: args, expect }) => {
    const fault = checker.fault(content.arguments, args)
    const passed = (fault === undefined) === (expect === 'accepted')
    const message = fault ? `${fault.path || 'arguments'} ${fault.message}` : 'accepted'
    return { title, passed, message: passed ? '' : message }
  })
}
