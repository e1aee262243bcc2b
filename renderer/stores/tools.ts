import { defineStore } from 'pinia'
import type { ImportCandidate, ToolCase, ToolDraft } from '../../electron/contract/tool-registry.ts'
import { api, subscribe } from '../client/client.ts'

/** What a test call is aimed at. Without `deviceId` the stub answers. */
export interface TryOut {
  readonly name: string
  readonly draftId?: string
  readonly deviceId?: string
  readonly arguments: Record<string, unknown>
  readonly dryRun: boolean
}
export interface MatcherQuestion {
  readonly name: string
  readonly draftId?: string
  readonly deviceId?: string
  readonly phrases: string[]
}

/** So many are under way at once: a thousand must not each wait for the way there and back. */
const LANES = 8

/** Opens a draft for each taken candidate; the first refusal is thrown after all were tried. */
async function takeImport(
  candidates: readonly ImportCandidate[],
  told: (done: number) => void,
): Promise<readonly string[]> {
  const taken: string[] = []
  const refusals: unknown[] = []
  const waiting = [...candidates]
  async function lane() {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name, content } = next
      if (!content) continue
      try {
        const draft: ToolDraft = await api.tools.openDraft({ name })
        await api.tools.saveDraft({ id: draft.id, revision: draft.revision, content })
        taken.push(name)
      } catch (error) {
        refusals.push(error)
      }
      told(taken.length + refusals.length)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  if (refusals.length > 0) throw refusals[0]
  return taken
}

/** The registry's rows; what a screen shows of them it keeps itself. */
export const useToolsStore = defineStore('tools', () => ({
  ofDevice: (deviceId: string) => api.tools.ofDevice({ deviceId }),
  refresh: (deviceId: string) => api.tools.refresh({ deviceId }),
  publish: (name: string, version: number) => api.tools.publish({ name, version }),
  call: (deviceId: string, name: string, args: Record<string, unknown>) =>
    api.tools.call({ deviceId, name, arguments: args }),
  /** All tools; the page filters, so that a keystroke needs no answer from the server (ux.md P7). */
  catalog: () => api.tools.catalog({}),
  onChange: (changed: () => void) => subscribe((signal) => api.tools.watch(undefined, { signal }), changed),
  detail: (name: string) => api.tools.detail({ name }),
  openDraft: (name: string, from?: number) => api.tools.openDraft(from === undefined ? { name } : { name, from }),
  compare: (name: string, from: number, to: number) => api.tools.compare({ name, from, to }),
  promote: (name: string, version: number) => api.tools.promote({ name, version }),
  rollBack: (name: string, to: number, note: string) => api.tools.rollBack({ name, to, note }),
  deprecate: (name: string, replacement: string | null) => api.tools.deprecate({ name, replacement }),
  enable: (name: string, enabled: boolean) => api.tools.enable({ name, enabled }),
  saveCases: (name: string, cases: ToolCase[]) => api.tools.saveCases({ name, cases }),
  runCases: (draftId: string) => api.tools.runCases({ draftId }),
  tryOut: (order: TryOut) => api.tools.tryOut(order),
  askMatcher: (question: MatcherQuestion) => api.tools.askMatcher(question),
  calls: (name: string, limit: number) => api.tools.calls({ name, limit }),
  readImport: (text: string) => api.tools.readImport({ text }),
  exportTools: (names: string[]) => api.tools.exportTools({ names }),
  takeImport,
}))
