import { AppError, toAppError } from '../base/app-error.ts'
import { longestAnnouncement } from '../contract/helper-tools.ts'
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

const byPerson = { kind: 'announcement', by: { kind: 'person', name: '' } } as const

/** Rejects helper-too-long; when no board could be told, with the reason of the first. */
function announce(sessions: Sessions, deviceIds: readonly string[], text: string) {
  if (text.length > longestAnnouncement)
    throw new AppError('helper-too-long', `${text.length} characters; ${longestAnnouncement} at most are spoken`)
  const reached: string[] = []
  const missed: { deviceId: string; code: string }[] = []
  for (const deviceId of new Set(deviceIds)) {
    try {
      sessions.openTurn(deviceId, { source: 'announcement', text, announced: byPerson })
      reached.push(deviceId)
    } catch (error) {
      missed.push({ deviceId, code: toAppError(error).code })
    }
  }
  if (reached.length === 0) {
    const isBusy = missed.every(({ code }) => code === 'iotta-busy')
    if (isBusy) throw new AppError('iotta-busy', 'Too much waits on each of these boards already')
    throw new AppError('iotta-no-session', 'None of these boards has a session open')
  }
  return { reached, missed }
}
