import { expect, test } from 'vitest'
import { AppError } from '../../electron/base/app-error.ts'
import type { ToolContent, ToolDraft, ToolReview } from '../../electron/contract/tool-registry.ts'
import { createDraftKeeper, type DraftRows } from './tools-draft-keeper.ts'

const contentOf = (description: string): ToolContent => ({
  description,
  arguments: { type: 'object' },
  result: null,
  danger: 'read',
  idempotent: true,
  timeoutMs: 1_000,
  speech: { target: { en: [], zh: [] }, parameters: {}, values: {}, reply: {} },
})
const review: ToolReview = { changes: [], lints: [], tokens: { tool: 1, all: 1 }, conflict: null }

/** A server with one draft and a browser's storage that outlives the page. */
function bench() {
  let stored: ToolDraft | null = null
  let kept: string | null = null
  const due: (() => void)[] = []
  const saved: string[] = []
  const knobs = { fails: false, gate: Promise.resolve() }
  const rows: DraftRows = {
    async open(from) {
      stored ??= {
        id: 'd1',
        name: 'x',
        author: 'ada',
        basedOn: from ?? 1,
        revision: 1,
        content: contentOf('published'),
        updatedAt: 0,
      }
      return stored
    },
    async save({ revision, content }) {
      await knobs.gate
      if (knobs.fails) throw new TypeError('network')
      if (!stored) throw new AppError('tool-draft-unknown', 'published elsewhere')
      if (revision !== stored.revision) throw new AppError('tool-draft-changed', 'older revision')
      stored = { ...stored, revision: revision + 1, content }
      saved.push(content.description)
      return stored
    },
    async drop() {
      stored = null
    },
    review: async () => review,
  }
  const page = () =>
    createDraftKeeper(rows, { read: () => kept, write: (text) => (kept = text) }, (work) => due.push(work))
  return {
    page,
    saved,
    knobs,
    drop: () => rows.drop('d1'),
    kept: () => kept,
    stored: () => stored,
    elsewhere: (description: string) =>
      (stored = { ...stored!, revision: stored!.revision + 1, content: contentOf(description) }),
    tick: () => due.splice(0).forEach((work) => work()),
  }
}

test('nothing can be saved before something was loaded', async () => {
  const at = bench()
  const page = at.page()
  page.edit(contentOf('typed too early'))
  at.tick()
  await page.flush()

  expect(at.saved).toEqual([])
  expect(at.stored()).toBeNull()
})

test('looking opens no draft; the first edit does, and is saved by itself', async () => {
  const at = bench()
  const page = at.page()
  page.load(null, contentOf('published'))
  expect(at.stored()).toBeNull()

  page.edit(contentOf('a'), 'description')
  page.edit(contentOf('ab'), 'description')
  expect(page.state.value).toBe('waiting')
  at.tick()
  await page.flush()

  expect(at.saved).toEqual(['ab'])
  expect(page.state.value).toBe('saved')
  expect(page.draft.value?.revision).toBe(2)
  expect(at.kept()).toBeNull()
})

test('a page that goes away before the save brings its text back, and saves it', async () => {
  const at = bench()
  const first = at.page()
  first.load(null, contentOf('published'))
  first.edit(contentOf('half a sentence'))

  const second = at.page()
  second.load(null, contentOf('published'))
  expect(second.content.value?.description).toBe('half a sentence')
  expect(second.restored.value).toBe(true)
  at.tick()
  await second.flush()
  expect(at.saved).toEqual(['half a sentence'])
})

test('what is typed while a save is under way is saved after it', async () => {
  const at = bench()
  const page = at.page()
  page.load(null, contentOf('published'))
  page.edit(contentOf('one'))
  let open = () => {}
  at.knobs.gate = new Promise((resolve) => (open = resolve))
  const flushed = page.flush()
  page.edit(contentOf('one two'))
  open()
  await flushed
  at.tick()
  await page.flush()

  expect(at.saved).toEqual(['one', 'one two'])
  expect(page.state.value).toBe('saved')
})

test('a save that fails keeps the text and its reason, and is tried again', async () => {
  const at = bench()
  const page = at.page()
  page.load(null, contentOf('published'))
  at.knobs.fails = true
  page.edit(contentOf('kept'))
  expect(await page.flush()).toBe(false)
  expect(page.state.value).toBe('failed')
  expect(page.problem.value?.code).toBe('console-connection-lost')
  expect(at.kept()).toContain('kept')

  at.knobs.fails = false
  expect(await page.flush()).toBe(true)
  expect(at.saved).toEqual(['kept'])
  expect(page.problem.value).toBeNull()
})

test('a draft that another page saved is not overwritten; either text can be chosen, and undo has the other', async () => {
  for (const choice of ['mine', 'theirs'] as const) {
    const at = bench()
    const page = at.page()
    page.load(null, contentOf('published'))
    page.edit(contentOf('first'))
    await page.flush()
    at.elsewhere('from the other page')
    page.edit(contentOf('from this page'))
    expect(await page.flush()).toBe(false)
    expect(page.state.value).toBe('stale')
    expect(at.stored()?.content.description).toBe('from the other page')

    await page.settle(choice)
    expect(at.stored()?.content.description).toBe(choice === 'mine' ? 'from this page' : 'from the other page')
    if (choice === 'theirs') page.undo()
    expect(page.content.value?.description).toBe('from this page')
  }
})

test('a draft that another page published is opened anew, and what was typed here is still a choice', async () => {
  const { page, drop, saved, tick, stored } = bench()
  const keeper = page()
  keeper.load(stored(), contentOf('published'))
  keeper.edit(contentOf('first'))
  tick()
  await keeper.flush()
  await drop()
  keeper.edit(contentOf('mine'))
  tick()
  await keeper.flush()
  expect(keeper.state.value).toBe('stale')
  expect(keeper.content.value?.description).toBe('mine')
  await keeper.settle('mine')
  expect([keeper.state.value, saved.at(-1)]).toEqual(['saved', 'mine'])
})

test('undo and redo are edits too', async () => {
  const at = bench()
  const page = at.page()
  page.load(null, contentOf('published'))
  page.edit(contentOf('changed'))
  page.undo()
  await page.flush()
  expect(at.saved).toEqual(['published'])
  page.redo()
  await page.flush()
  expect(at.saved.at(-1)).toBe('changed')
})

test('a merged text is saved on a draft opened from the newer version', async () => {
  const at = bench()
  const page = at.page()
  page.load(null, contentOf('published'))
  page.edit(contentOf('mine'))
  await page.flush()
  await page.rebase(contentOf('merged'), 4)

  expect(at.stored()).toMatchObject({ basedOn: 4, content: { description: 'merged' } })
})

test('a discarded draft is gone on both sides', async () => {
  const at = bench()
  const page = at.page()
  page.load(null, contentOf('published'))
  page.edit(contentOf('mine'))
  await page.flush()
  await page.discard(contentOf('published'))

  expect(at.stored()).toBeNull()
  expect(at.kept()).toBeNull()
  expect(page.content.value?.description).toBe('published')
  expect(page.state.value).toBe('clean')
})
