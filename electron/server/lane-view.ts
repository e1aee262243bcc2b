import type { Lane } from '../contract/flash.ts'
import type { LaneEvent } from './flash/lane-event.ts'

/** A lane as the console draws it, before anything happened. */
export function newLane(port: string, startedAt: number): Lane {
  return {
    port,
    phase: 'waiting',
    result: null,
    code: null,
    message: null,
    board: null,
    bytesDone: 0,
    bytesTotal: 0,
    bytesPerSecond: null,
    baud: null,
    degraded: false,
    retries: 0,
    sha256: null,
    startedAt,
    endedAt: null,
  }
}

/** Pure: what the flasher told, laid over what is drawn. */
export function nextLane(lane: Lane, event: LaneEvent, now: number): Lane {
  switch (event.type) {
    case 'phase':
      return { ...lane, phase: event.phase, bytesDone: 0, bytesTotal: 0, bytesPerSecond: null }
    case 'board':
      return { ...lane, board: event.board }
    case 'speed':
      return { ...lane, baud: event.baud, degraded: event.degraded }
    case 'progress':
      return { ...lane, bytesDone: event.bytesDone, bytesTotal: event.bytesTotal, bytesPerSecond: event.bytesPerSecond }
    case 'retry':
      return { ...lane, retries: event.retries }
    case 'line':
      return lane
    case 'done': {
      const { result, code, message, sha256, retries, degraded, board } = event.outcome
      return { ...lane, result, code, message, sha256, retries, degraded, board: board ?? lane.board, endedAt: now }
    }
  }
}
