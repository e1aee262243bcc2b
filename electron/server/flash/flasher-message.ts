import type { ErrorCode } from '../../contract/errors.ts'
import type { BoardFacts, PortInfo } from '../../contract/flash.ts'
import type { BoardSettings } from '../firmware/board-settings.ts'
import type { ResetStyle } from './board-reset.ts'
import type { LaneEvent } from './lane-event.ts'
import type { ErasePolicy } from './plan.ts'

/** One lane as plain data; files by path, hash and size, because bytes are slow over a process boundary. */
export interface LaneJob {
  readonly port: string
  /** Found from the USB ids of the port unless said. */
  readonly style?: ResetStyle
  readonly parts: readonly PartFile[]
  readonly settings?: BoardSettings
  readonly erase: ErasePolicy
  readonly fixHeader?: boolean
  /** True unless said. */
  readonly verify?: boolean
  readonly baud?: number
  /** Wait for `provisioned()` and `heard()` after the board started. */
  readonly awaitBoard?: boolean
  readonly boardTimeoutMs?: number
}

export interface PartFile {
  readonly path: string
  /** Hex; the file is hashed again before the port is opened. */
  readonly sha256?: string
  readonly size?: number
  /** Null: where its kind belongs, see PlanPart. */
  readonly offset: number | null
  readonly raw?: boolean
}

export type ToFlasher =
  | { readonly type: 'start'; readonly lane: number; readonly job: LaneJob; readonly asksSettings: boolean }
  | { readonly type: 'cancel'; readonly lane: number }
  | { readonly type: 'said'; readonly lane: number; readonly what: 'provisioned' | 'heard' }
  | { readonly type: 'settings'; readonly lane: number; readonly settings: BoardSettings }
  | { readonly type: 'no-settings'; readonly lane: number; readonly code: ErrorCode; readonly message: string }
  | { readonly type: 'ports'; readonly request: number }
  | { readonly type: 'stop' }

export type FromFlasher =
  | { readonly type: 'event'; readonly lane: number; readonly event: LaneEvent }
  | { readonly type: 'board'; readonly lane: number; readonly board: BoardFacts }
  | { readonly type: 'ports'; readonly request: number; readonly ports: readonly PortInfo[] }
