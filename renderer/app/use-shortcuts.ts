import { useEventListener } from '@vueuse/core'
import { useRouter } from 'vue-router'
import { usePreferencesStore } from '../stores/preferences.ts'
import { destinations } from './navigation.ts'
import { actionOf, type KeyAction } from './key-map.ts'

interface Doings {
  readonly openPalette: () => void
  readonly openSheet: () => void
}

const LEADER_MS = 1_200

function inField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable], [role="menu"], [role="listbox"]') !== null
  )
}

/** Focus moves among the rows of the list on the page; the row itself knows what Enter does. */
function moveRow(by: 1 | -1) {
  const rows = [...document.querySelectorAll<HTMLElement>('#main [data-row]')]
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement))
  rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus()
}

/** The keyboard map of ux.md B4, as far as its screens exist. */
export function useShortcuts(doings: Doings) {
  const router = useRouter()
  const preferences = usePreferencesStore()
  let leaderAt = -Infinity

  function act(action: KeyAction) {
    if (action.kind === 'palette') doings.openPalette()
    else if (action.kind === 'sheet') doings.openSheet()
    else if (action.kind === 'filter') document.querySelector<HTMLElement>('#main [data-filter]')?.focus()
    else if (action.kind === 'row') moveRow(action.by)
    else if (action.kind === 'go')
      void router.push(destinations.find((place) => place.key === action.key)?.path ?? '/fleet')
  }

  useEventListener(document, 'keydown', (event) => {
    const action = actionOf(event, {
      inField: inField(event.target),
      inDialog: document.querySelector('[role="dialog"]') !== null,
      letters: preferences.letterKeys,
      afterLeader: event.timeStamp - leaderAt < LEADER_MS,
    })
    leaderAt = action?.kind === 'leader' ? event.timeStamp : -Infinity
    if (!action) return
    event.preventDefault()
    act(action)
  })
}
