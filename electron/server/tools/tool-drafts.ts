import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { ToolContent, ToolDraft } from '../../contract/tool-registry.ts'
import type { ToolEditStore } from '../store/tool-stores.ts'
import { contentOf, type ToolRegistry } from './tool-registry.ts'
import { propertiesOf } from './schema-walk.ts'

/** People's unpublished texts: each person has an own one of a tool. */
export interface ToolDrafts {
  all(): readonly ToolDraft[]
  of(name: string): ToolDraft[]
  /** Throws tool-draft-unknown. */
  need(id: string): ToolDraft
  /** The person's draft of this name; else one made from version `from`, from the newest, or empty. */
  open(name: string, author: string, from?: number): Promise<ToolDraft>
  /** Rejects tool-draft-changed for an older revision, tool-draft-empty, tool-draft-unknown (also of another person). */
  save(change: { id: string; revision: number; content: ToolContent; author: string }): Promise<ToolDraft>
  drop(id: string, author: string): Promise<void>
  /** It was published: the store has removed it already. */
  gone(id: string): void
}

export const emptyContent: ToolContent = {
  description: '',
  arguments: { type: 'object', properties: {}, additionalProperties: false },
  result: null,
  danger: 'physical',
  idempotent: false,
  timeoutMs: 10_000,
  speech: { target: { en: [], zh: [] }, parameters: {}, values: {}, reply: {} },
}

interface DraftOptions {
  readonly registry: ToolRegistry
  readonly store: ToolEditStore
  readonly clock: Clock
  readonly newId: () => string
}

export async function createToolDrafts({ registry, store, clock, newId }: DraftOptions): Promise<ToolDrafts> {
  const drafts = new Map((await store.drafts()).map((draft) => [draft.id, draft]))
  const { shelf } = registry

  async function keep(draft: ToolDraft): Promise<ToolDraft> {
    await store.putDraft(draft)
    drafts.set(draft.id, draft)
    shelf.changed()
    return draft
  }
  function need(id: string): ToolDraft {
    const draft = drafts.get(id)
    if (!draft) throw new AppError('tool-draft-unknown', 'There is no such draft')
    return draft
  }
  function own(id: string, author: string): ToolDraft {
    const draft = need(id)
    if (draft.author !== author) throw new AppError('tool-draft-unknown', 'The draft is another person’s')
    return draft
  }

  async function begin(name: string, author: string, from: number | undefined): Promise<ToolDraft> {
    const content = startOf(name, from, registry)
    // An older version as a start is still judged against the newest: that is what it would replace.
    const basedOn = shelf.published(name)[0]?.version ?? null
    return keep({ id: newId(), name, author, basedOn, revision: 1, content, updatedAt: clock.now() })
  }

  return {
    all: () => [...drafts.values()],
    of: (name) => [...drafts.values()].filter((draft) => draft.name === name),
    need,
    open: (name, author, from) =>
      shelf.inTurn(async () => {
        const kept = [...drafts.values()].find((draft) => draft.name === name && draft.author === author)
        if (kept && from === undefined) return kept
        if (!kept) return begin(name, author, from)
        const content = startOf(name, from, registry)
        return keep({ ...kept, content, revision: kept.revision + 1, updatedAt: clock.now() })
      }),
    save: ({ id, revision, content, author }) =>
      shelf.inTurn(async () => {
        const draft = own(id, author)
        if (revision !== draft.revision) {
          throw new AppError('tool-draft-changed', `The draft is at revision ${draft.revision}, not ${revision}`)
        }
        if (isEmpty(content) && !isEmpty(draft.content)) {
          throw new AppError('tool-draft-empty', 'An empty text would replace a filled one')
        }
        return keep({ ...draft, content, revision: draft.revision + 1, updatedAt: clock.now() })
      }),
    drop: (id, author) =>
      shelf.inTurn(async () => {
        own(id, author)
        await store.removeDraft(id)
        drafts.delete(id)
        shelf.changed()
      }),
    gone(id) {
      drafts.delete(id)
      shelf.changed()
    },
  }
}

/** Version `from`, else the newest published one, else an empty tool. Throws tool-unknown. */
function startOf(name: string, from: number | undefined, { shelf }: ToolRegistry): ToolContent {
  if (from === undefined) {
    const newest = shelf.published(name)[0]
    return newest ? contentOf(newest) : emptyContent
  }
  const base = shelf.named(name).find(({ version }) => version === from)
  if (!base) throw new AppError('tool-unknown', `There is no version ${from} of "${name}"`)
  return contentOf(base)
}

/** What an editor that failed to load would save (ux.md G28). */
function isEmpty(content: ToolContent): boolean {
  const { arguments: args } = content
  const isBare = propertiesOf(args).size === 0 && !['oneOf', 'anyOf', 'allOf', '$ref'].some((key) => key in args)
  return isBare && content.description.trim() === ''
}
