import type { ErrorCode } from '../../contract/errors.ts'
import type { BoardFacts, LanePhase, LaneResult } from '../../contract/flash.ts'

/** How a lane ended. `code` and `message` are null on a clean end; `written` may carry one. */
export interface LaneOutcome {
  readonly result: LaneResult
  readonly code: ErrorCode | null
  readonly message: string | null
  readonly mac: string | null
  /** Of the image; null when only settings were written. */
  readonly sha256: string | null
  readonly ms: number
  readonly board: BoardFacts | null
  readonly retries: number
  readonly degraded: boolean
  readonly noiseBytes: number
}

/** What a lane tells while it runs; `done` is the last and comes once. */
export type LaneEvent =
  | { readonly type: 'phase'; readonly phase: LanePhase }
  | { readonly type: 'board'; readonly board: BoardFacts }
  /** Degraded: the board refused the higher speed. */
  | { readonly type: 'speed'; readonly baud: number; readonly degraded: boolean }
  /** Plain bytes of the present phase (write, verify); the rate is null until it is known. */
  | {
      readonly type: 'progress'
      readonly bytesDone: number
      readonly bytesTotal: number
      readonly bytesPerSecond: number | null
    }
  | { readonly type: 'retry'; readonly reason: 'checksum' | 'restart' | 'reboot'; readonly retries: number }
  /** A line that the board printed; secrets of the plan are masked. */
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'done'; readonly outcome: LaneOutcome }
