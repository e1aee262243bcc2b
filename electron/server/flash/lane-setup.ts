import type { Log } from '../../base/log.ts'
import type { BoardFacts } from '../../contract/flash.ts'
import type { BoardSettings } from '../firmware/board-settings.ts'
import type { ResetStyle } from './board-reset.ts'
import type { Compressor } from './compress.ts'
import type { LaneEvent } from './lane-event.ts'
import type { PlanRequest } from './plan.ts'
import type { SerialBinding } from './serial-link.ts'

export interface LaneSetup {
  readonly port: string
  /** A virtual chip in this process instead of a port of the system. */
  readonly binding?: SerialBinding
  readonly style: ResetStyle
  readonly request: PlanRequest
  /** Asked once, when the board is known: settings that depend on it, such as a claim for its MAC. */
  readonly settingsFor?: (board: BoardFacts, signal: AbortSignal) => Promise<BoardSettings>
  readonly verify: boolean
  /** Speed after the stub runs; 921600 unless said. */
  readonly baud?: number
  /** Wait for `provisioned` and `heard` (60 s each unless said) after the board started. */
  readonly awaitBoard: boolean
  readonly boardTimeoutMs?: number
}

export interface LaneTools {
  readonly compressor: Compressor
  readonly log: Log
  readonly onEvent: (event: LaneEvent) => void
}
