import { useDebounceFn } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { ThingReview } from '../../electron/contract/rpc-things.ts'
import type { ThingBinding, ThingDraft, ThingModel, ThingVersion } from '../../electron/contract/thing.ts'
import { api } from '../client/client.ts'
import { toProblem, type Problem } from '../client/problem.ts'
import { useAccountStore } from './account.ts'
import { noHistory, recorded, redone, undone } from './things-history.ts'
import { dropUnsaved, keepUnsaved, readUnsaved } from './things-unsaved.ts'

export type SaveState = 'loading' | 'published' | 'saved' | 'waiting' | 'saving' | 'broken' | 'clash' | 'failed'

const SAVE_AFTER_MS = 500

function createDocument() {
  const name = ref<string | null>(null)
  const versions = shallowRef<readonly ThingVersion[]>([])
  const drafts = shallowRef<readonly ThingDraft[]>([])
  const bindings = shallowRef<readonly ThingBinding[]>([])
  const draft = shallowRef<ThingDraft | null>(null)
  const model = shallowRef<ThingModel | null>(null)
  const history = shallowRef(noHistory)
  const problem = shallowRef<Problem | null>(null)
  const dirty = ref(false)
  const saving = ref(false)
  /** The same draft was changed in another window. */
  const clash = ref(false)
  /** Says whether a model may be sent; a half-typed name stays in the browser. */
  const fit = ref(true)
  const latest = computed(() => versions.value[0] ?? null)
  const state = computed((): SaveState => {
    if (!model.value) return 'loading'
    if (clash.value) return 'clash'
    if (dirty.value && !fit.value) return 'broken'
    if (problem.value) return 'failed'
    if (saving.value) return 'saving'
    if (dirty.value) return 'waiting'
    return draft.value ? 'saved' : 'published'
  })
  return { name, versions, drafts, bindings, draft, model, history, problem, dirty, saving, clash, fit, latest, state }
}

type Document = ReturnType<typeof createDocument>

async function openDraft(doc: Document): Promise<ThingDraft | null> {
  if (doc.draft.value || doc.name.value === null) return doc.draft.value
  const from = doc.latest.value?.version
  doc.draft.value = await api.things.openDraft({ name: doc.name.value, ...(from === undefined ? {} : { from }) })
  return doc.draft.value
}

/** Every edit is kept in the browser at once and sent a moment later, one save at a time (ux.md G27). */
function createSaver(doc: Document) {
  async function send(thing: string) {
    const sent = doc.model.value
    const known = await openDraft(doc)
    if (!sent || !known) return
    doc.draft.value = await api.things.saveDraft({ id: known.id, revision: known.revision, model: sent })
    if (doc.model.value !== sent) return
    doc.dirty.value = false
    dropUnsaved(thing)
  }

  async function save() {
    const thing = doc.name.value
    if (thing === null || doc.saving.value || doc.clash.value) return
    doc.saving.value = true
    try {
      while (doc.dirty.value && doc.fit.value && doc.name.value === thing) await send(thing)
      doc.problem.value = null
    } catch (error) {
      const found = toProblem(error)
      // Gone on with, or published, on another page of this person.
      if (found.code === 'thing-draft-changed' || found.code === 'thing-draft-unknown') doc.clash.value = true
      else doc.problem.value = found
    } finally {
      doc.saving.value = false
    }
  }

  const saveSoon = useDebounceFn(save, SAVE_AFTER_MS)
  function put(next: ThingModel) {
    doc.model.value = next
    doc.dirty.value = true
    if (doc.name.value !== null)
      keepUnsaved(doc.name.value, { revision: doc.draft.value?.revision ?? null, model: next })
    void saveSoon()
  }
  /** `tag` names the field, so that its letters are taken back together. */
  function edit(next: ThingModel, tag = '') {
    if (!doc.model.value) return
    doc.history.value = recorded(doc.history.value, doc.model.value, { tag, at: performance.now() })
    put(next)
  }
  function step(way: typeof undone) {
    const back = doc.model.value && way(doc.history.value, doc.model.value)
    if (!back) return
    doc.history.value = back.history
    put(back.model)
  }
  return { save, edit, undo: () => step(undone), redo: () => step(redone) }
}

type Saver = ReturnType<typeof createSaver>

function createReader(doc: Document, saver: Saver) {
  const account = useAccountStore()

  async function read(thing: string) {
    const detail = await api.things.detail({ name: thing })
    if (doc.name.value !== thing) return null
    doc.versions.value = [...detail.versions].sort((left, right) => right.version - left.version)
    doc.drafts.value = detail.drafts
    doc.bindings.value = detail.bindings
    return detail.drafts.find(({ author }) => author === account.account?.name) ?? null
  }

  function show(own: ThingDraft | null) {
    doc.draft.value = own
    doc.model.value = own?.model ?? doc.latest.value?.model ?? null
    doc.history.value = noHistory
    doc.dirty.value = false
    doc.clash.value = false
    doc.problem.value = null
  }

  function restore(thing: string) {
    const unsaved = readUnsaved(thing)
    if (!unsaved || !doc.model.value || JSON.stringify(unsaved.model) === JSON.stringify(doc.model.value)) return
    saver.edit(unsaved.model)
    // Someone saved since: the words are on the page, and a person decides which ones stay.
    if (unsaved.revision !== (doc.draft.value?.revision ?? null)) doc.clash.value = true
  }

  /** Opens a Thing; what another one still had to save is sent first. Throws what the server says. */
  async function open(thing: string) {
    if (doc.name.value !== thing) {
      if (doc.name.value !== null) await saver.save()
      doc.name.value = thing
      doc.model.value = null
      doc.versions.value = []
      doc.draft.value = null
      doc.dirty.value = false
    }
    const own = await read(thing)
    // Unsent words on the page are newer than anything that the server has.
    if (doc.dirty.value || doc.name.value !== thing) return
    show(own)
    restore(thing)
  }

  async function reload() {
    if (doc.name.value !== null) show(await read(doc.name.value))
  }
  return { read, show, open, reload }
}

type Reader = ReturnType<typeof createReader>

function createOrders(doc: Document, saver: Saver, reader: Reader) {
  /** Theirs, or mine over it; neither is lost before the choice. */
  async function settle(keep: 'mine' | 'theirs') {
    const [thing, mine] = [doc.name.value, doc.model.value]
    if (thing === null || !mine) return
    reader.show(await reader.read(thing))
    dropUnsaved(thing)
    if (keep === 'theirs') return
    saver.edit(mine)
    await saver.save()
  }

  async function review(): Promise<ThingReview | null> {
    await saver.save()
    return doc.draft.value ? api.things.review({ draftId: doc.draft.value.id }) : null
  }
  async function publish(order: {
    basedOn: number | null
    note: string
    canary: string[]
  }): Promise<ThingVersion | null> {
    await saver.save()
    if (!doc.draft.value) return null
    const version = await api.things.publish({ draftId: doc.draft.value.id, ...order })
    await reader.reload()
    return version
  }
  async function dropDraft() {
    if (!doc.draft.value || doc.name.value === null) return
    await api.things.dropDraft({ id: doc.draft.value.id })
    dropUnsaved(doc.name.value)
    await reader.reload()
  }
  async function rollBack(to: number, note: string) {
    if (doc.name.value === null) return
    await api.things.rollBack({ name: doc.name.value, to, note })
    await reader.reload()
  }
  async function promote(version: number) {
    if (doc.name.value === null) return
    await api.things.promote({ name: doc.name.value, version })
    await reader.read(doc.name.value)
  }
  async function simulate(deviceId: string): Promise<ThingBinding | null> {
    await saver.save()
    const known = await openDraft(doc)
    if (!known) return null
    const binding = await api.things.simulate({ draftId: known.id, deviceId })
    await reader.read(known.name)
    return binding
  }
  const createFrom = (thing: string, template?: string) =>
    api.things.openDraft({ name: thing, ...(template === undefined ? {} : { template }) })
  return { settle, review, publish, dropDraft, rollBack, promote, simulate, createFrom }
}

/**
 * The Thing that is open in the editor. Nothing can be saved before it was loaded (ux.md G28). Without a draft of one's
 * own the newest version is shown, and the first edit opens one.
 */
export const useThingDraftStore = defineStore('thing-draft', () => {
  const doc = createDocument()
  const saver = createSaver(doc)
  const reader = createReader(doc, saver)
  return { ...doc, ...saver, open: reader.open, reload: reader.reload, ...createOrders(doc, saver, reader) }
})
