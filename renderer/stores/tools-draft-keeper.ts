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

const isElsewhere = (problem: Problem | null) =>
  problem?.code === 'tool-draft-changed' || problem?.code === 'tool-draft-unknown'

function readKept(locker: Locker): Kept | null {
  try {
    return JSON.parse(locker.read() ?? 'null') as Kept | null
  } catch {
    return null
  }
}

/** What the page shows of a draft; the functions below are the only ones that write it. */
function draftState() {
  const history = shallowRef<History<ToolContent> | null>(null)
  return {
    history,
    content: computed(() => history.value?.now ?? null),
    draft: shallowRef<ToolDraft | null>(null),
    review: shallowRef<ToolReview | null>(null),
    state: ref<SaveState>('clean'),
    problem: shallowRef<Problem | null>(null),
    theirs: shallowRef<ToolDraft | null>(null),
    /** Text of an earlier visit was brought back. */
    restored: ref(false),
  }
}

interface Rim {
  readonly rows: DraftRows
  readonly locker: Locker
  readonly later: (work: () => void) => void
}
type DraftState = ReturnType<typeof draftState>
type Saving = ReturnType<typeof createSaving>

/** Every change into the locker at once and to the server soon after, one save at a time. */
function createSaving(at: DraftState, { rows, locker, later }: Rim) {
  let running: Promise<void> | null = null
  let asked = 0

  function touch() {
    if (!at.content.value) return
    const { id = null, revision = 0 } = at.draft.value ?? {}
    const kept: Kept = { draftId: id, revision, content: at.content.value }
    locker.write(JSON.stringify(kept))
    if (at.state.value === 'stale') return
    at.state.value = 'waiting'
    const mine = ++asked
    later(() => {
      if (mine === asked && at.state.value === 'waiting') void flush()
    })
  }

  async function save() {
    const sent = at.content.value
    if (!sent) return
    at.state.value = 'saving'
    try {
      at.draft.value ??= await rows.open()
      at.draft.value = await rows.save({ id: at.draft.value.id, revision: at.draft.value.revision, content: sent })
      at.problem.value = null
      if (!same(at.content.value, sent)) return touch()
      at.state.value = 'saved'
      locker.write(null)
      await look()
    } catch (error) {
      at.problem.value = toProblem(error)
      // The text stays in the locker and in the page; the next edit, or Retry, tries again.
      at.state.value = 'failed'
      if (isElsewhere(at.problem.value)) await meet()
    }
  }

  /** The draft went on, or was published, on another page of this person: both texts are shown, none is taken. */
  async function meet() {
    at.state.value = 'stale'
    at.theirs.value = await rows.open().catch(() => null)
  }

  const idle = async () => {
    while (running) await running
  }
  /** Whether everything is on the server. */
  async function flush(): Promise<boolean> {
    // Not idle(): without a save under way this must go on at once, or two callers would pass together.
    while (running) await running
    if (at.state.value === 'waiting' || at.state.value === 'failed') {
      running = save().finally(() => (running = null))
      await running
    }
    return at.state.value === 'saved' || at.state.value === 'clean'
  }

  async function look() {
    const draft = at.draft.value
    if (!draft) return
    const seen = await rows.review(draft.id).catch((error: unknown) => ((at.problem.value = toProblem(error)), null))
    if (seen && at.draft.value?.id === draft.id) at.review.value = seen
  }

  function cancel() {
    asked++
  }

  return { touch, idle, flush, look, cancel }
}

/** The ways in which one text takes another's place; the one that goes is a step of undo. */
function createTurns(at: DraftState, saving: Saving, { rows, locker }: Rim) {
  const step = (next: ToolContent) => {
    if (at.history.value) at.history.value = stepped(at.history.value, next)
  }
  function forget() {
    saving.cancel()
    at.draft.value = null
    at.review.value = null
    locker.write(null)
    at.state.value = 'clean'
  }

  return {
    forget,
    /** After `stale`: this page's text over theirs, or theirs with this page's one step back in the history. */
    async settle(choice: 'mine' | 'theirs') {
      const other = at.theirs.value
      if (!other) return
      at.draft.value = other
      if (choice === 'theirs') step(other.content)
      at.theirs.value = null
      at.state.value = 'waiting'
      await saving.flush()
    },
    /** A merged text on top of a newer version: the draft is opened anew from it, so that it may be published. */
    async rebase(merged: ToolContent, version: number) {
      await saving.idle()
      step(merged)
      saving.touch()
      if (at.draft.value) await rows.drop(at.draft.value.id)
      at.draft.value = await rows.open(version)
      at.state.value = 'waiting'
      await saving.flush()
    },
    async drop() {
      await saving.idle()
      if (at.draft.value) await rows.drop(at.draft.value.id)
      forget()
    },
  }
}

/**
 * One person's draft of one tool (ux.md G27, G28). Every edit is in the locker at once and on the server soon after;
 * nothing can be saved before something was loaded, and a draft is opened by the first edit, not by looking.
 */
export function createDraftKeeper(rows: DraftRows, locker: Locker, later: (work: () => void) => void) {
  const at = draftState()
  const rim: Rim = { rows, locker, later }
  const saving = createSaving(at, rim)
  const turns = createTurns(at, saving, rim)

  /** `found`: the draft on the server, if there is one; `published`: what a first edit starts from. */
  function load(found: ToolDraft | null, published: ToolContent) {
    at.draft.value = found
    at.problem.value = null
    const base = found?.content ?? published
    const kept = readKept(locker)
    at.restored.value = kept !== null && !same(kept.content, base)
    at.history.value = historyOf(base)
    at.state.value = found ? 'saved' : 'clean'
    if (found) void saving.look()
    if (kept === null || !at.restored.value) return locker.write(null)
    at.history.value = stepped(at.history.value, kept.content)
    const fits = !found || (kept.draftId === found.id && kept.revision === found.revision)
    if (fits) saving.touch()
    else [at.state.value, at.theirs.value] = ['stale', found]
  }

  function go(next: History<ToolContent> | null) {
    if (!next || next === at.history.value) return
    at.history.value = next
    saving.touch()
  }
  const { history, ...shown } = at

  return {
    ...shown,
    ...turns,
    canUndo: computed(() => (history.value?.past.length ?? 0) > 0),
    canRedo: computed(() => (history.value?.future.length ?? 0) > 0),
    load,
    edit(next: ToolContent, topic: string | null = null) {
      if (history.value && !same(next, history.value.now)) go(stepped(history.value, next, topic))
    },
    undo: () => go(history.value && undone(history.value)),
    redo: () => go(history.value && redone(history.value)),
    flush: saving.flush,
    look: saving.look,
    async discard(published: ToolContent) {
      await turns.drop()
      load(null, published)
    },
  }
}
