/** Undo and redo of one document, as a value. */
export interface History<T> {
  readonly past: readonly T[]
  readonly now: T
  readonly future: readonly T[]
  /** What the last step was about: keystrokes in one field are one step. */
  readonly topic: string | null
}

const KEPT = 200

export const historyOf = <T>(now: T): History<T> => ({ past: [], now, future: [], topic: null })

export function stepped<T>(history: History<T>, next: T, topic: string | null = null): History<T> {
  if (topic !== null && topic === history.topic) return { ...history, now: next, future: [] }
  return { past: [...history.past, history.now].slice(-KEPT), now: next, future: [], topic }
}

export function undone<T>(history: History<T>): History<T> {
  const before = history.past.at(-1)
  if (before === undefined) return history
  return { past: history.past.slice(0, -1), now: before, future: [history.now, ...history.future], topic: null }
}

export function redone<T>(history: History<T>): History<T> {
  const [next, ...rest] = history.future
  if (next === undefined) return history
  return { past: [...history.past, history.now], now: next, future: rest, topic: null }
}
