import { destinations } from './navigation.ts'

export type KeyAction =
  | { readonly kind: 'palette' | 'sheet' | 'filter' | 'leader' }
  | { readonly kind: 'row'; readonly by: 1 | -1 }
  | { readonly kind: 'go'; readonly key: string }

interface Key {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly isComposing: boolean
}

interface Situation {
  readonly inField: boolean
  readonly inDialog: boolean
  /** The person has single-letter keys switched on (WCAG 2.1.4). */
  readonly letters: boolean
  /** G was pressed a moment ago. */
  readonly afterLeader: boolean
}

/** What a key means here, or null. Letters never fire in a field, in a dialog, or while an input method composes. */
export function actionOf(event: Key, situation: Situation): KeyAction | null {
  if (event.isComposing || event.key === 'Process') return null
  const key = event.key.toLowerCase()
  if ((event.ctrlKey || event.metaKey) && !event.altKey && key === 'k')
    return situation.inDialog ? null : { kind: 'palette' }
  if (event.ctrlKey || event.metaKey || event.altKey) return null
  if (situation.inField || situation.inDialog || !situation.letters) return null
  if (situation.afterLeader && destinations.some((place) => place.key === key)) return { kind: 'go', key }
  if (key === 'g') return { kind: 'leader' }
  if (key === '?') return { kind: 'sheet' }
  if (key === '/') return { kind: 'filter' }
  if (key === 'j') return { kind: 'row', by: 1 }
  if (key === 'k') return { kind: 'row', by: -1 }
  return null
}
