import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import type { MetaStore } from '../../store/store.ts'
import type { AlarmBook } from './alarm-book.ts'
import type { BuiltinPorts } from './builtin-tool.ts'
import type { CalendarBook } from './calendar-book.ts'

const lookEveryMs = 5_000
const aheadMs = 60_000
/** Reminders from while the server was away, up to a day, are told as missed. */
const backMs = 86_400_000
const cursorKey = 'calendarReminded'

/** Turns the reminders of the calendar into alarms shortly before they are due, each once, also over a restart. */
export async function remindOfEvents(options: {
  readonly calendar: CalendarBook
  readonly alarms: AlarmBook
  readonly meta: MetaStore
  readonly clock: Clock
  readonly ports: Pick<BuiltinPorts, 'wall' | 'zone'>
  readonly log: Log
}): Promise<{ close(): void }> {
  const { calendar, alarms, meta, clock, ports } = options
  let cursor = Math.max(Number((await meta.get(cursorKey)) ?? ports.wall()), ports.wall() - backMs)
  let closed = false

  async function look(): Promise<void> {
    const until = ports.wall() + aheadMs
    if (until <= cursor) return
    const from = cursor
    cursor = until
    for (const [at, event] of calendar.all().entries()) {
      // A long calendar must not hold up the boards' audio.
      if (at % 50 === 49) await setImmediate()
      const { remindMinutes, deviceId } = event
      if (remindMinutes === null || deviceId === null) continue
      const early = remindMinutes * 60_000
      for (const start of calendar.startsOf(event.id, from + early, until + early)) {
        if (start - early <= from || start - early > until) continue
        await alarms.addLate({
          kind: 'reminder',
          deviceId,
          label: event.title,
          dueAt: start - early,
          wall: null,
          action: null,
          language: /\p{Script=Han}/u.test(event.title) ? 'zh' : 'en',
        })
      }
    }
    await meta.set(cursorKey, String(until))
  }
  function next(): void {
    if (closed) return
    clock.after(lookEveryMs, () => {
      if (closed) return
      void look()
        .catch((error: unknown) => options.log.warn('reminders of the calendar were not set', { error }))
        .finally(next)
    })
  }
  next()
  return {
    close() {
      closed = true
    },
  }
}
