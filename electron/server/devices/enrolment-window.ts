import type { Clocks } from './device-records.ts'

export type EnrolmentMode = 'open' | 'approve' | 'claim'

export interface EnrolmentWindow {
  readonly mode: EnrolmentMode
  isOpen(): boolean
  /** Wall clock, ms; null when no timed window is open. */
  openUntil(): number | null
  /** 0 closes it. */
  open(minutes: number): void
}

/** The timed window of iotta-protocol.md §2 (c); mode `open` is one that lasts as long as the process. */
export function createEnrolmentWindow(mode: EnrolmentMode, clocks: Clocks & { onEnd: () => void }): EnrolmentWindow {
  const { now, monotonic, onEnd } = clocks
  let until = 0
  let timer: NodeJS.Timeout | undefined
  return {
    mode,
    isOpen: () => mode === 'open' || monotonic() < until,
    openUntil: () => (monotonic() < until ? now() + (until - monotonic()) : null),
    open(minutes) {
      clearTimeout(timer)
      until = monotonic() + minutes * 60_000
      if (minutes > 0) timer = setTimeout(onEnd, minutes * 60_000).unref()
    },
  }
}
