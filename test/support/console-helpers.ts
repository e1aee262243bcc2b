import { AppError } from '../../electron/base/app-error.ts'
import { createLiveFeed } from '../../electron/base/live-feed.ts'
import type { Alarm, CalendarEvent, MusicState, NoteList } from '../../electron/contract/helper-tools.ts'
import type { RpcFeatures } from '../../electron/server/rpc/handlers.ts'
import type { WorldName } from './console-world.ts'

// Test support: alarms, lists, calendar and music as the scripted server of the console tests keeps them.

export interface HelperKnobs {
  ring(id: string): void
  alarms(): readonly Alarm[]
  lists(): readonly NoteList[]
  events(): readonly CalendarEvent[]
}

const done = { ok: true } as const
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const alarmOf = (over: Partial<Alarm>): Alarm => ({
  id: 'alarm-1',
  kind: 'alarm',
  deviceId: 'virtual-1',
  label: '',
  dueAt: Date.now() + HOUR,
  wall: null,
  state: 'waiting',
  action: null,
  language: 'en',
  createdAt: Date.now() - HOUR,
  rungAt: null,
  snoozes: 0,
  ...over,
})

function someAlarms(): Alarm[] {
  const zone = 'Asia/Shanghai'
  return [
    alarmOf({ id: 'tea', kind: 'timer', label: 'Tea', dueAt: Date.now() + 4 * MINUTE }),
    alarmOf({ id: 'up', label: '起床', wall: { time: '07:00', zone, on: [1, 2, 3, 4, 5] } }),
    alarmOf({
      id: 'water',
      kind: 'reminder',
      label: '浇花',
      state: 'ringing',
      dueAt: Date.now() - 20_000,
      wall: { time: '18:30', zone, on: [] },
    }),
    alarmOf({
      id: 'fan',
      kind: 'action',
      label: 'Fan off',
      dueAt: Date.now() + 25 * MINUTE,
      action: { tool: 'set_power', arguments: { power: false } },
    }),
    alarmOf({
      id: 'old',
      kind: 'reminder',
      label: 'Call Mina',
      state: 'missed',
      dueAt: Date.now() - 5 * HOUR,
      wall: { time: '09:00', zone, on: [] },
    }),
  ]
}

const item = (text: string, ticked = false) => ({ id: text, text, done: ticked, at: Date.now() })
const someLists = (): NoteList[] => [
  { id: 'shopping', name: 'Shopping', items: [item('Milk'), item('苹果'), item('Batteries AA', true)] },
  { id: 'class', name: '班级', items: [item('充电'), item('Bring the blue cable')] },
]

const eventOf = (over: Partial<CalendarEvent>): CalendarEvent => ({
  id: 'event-1',
  title: 'Lesson',
  start: Date.now() + HOUR,
  end: Date.now() + 2 * HOUR,
  allDay: false,
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  category: 'School',
  note: '',
  repeat: '',
  remindMinutes: 15,
  deviceId: null,
  ...over,
})
const day = (offset: number, hour: number) =>
  new Date(new Date().setHours(hour, 0, 0, 0) + offset * 24 * HOUR).getTime()
const someEvents = (): CalendarEvent[] => [
  eventOf({ id: 'physics', title: 'Physics 3B', start: day(0, 23), end: null, repeat: 'FREQ=WEEKLY' }),
  eventOf({ id: 'fair', title: '科技节', start: day(2, 0), end: null, allDay: true, category: '' }),
  eventOf({ id: 'parents', title: 'Parents’ evening', start: day(3, 18), end: day(3, 20) }),
]

export function createHelperScript(world: WorldName) {
  const feed = createLiveFeed<Alarm[]>()
  let alarms = world === 'empty' ? [] : someAlarms()
  let lists = world === 'empty' ? [] : someLists()
  let events = world === 'empty' ? [] : someEvents()
  let music: MusicState = { folder: null, tracks: 0, playing: [] }
  if (world === 'busy')
    music = {
      folder: '/srv/music',
      tracks: 214,
      playing: [{ deviceId: 'virtual-1', track: '茉莉花', artist: 'Choir', at: Date.now(), paused: false }],
    }
  const broken = () => {
    if (world === 'failed') throw new AppError('server-internal', 'The store did not answer')
  }
  function change(id: string, part: Partial<Alarm>) {
    broken()
    alarms = alarms.map((alarm) => (alarm.id === id ? { ...alarm, ...part } : alarm))
    feed.publish(alarms)
    return done
  }

  const features: Pick<RpcFeatures, 'alarms' | 'notes' | 'calendar' | 'music' | 'announcements'> = {
    alarms: {
      watch: (_input, { signal }) => feed.subscribe(signal, { snapshot: () => alarms }),
      add(order) {
        broken()
        const made = alarmOf({ ...order, id: `alarm-${alarms.length + 1}` })
        alarms = [...alarms, made]
        feed.publish(alarms)
        return made
      },
      cancel: ({ id }) => change(id, { state: 'cancelled' }),
      snooze: ({ id, minutes }) => change(id, { state: 'snoozed', dueAt: Date.now() + minutes * MINUTE, snoozes: 1 }),
      dismiss: ({ id }) => change(id, { state: 'done' }),
    },
    notes: {
      lists: () => (broken(), lists),
      put(list) {
        lists = lists.some(({ id }) => id === list.id)
          ? lists.map((one) => (one.id === list.id ? list : one))
          : [...lists, list]
        return done
      },
      remove({ id }) {
        lists = lists.filter((list) => list.id !== id)
        return done
      },
    },
    calendar: {
      between: ({ from, to }) => (broken(), events.filter(({ start }) => start >= from && start < to)),
      put(event) {
        events = [...events.filter(({ id }) => id !== event.id), event]
        return done
      },
      remove({ id }) {
        events = events.filter((event) => event.id !== id)
        return done
      },
      readIcs({ text }) {
        const added = text.split('BEGIN:VEVENT').length - 1
        if (added === 0) throw new AppError('server-bad-request', 'Not a calendar file')
        return { added, skipped: 1 }
      },
      writeIcs: () => ({ text: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n' }),
    },
    music: {
      state: () => (broken(), music),
      setFolder({ folder }) {
        if (folder === '/nowhere') throw new AppError('server-not-found', 'No folder /nowhere')
        music = { ...music, folder, tracks: folder === null ? 0 : 12 }
        return music
      },
    },
    announcements: {
      say: ({ deviceIds }) => ({
        reached: deviceIds.slice(0, 1),
        missed: deviceIds.slice(1).map((deviceId) => ({ deviceId, code: 'iotta-no-session' })),
      }),
    },
  }
  const knobs: HelperKnobs = {
    ring: (id) => change(id, { state: 'ringing' }),
    alarms: () => alarms,
    lists: () => lists,
    events: () => events,
  }
  return { features, knobs, close: () => feed.close() }
}
