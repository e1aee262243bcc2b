import type { LaneEvent } from './lane-event.ts'

const stepMs = 100

/** Progress of a list of pieces as events, ten a second at most; the end is always told. */
export function createProgress(pieces: readonly { size: number }[], onEvent: (event: LaneEvent) => void) {
  const bytesTotal = pieces.reduce((sum, { size }) => sum + size, 0)
  const startedAt = performance.now()
  let before = 0
  let toldAt = -Infinity

  function tell(bytesDone: number): void {
    const now = performance.now()
    if (now - toldAt < stepMs && bytesDone < bytesTotal) return
    toldAt = now
    const seconds = (now - startedAt) / 1000
    const bytesPerSecond = seconds > 0.2 ? Math.round(bytesDone / seconds) : null
    onEvent({ type: 'progress', bytesDone, bytesTotal, bytesPerSecond })
  }

  return {
    inPiece: (bytes: number) => {
      if (before + bytes < bytesTotal) tell(before + bytes)
    },
    pieceDone(piece: { size: number }): void {
      before += piece.size
      tell(before)
    },
  }
}
