import { AppError } from '../base/app-error.ts'
import type { RpcFeatures } from './rpc/handlers.ts'
import type { Sessions } from './session/sessions.ts'
import { readIcs, writeIcs } from './tools/builtin/calendar-ics.ts'
import type { Builtin } from './tools/builtin/open-builtin.ts'
import { systemZone } from './tools/builtin/wall-time.ts'

export interface HelperParts {
  readonly helpers: Builtin
  readonly sessions: Sessions
  readonly wall: () => number
}

const ok = { ok: true } as const

/** The rows of contract/rpc-helpers.ts: the same data that a voice reaches. */
export function createHelperFeatures({ helpers, sessions, wall }: HelperParts) {
  const { alarms, notes, calendar, music } = helpers
  return {
    alarms: {
      watch: (_input, { signal }) => alarms.watch(signal),
      add: (alarm) => alarms.add(alarm),
      cancel: async ({ id }) => {
        await alarms.cancel(id)
        return ok
      },
      snooze: async ({ id, minutes }) => {
        await alarms.snooze(id, minutes)
        return ok
      },
      dismiss: async ({ id }) => {
        await alarms.dismiss(id)
        return ok
      },
    },
    notes: {
      lists: () => [...notes.lists()],
      put: async (list) => {
        await notes.put(list)
        return ok
      },
      remove: async ({ id }) => {
        await notes.remove(id)
        return ok
      },
    },
    calendar: {
      between: ({ from, to }) => calendar.between(from, to),
      put: async (event) => {
        await calendar.put([event])
        return ok
      },
      remove: async ({ id }) => {
        await calendar.remove(id)
        return ok
      },
      readIcs: async ({ text }) => {
        const { events, skipped } = await readIcs(text, systemZone())
        await calendar.put(events)
        return { added: events.length, skipped }
      },
      writeIcs: async () => ({ text: await writeIcs(calendar.all(), wall()) }),
    },
    music: {
      state: () => music.state(),
      setFolder: ({ folder }) => music.setFolder(folder),
    },
    announcements: { say: ({ deviceIds, text }) => announce(sessions, deviceIds, text) },
  } satisfies Pick<RpcFeatures, 'alarms' | 'notes' | 'calendar' | 'music' | 'announcements'>
}

/** Rejects iotta-no-session when no board could be told. */
function announce(sessions: Sessions, deviceIds: readonly string[], text: string) {
  const reached: string[] = []
  const missed: string[] = []
  for (const id of new Set(deviceIds)) {
    try {
      sessions.openTurn(id, { source: 'announcement', text })
      reached.push(id)
    } catch {
      // Away, or too much waits there already: it is among the missed.
      missed.push(id)
    }
  }
  if (reached.length === 0) throw new AppError('iotta-no-session', 'None of these boards has a session open')
  return { reached, missed }
}
