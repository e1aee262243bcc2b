import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { NoteList } from '../../electron/contract/helper-tools.ts'
import { api } from '../client/client.ts'

export const useNotesStore = defineStore('notes', () => {
  const lists = shallowRef<readonly NoteList[] | null>(null)

  async function load() {
    const found = await api.notes.lists()
    lists.value = found
  }
  /** Shown at once; a refusal brings back what the server has. */
  async function change(next: readonly NoteList[], order: () => Promise<unknown>) {
    lists.value = next
    try {
      await order()
    } catch (error) {
      await load().catch(() => undefined)
      throw error
    }
  }
  function put(list: NoteList) {
    const known = lists.value ?? []
    const next = known.some(({ id }) => id === list.id)
      ? known.map((one) => (one.id === list.id ? list : one))
      : [...known, list]
    return change(next, () => api.notes.put(list))
  }
  function remove(id: string) {
    return change(
      (lists.value ?? []).filter((list) => list.id !== id),
      () => api.notes.remove({ id }),
    )
  }
  return { lists, load, put, remove }
})
