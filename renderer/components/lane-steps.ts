import type { Lane, LanePhase } from '../../electron/contract/flash.ts'

export type LaneStepState = 'done' | 'now' | 'failed' | 'ahead' | 'skipped'

export interface LaneStep {
  readonly phase: LanePhase
  readonly state: LaneStepState
}

const order: readonly LanePhase[] = [
  'waiting',
  'detect',
  'security',
  'compare',
  'erase',
  'write',
  'verify',
  'reset',
  'banner',
  'provision',
  'hello',
]

/** The steps of a lane as a strip. `written` ends before the server's own steps: they were not asked for. */
export function laneSteps(lane: Pick<Lane, 'phase' | 'result'>): readonly LaneStep[] {
  const at = order.indexOf(lane.phase)
  return order.slice(1).map((phase): LaneStep => {
    const place = order.indexOf(phase)
    if (lane.result === 'proved') return { phase, state: 'done' }
    if (lane.result === 'written') return { phase, state: place > order.indexOf('banner') ? 'skipped' : 'done' }
    if (place < at) return { phase, state: 'done' }
    if (place > at) return { phase, state: 'ahead' }
    return { phase, state: lane.result === 'failed' ? 'failed' : 'now' }
  })
}

/** Milliseconds until the write ends at the present speed; null when nobody can say. */
export function laneEtaMs(
  lane: Pick<Lane, 'phase' | 'bytesDone' | 'bytesTotal' | 'bytesPerSecond' | 'result'>,
): number | null {
  if (lane.result !== null || lane.bytesPerSecond === null || lane.bytesPerSecond <= 0 || lane.bytesTotal === 0)
    return null
  return (Math.max(0, lane.bytesTotal - lane.bytesDone) / lane.bytesPerSecond) * 1_000
}

/** 0–1 of the bytes, or null before the total is known. */
export function laneFraction(lane: Pick<Lane, 'bytesDone' | 'bytesTotal'>): number | null {
  return lane.bytesTotal === 0 ? null : Math.min(1, lane.bytesDone / lane.bytesTotal)
}
