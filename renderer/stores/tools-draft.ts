import { api } from '../client/client.ts'
import { createDraftKeeper } from './tools-draft-keeper.ts'

const SAVE_AFTER_MS = 700

/** The draft of this tool, with the server's rows and this browser's storage. */
export function openDraftKeeper(name: string) {
  const key = `roost.tool-draft.${name}`
  return createDraftKeeper(
    {
      open: (from) => api.tools.openDraft(from === undefined ? { name } : { name, from }),
      save: (order) => api.tools.saveDraft(order),
      drop: (id) => api.tools.dropDraft({ id }),
      review: (draftId) => api.tools.review({ draftId }),
    },
    {
      read: () => localStorage.getItem(key),
      write(text) {
        try {
          if (text === null) localStorage.removeItem(key)
          else localStorage.setItem(key, text)
        } catch {
          // A full or forbidden storage: the server's copy is then the only one.
        }
      },
    },
    (work) => setTimeout(work, SAVE_AFTER_MS),
  )
}

export const publishDraft = (order: { draftId: string; basedOn: number | null; note: string; canary: string[] }) =>
  api.tools.publishDraft(order)
