import type { Clock } from '../../base/clock.ts'
import type { UartFault, UartLine } from '../../contract/uart.ts'
import { createCallPairing } from './call-pairing.ts'
import { createLineRing } from './line-ring.ts'
import { lineOf, type ReadLine } from './line-view.ts'
import type { Recorder } from './recording.ts'
import type { SessionView } from './session-view.ts'

export interface LineBook {
  readonly newest: readonly UartLine[]
  readonly page: (before: number | null, limit: number) => Promise<UartLine[]>
  note(line: ReadLine, facts: { readonly turnId: string | null; readonly faults: readonly UartFault[] }): void
  readonly onLine: (listener: (line: UartLine) => void) => () => void
  /** Gives up a call whose time is over; true when there was one. */
  expire(): boolean
  close(): Promise<void>
}

interface BookOptions {
  readonly clock: Clock
  readonly dir: string
  readonly recorder: Recorder
  readonly view: SessionView
  /** Lines in bundles: a fast port must not cost a message a line. */
  readonly onLines: (lines: readonly UartLine[]) => void
}

const bundleMs = 50

/** All lines of a session in their order, each joined with its turn and its call. */
export function createLineBook({ clock, dir, recorder, view, onLines }: BookOptions): LineBook {
  const ring = createLineRing(dir)
  const pairing = createCallPairing()
  const listeners = new Set<(line: UartLine) => void>()
  let bundle: UartLine[] = []
  let stopBundle: (() => void) | undefined

  function tell(line: UartLine): void {
    bundle.push(line)
    stopBundle ??= clock.after(bundleMs, () => {
      stopBundle = undefined
      onLines(bundle)
      bundle = []
    })
    for (const listener of listeners) listener(line)
  }

  return {
    newest: ring.newest,
    page: (before, limit) => ring.page(before, limit),
    note(line, { turnId, faults }) {
      const at = clock.now()
      const paired = pairing.line(line, at, turnId)
      const late = paired.late ? [lateAnswer] : []
      const full = { ...line, faults: [...line.faults, ...faults, ...late] }
      const noted = lineOf(full, { seq: ring.added, at, turnId: paired.turnId, latencyMs: paired.latencyMs })
      ring.add(noted)
      recorder.add(noted)
      view.count(noted, pairing.figures())
      tell(noted)
    },
    onLine(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    expire() {
      const expired = pairing.expire(clock.now())
      if (expired) view.setFigures(pairing.figures())
      return expired
    },
    async close() {
      stopBundle?.()
      if (bundle.length > 0) onLines(bundle)
      await ring.close()
    },
  }
}

const lateAnswer: UartFault = {
  rule: 'uart-late-answer',
  byte: 0,
  severity: 'warning',
  message: 'no call waits for this answer',
}
