import type { ThingModel } from '../../electron/contract/thing.ts'

/** Steps that can be taken back. `tag` joins what is typed into one field within a moment to one step. */
export interface EditHistory {
  readonly past: readonly ThingModel[]
  readonly future: readonly ThingModel[]
  readonly tag: string
  readonly at: number
}

const KEPT = 200
const JOIN_MS = 1_200

export const noHistory: EditHistory = { past: [], future: [], tag: '', at: -Infinity }

export function recorded(history: EditHistory, before: ThingModel, edit: { tag: string; at: number }): EditHistory {
  const joins = edit.tag !== '' && edit.tag === history.tag && edit.at - history.at < JOIN_MS && history.past.length > 0
  return { past: joins ? history.past : [...history.past, before].slice(-KEPT), future: [], ...edit }
}

/** The model before the last step and the history that goes with it; null when there is none. */
export function undone(history: EditHistory, now: ThingModel): { model: ThingModel; history: EditHistory } | null {
  const model = history.past.at(-1)
  if (!model) return null
  return { model, history: { ...noHistory, past: history.past.slice(0, -1), future: [now, ...history.future] } }
}

export function redone(history: EditHistory, now: ThingModel): { model: ThingModel; history: EditHistory } | null {
  const [model, ...future] = history.future
  if (!model) return null
  return { model, history: { ...noHistory, past: [...history.past, now], future } }
}
