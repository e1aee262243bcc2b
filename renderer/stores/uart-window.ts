import { ref, shallowRef } from 'vue'
import type { UartLine } from '../../electron/contract/uart.ts'
import { api } from '../client/client.ts'
import { slidWindow } from './uart-slide.ts'

/** Lines kept on the page; those that leave the window are on the server's disk. */
const KEPT = 20_000
const PAGE = 500
/** The most that one answer holds. */
const SEARCH_PAGE = 1000

function createState() {
  const lines = shallowRef<readonly UartLine[]>([])
  const shownId = ref<string | null>(null)
  /** Lines came after those in the window. */
  const isBehind = ref(false)
  /** How far back a search has looked, while one runs. */
  const searching = ref<number | null>(null)
  return { lines, shownId, isBehind, searching, asking: false }
}
type State = ReturnType<typeof createState>

/** One page at a time, and none for a port that is not shown any more: then undefined. */
async function pageOf(state: State, before: number | null, limit = PAGE): Promise<readonly UartLine[] | undefined> {
  const id = state.shownId.value
  if (id === null || state.asking) return undefined
  state.asking = true
  try {
    const found = await api.uart.page({ id, before, limit })
    return state.shownId.value === id ? found : undefined
  } finally {
    state.asking = false
  }
}

function slide({ lines, isBehind }: State, found: readonly UartLine[], side: 'older' | 'newer'): void {
  const slid = slidWindow({ lines: lines.value, most: KEPT }, found, side)
  lines.value = slid.lines
  if (slid.lostNewer) isBehind.value = true
}

async function newer(state: State): Promise<void> {
  const last = state.lines.value.at(-1)?.seq
  if (!state.isBehind.value || last === undefined) return
  const found = await pageOf(state, last + 1 + PAGE)
  if (!found) return
  const fresh = found.filter(({ seq }) => seq > last)
  slide(state, fresh, 'newer')
  if (fresh.length < PAGE) state.isBehind.value = false
}

/** Looks back from `before` until a line fits; the window then ends a little below it. Null: none, or stopped. */
async function seek(state: State, before: number, fits: (line: UartLine) => boolean): Promise<number | null> {
  const { searching, lines, isBehind } = state
  const isStopped = () => searching.value === null
  let at = before
  let seq: number | undefined
  searching.value = at
  while (seq === undefined && at > 0) {
    const found = await pageOf(state, at, SEARCH_PAGE)
    if (!found?.[0] || isStopped()) break
    at = found[0].seq
    searching.value = at
    seq = found.findLast(fits)?.seq
  }
  searching.value = null
  const around = seq === undefined ? undefined : await pageOf(state, seq + PAGE / 2)
  if (seq === undefined || !around) return null
  lines.value = around
  isBehind.value = true
  return seq
}

/**
 * A window on the lines of one port: the newest while nobody looks elsewhere. The server keeps a million (ux.md C12);
 * whoever scrolls up or searches moves the window, and what leaves it is asked for again.
 */
export function createUartWindow() {
  const state = createState()
  const { lines, shownId, isBehind, searching } = state
  return {
    ...{ lines, shownId, isBehind, searching },
    show: (id: string | null) => {
      if (shownId.value === id) return
      shownId.value = id
      lines.value = []
      isBehind.value = false
      searching.value = null
    },
    /** Lines as they cross the wire. */
    add: (found: readonly UartLine[]) => {
      if (isBehind.value) return
      const newest = lines.value.at(-1)?.seq ?? -Infinity
      const fresh = found.filter(({ seq }) => seq > newest)
      if (fresh.length > 0) slide(state, fresh, 'newer')
    },
    async older() {
      const first = lines.value[0]
      if (!first || first.seq === 0) return
      slide(state, (await pageOf(state, first.seq)) ?? [], 'older')
    },
    newer: () => newer(state),
    async toNewest() {
      const found = isBehind.value ? await pageOf(state, null) : undefined
      if (!found) return
      lines.value = found
      isBehind.value = false
    },
    seek: (before: number, fits: (line: UartLine) => boolean) => seek(state, before, fits),
    stopSeek: () => void (searching.value = null),
  }
}
