import type { ErrorCode } from '../../../contract/errors.ts'

//            enable                connected
//   off ───────────────▶ starting ───────────▶ ready
//    ▲                     ▲    │ lost            │ lost
//    │ disable (any)       │    ▼                 ▼
//    └──────────────    wake └─ waiting ◀─────────┘   … the eighth loss in a row, or a fatal one: failed

export interface LinkTrouble {
  readonly code: ErrorCode
  readonly message: string
}

export type LinkState =
  | { readonly at: 'off' }
  | { readonly at: 'starting'; readonly losses: number }
  | { readonly at: 'ready'; readonly losses: number; readonly since: number }
  | { readonly at: 'waiting'; readonly losses: number; readonly retryAt: number; readonly trouble: LinkTrouble }
  | { readonly at: 'failed'; readonly trouble: LinkTrouble }

export type LinkInput =
  | { readonly type: 'enable' }
  | { readonly type: 'disable' }
  | { readonly type: 'connected'; readonly now: number }
  /** `fatal`: trying again would bring the same. */
  | { readonly type: 'lost'; readonly now: number; readonly trouble: LinkTrouble; readonly fatal: boolean }
  | { readonly type: 'wake' }

export type LinkEffect =
  { readonly do: 'open' } | { readonly do: 'close' } | { readonly do: 'wakeAfter'; readonly ms: number }

const firstWaitMs = 1_000
const longestWaitMs = 60_000
const mostLosses = 8
/** Who stood this long has proved itself: its next loss is a first one again. */
const steadyMs = 60_000

/** The life of one outside MCP server: restarted with growing waits, and given up after the eighth loss in a row. */
export function stepLink(state: LinkState, input: LinkInput): readonly [LinkState, ...LinkEffect[]] {
  switch (input.type) {
    case 'enable':
      return state.at === 'off' || state.at === 'failed' ? [{ at: 'starting', losses: 0 }, { do: 'open' }] : [state]
    case 'disable':
      return state.at === 'off' ? [state] : [{ at: 'off' }, { do: 'close' }]
    case 'connected':
      return state.at === 'starting' ? [{ at: 'ready', losses: state.losses, since: input.now }] : [state]
    case 'wake':
      return state.at === 'waiting' ? [{ at: 'starting', losses: state.losses }, { do: 'open' }] : [state]
    case 'lost':
      return lose(state, input)
  }
}

function lose(
  state: LinkState,
  { now, trouble, fatal }: Extract<LinkInput, { type: 'lost' }>,
): readonly [LinkState, ...LinkEffect[]] {
  if (state.at !== 'starting' && state.at !== 'ready') return [state]
  const before = state.at === 'ready' && now - state.since >= steadyMs ? 0 : state.losses
  const losses = before + 1
  if (fatal || losses >= mostLosses) return [{ at: 'failed', trouble }, { do: 'close' }]
  const ms = Math.min(firstWaitMs * 2 ** before, longestWaitMs)
  return [{ at: 'waiting', losses, retryAt: now + ms, trouble }, { do: 'close' }, { do: 'wakeAfter', ms }]
}
