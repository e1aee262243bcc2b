import type { Clock } from '../../electron/base/clock.ts'

export interface ManualClock extends Clock {
  /** Moves the time on and runs what falls due, in order, letting promises settle between. */
  advance(ms: number): Promise<void>
}

interface Alarm {
  readonly at: number
  readonly callback: () => void
}

/** A clock that stands still until a test moves it. */
export function createManualClock(start = 1_000_000): ManualClock {
  const alarms = new Set<Alarm>()
  let now = start
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

  return {
    now: () => now,
    after(ms, callback) {
      const alarm = { at: now + Math.max(0, ms), callback }
      alarms.add(alarm)
      return () => void alarms.delete(alarm)
    },
    async advance(ms) {
      const end = now + ms
      await settle()
      for (;;) {
        const [next] = [...alarms].filter((alarm) => alarm.at <= end).sort((a, b) => a.at - b.at)
        if (!next) break
        alarms.delete(next)
        now = Math.max(now, next.at)
        next.callback()
        await settle()
      }
      now = end
      await settle()
    },
  }
}
