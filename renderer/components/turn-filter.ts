import { type Announced, TurnKind, turnKind } from '../../electron/contract/conversation.ts'

/** The filter bar of Conversations, and its form in the address. Absent keys filter nothing. */
export interface TurnFilter {
  readonly text: string
  readonly deviceId: string
  readonly status: '' | 'done' | 'aborted' | 'failed' | 'mute'
  /** Talk, or what a board said by itself. */
  readonly kind: '' | TurnKind
  readonly withTools: boolean
  readonly slow: boolean
  /** `name@version`, offered or called in the turn. */
  readonly toolRef: string
}

export const SLOW_MS = 2_000
export const noTurnFilter: TurnFilter = {
  text: '',
  deviceId: '',
  status: '',
  kind: '',
  withTools: false,
  slow: false,
  toolRef: '',
}

type Query = Readonly<Record<string, unknown>>

const STATUSES = ['done', 'aborted', 'failed', 'mute'] as const

/** Hostile or old addresses give a filter too: what cannot be read is left out. */
export function turnFilterFromQuery(query: Query): TurnFilter {
  const one = (key: string) => (typeof query[key] === 'string' ? query[key] : '')
  return {
    text: one('text').slice(0, 200),
    deviceId: one('board').slice(0, 64),
    status: STATUSES.find((status) => status === one('status')) ?? '',
    kind: TurnKind.options.find((kind) => kind === one('kind')) ?? '',
    withTools: one('tools') === '1',
    slow: one('slow') === '1',
    toolRef: one('tool').slice(0, 80),
  }
}

export function turnFilterToQuery(filter: TurnFilter): Record<string, string> {
  return {
    ...(filter.text.trim() === '' ? {} : { text: filter.text.trim() }),
    ...(filter.deviceId === '' ? {} : { board: filter.deviceId }),
    ...(filter.status === '' ? {} : { status: filter.status }),
    ...(filter.kind === '' ? {} : { kind: filter.kind }),
    ...(filter.withTools ? { tools: '1' } : {}),
    ...(filter.slow ? { slow: '1' } : {}),
    ...(filter.toolRef === '' ? {} : { tool: filter.toolRef }),
  }
}

export function isFiltered(filter: TurnFilter): boolean {
  return Object.keys(turnFilterToQuery(filter)).length > 0
}

interface Filterable {
  readonly deviceId: string
  readonly status: string
  readonly source: 'voice' | 'typed' | 'announcement'
  readonly announced?: Announced | undefined
  readonly userText: string
  readonly replyText: string
  readonly replyMs: number | null
  readonly calls: readonly { readonly ref: string }[]
  readonly toolsOffered: readonly string[]
}

/** The same rule as the server's, for turns that arrive while the list is open. */
export function turnMatches(turn: Filterable, filter: TurnFilter): boolean {
  const text = filter.text.trim().toLowerCase()
  if (filter.deviceId !== '' && turn.deviceId !== filter.deviceId) return false
  if (filter.status !== '' && turn.status !== filter.status) return false
  if (filter.kind !== '' && turnKind(turn) !== filter.kind) return false
  if (filter.withTools && turn.calls.length === 0) return false
  if (filter.slow && (turn.replyMs === null || turn.replyMs <= SLOW_MS)) return false
  const { toolRef } = filter
  if (toolRef !== '' && !turn.toolsOffered.includes(toolRef) && !turn.calls.some(({ ref }) => ref === toolRef))
    return false
  return text === '' || `${turn.userText}\n${turn.replyText}`.toLowerCase().includes(text)
}
