import { computed, ref, shallowRef } from 'vue'
import type { ToolContent, ToolDraft, ToolReview } from '../../electron/contract/tool-registry.ts'
import { toProblem, type Problem } from '../client/problem.ts'
import { historyOf, redone, stepped, undone, type History } from './tools-history.ts'

/** The rows that a draft needs; the server in the page, a scripted one in tests. */
export interface DraftRows {
  open(from?: number): Promise<ToolDraft>
  save(order: { id: string; revision: number; content: ToolContent }): Promise<ToolDraft>
  drop(id: string): Promise<unknown>
  review(id: string): Promise<ToolReview>
}

/** Where unsaved text waits when the page goes away: the browser's storage. */
export interface Locker {
  read(): string | null
  write(text: string | null): void
}

/** `stale`: another page of this person saved meanwhile; nothing is overwritten until the person has chosen. */
export type SaveState = 'clean' | 'waiting' | 'saving' | 'saved' | 'failed' | 'stale'

interface Kept {
  readonly draftId: string | null
  readonly revision: number
  readonly content: ToolContent
}

const same = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)

function readKept(locker: Locker): Kept | null {
  try {
    return JSON.parse(locker.read() ?? 'null') as Kept | null
  } catch {
    return null
  }
}

/**
 * One person's draft of one tool (ux.md G27, G28). Every edit is in the locker at once and on the server soon after;
 * nothing can be saved before something was loaded, and a draft is opened by the first edit, not by looking.
 */
export function createDraftKeeper(rows: DraftRows, locker: Locker, later: (work: () => void) => void) {
  const history = shallowRef<History<ToolContent> | null>(null)
  const draft = shallowRef<ToolDraft | null>(null)
  const review = shallowRef<ToolReview | null>(null)
  const state = ref<SaveState>('clean')
  const problem = shallowRef<Problem | null>(null)
  const theirs = shallowRef<ToolDraft | null>(null)
  /** Text of an earlier visit was brought back. */
  const restored = ref(false)
  let running: Promise<void> | null = null
  let asked = 0

  const content = computed(() => history.value?.now ?? null)

  function keep() {
    const now = content.value
    if (!now) return
    const kept: Kept = { draftId: draft.value?.id ?? null, revision: draft.value?.revision ?? 0, content: now }
    locker.write(JSON.stringify(kept))
  }

  /** `found`: the draft on the server, if there is one; `published`: what a first edit starts from. */
  function load(found: ToolDraft | null, published: ToolContent) {
    draft.value = found
    problem.value = null
    const base = found?.content ?? published
    const kept = readKept(locker)
    const brought = kept !== null && !same(kept.content, base)
    history.value = historyOf(base)
    restored.value = brought
    state.value = found ? 'saved' : 'clean'
    if (!brought) locker.write(null)
    else {
      history.value = stepped(history.value, kept.content)
      const fits = kept.draftId === (found?.id ?? null) && kept.revision === (found?.revision ?? 0)
      if (fits || !found) touch()
      else [state.value, theirs.value] = ['stale', found]
    }
    if (found) void look()
  }

  function touch() {
    keep()
    if (state.value === 'stale') return
    state.value = 'waiting'
    const mine = ++asked
    later(() => {
      if (mine === asked && state.value === 'waiting') void flush()
    })
  }

  function edit(next: ToolContent, topic: string | null = null) {
    if (!history.value || same(next, history.value.now)) return
    history.value = stepped(history.value, next, topic)
    touch()
  }

  function travel(way: typeof undone) {
    if (!history.value) return
    const next = way(history.value)
    if (next === history.value) return
    history.value = next
    touch()
  }

  async function saveOnce() {
    const sent = content.value
    if (!sent) return
    state.value = 'saving'
    try {
      draft.value ??= await rows.open()
      const saved = await rows.save({ id: draft.value.id, revision: draft.value.revision, content: sent })
      draft.value = saved
      problem.value = null
      if (same(content.value, sent)) {
        state.value = 'saved'
        locker.write(null)
        await look()
      } else touch()
    } catch (error) {
      problem.value = toProblem(error)
      // The text stays in the locker and in the page; the next edit, or Retry, tries again.
      state.value = problem.value.code === ('tool-draft-changed' as string) ? 'stale' : 'failed'
      if (state.value === 'stale') theirs.value = await rows.open().catch(() => null)
    }
  }

  /** Resolves when nothing waits: one save runs at a time. */
  async function flush(): Promise<boolean> {
    while (running) await running
    if (state.value === 'waiting' || state.value === 'failed') {
      running = saveOnce().finally(() => (running = null))
      await running
    }
    return state.value === 'saved' || state.value === 'clean'
  }

  async function look() {
    const at = draft.value
    if (!at) return
    const seen = await rows.review(at.id).catch((error: unknown) => ((problem.value = toProblem(error)), null))
    if (seen && draft.value?.id === at.id) review.value = seen
  }

  /** After `stale`: this page's text over theirs, or theirs with this page's one step back in the history. */
  async function settle(choice: 'mine' | 'theirs') {
    const other = theirs.value
    if (!other || !history.value) return
    draft.value = other
    if (choice === 'theirs') history.value = stepped(history.value, other.content)
    theirs.value = null
    state.value = 'waiting'
    await flush()
  }

  /** A merged text on top of a newer version: the draft is opened anew from it, so that it may be published. */
  async function rebase(merged: ToolContent, version: number) {
    if (!history.value) return
    while (running) await running
    history.value = stepped(history.value, merged)
    keep()
    if (draft.value) await rows.drop(draft.value.id)
    draft.value = await rows.open(version)
    state.value = 'waiting'
    await flush()
  }

  async function discard(published: ToolContent) {
    while (running) await running
    if (draft.value) await rows.drop(draft.value.id)
    forget()
    load(null, published)
  }

  function forget() {
    asked++
    draft.value = null
    review.value = null
    locker.write(null)
    state.value = 'clean'
  }

  return {
    content,
    draft,
    review,
    state,
    problem,
    theirs,
    restored,
    canUndo: computed(() => (history.value?.past.length ?? 0) > 0),
    canRedo: computed(() => (history.value?.future.length ?? 0) > 0),
    load,
    edit,
    undo: () => travel(undone),
    redo: () => travel(redone),
    flush,
    look,
    settle,
    rebase,
    discard,
    forget,
  }
}

export type DraftKeeper = ReturnType<typeof createDraftKeeper>
