import { AppError } from '../../base/app-error.ts'
import type { BoardFacts } from '../../contract/flash.ts'
import { type BoardSettings, settingsSecrets } from '../firmware/board-settings.ts'
import { type BootWatch, createBootWatch } from './boot-watch.ts'
import type { ChipSession } from './chip-session.ts'
import type { CompressedPiece } from './compress.ts'
import type { LaneSetup, LaneTools } from './lane-setup.ts'
import { type SecretMask, createMask } from './secret-mask.ts'
import type { SerialLink } from './serial-link.ts'

export interface LaneContext extends LaneTools {
  readonly signal: AbortSignal
}

/** What one lane knows while it runs; the steps fill it. */
export interface LaneRun {
  readonly setup: LaneSetup
  readonly tools: LaneContext
  readonly mask: SecretMask
  readonly boot: BootWatch
  link: SerialLink | undefined
  session: ChipSession | undefined
  board: BoardFacts | undefined
  /** major * 100 + minor. */
  revision: number
  /** What `settingsFor` answered. */
  extra: BoardSettings | undefined
  pieces: readonly CompressedPiece[]
  retries: number
  degraded: boolean
  noiseBytes: number
}

export function createLaneRun(setup: LaneSetup, tools: LaneContext): LaneRun {
  const mask = createMask(setup.request.settings ? settingsSecrets(setup.request.settings) : [])
  return {
    setup,
    tools,
    mask,
    boot: createBootWatch((text) => tools.onEvent({ type: 'line', text: mask.apply(text) })),
    link: undefined,
    session: undefined,
    board: undefined,
    revision: 0,
    extra: undefined,
    pieces: [],
    retries: 0,
    degraded: false,
    noiseBytes: 0,
  }
}

export function linkOf(run: LaneRun): SerialLink {
  if (!run.link) throw new AppError('flash-protocol', 'The port is not open')
  return run.link
}

export function sessionOf(run: LaneRun): ChipSession {
  if (!run.session) throw new AppError('flash-protocol', 'The board is not connected')
  return run.session
}

export function endSession(run: LaneRun): void {
  if (!run.session) return
  const { channel } = run.session.client
  channel.end()
  run.noiseBytes += channel.noiseBytes
  run.session = undefined
}

export function countRetry(run: LaneRun, reason: 'checksum' | 'restart' | 'reboot'): void {
  run.retries += 1
  run.tools.onEvent({ type: 'retry', reason, retries: run.retries })
}
