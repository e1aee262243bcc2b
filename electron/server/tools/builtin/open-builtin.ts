import type { Clock } from '../../../base/clock.ts'
import { createDisposer } from '../../../base/disposer.ts'
import type { Log } from '../../../base/log.ts'
import type { Store } from '../../store/store.ts'
import { type AlarmBook, openAlarmBook } from './alarm-book.ts'
import { alarmTools } from './alarm-tools.ts'
import { almanacTools } from './almanac-tools.ts'
import { boardTools } from './board-tools.ts'
import { type BuiltinProvider, type BuiltinRegistry, createBuiltinProvider } from './builtin-provider.ts'
import type { BuiltinPorts } from './builtin-tool.ts'
import { type CalendarBook, openCalendarBook } from './calendar-book.ts'
import { remindOfEvents } from './calendar-reminders.ts'
import { calendarTools } from './calendar-tools.ts'
import { chanceTools } from './chance-tools.ts'
import { clockTools } from './clock-tools.ts'
import { computerTools } from './computer-tools.ts'
import { hushTool } from './hush-tool.ts'
import { createMusicPlayer, type MusicPlayer } from './music-player.ts'
import { musicTools } from './music-tools.ts'
import { type NoteBook, openNoteBook } from './note-book.ts'
import { noteTools } from './note-tools.ts'
import { reminderTools } from './reminder-tools.ts'
import { createSums } from './sum-thread.ts'
import { sumTools } from './sum-tools.ts'
import { timerTools } from './timer-tools.ts'

export interface Builtin {
  readonly provider: BuiltinProvider
  readonly alarms: AlarmBook
  readonly notes: NoteBook
  readonly calendar: CalendarBook
  readonly music: MusicPlayer
  close(): Promise<void>
}

export interface BuiltinOptions {
  readonly store: Pick<Store, 'helpers' | 'meta'>
  readonly registry: BuiltinRegistry
  readonly clock: Clock
  readonly ports: BuiltinPorts
  readonly log: Log
  /** Where a picture of the screen is put. */
  readonly picturesDir: string
}

/** The tools that the house brings itself, with what they keep. Nothing rings before it is opened. */
export async function openBuiltin(options: BuiltinOptions): Promise<Builtin> {
  const { store, registry, clock, ports, log } = options
  const disposer = createDisposer()
  const notes = await openNoteBook(store.helpers)
  const calendar = await openCalendarBook(store.helpers)
  const music = await createMusicPlayer({ ports, meta: store.meta, log })
  disposer.add(() => music.close())
  const alarms = await openAlarmBook({ store: store.helpers, clock, ports, log })
  disposer.add(() => alarms.close())
  const reminders = await remindOfEvents({ calendar, alarms, meta: store.meta, clock, ports, log })
  disposer.add(() => reminders.close())
  const ringing = (deviceId: string) => alarms.list(deviceId).filter(({ state }) => state === 'ringing')
  const sums = createSums({ clock })
  disposer.add(() => sums.close())
  const hush = hushTool({
    isSounding: (deviceId) => ringing(deviceId).length > 0 || music.playingOn(deviceId) !== undefined,
    async hush(deviceId) {
      for (const { id } of ringing(deviceId)) await alarms.dismiss(id)
      music.stop(deviceId)
    },
  })
  const tools = [
    ...clockTools(ports),
    ...timerTools(alarms, ports),
    ...alarmTools(alarms, ports),
    ...reminderTools(alarms, ports),
    ...calendarTools(calendar, ports),
    ...noteTools(notes, ports),
    ...sumTools(sums),
    ...almanacTools(ports),
    ...boardTools(ports),
    ...musicTools(music),
    ...chanceTools(notes, ports),
    ...computerTools({ picturesDir: options.picturesDir, wall: ports.wall }),
    hush,
  ]
  const provider = await createBuiltinProvider({ tools, registry, ports, log })
  alarms.onRinging((deviceId) => provider.changed(deviceId))
  music.onChange((deviceId) => provider.changed(deviceId))
  return { provider, alarms, notes, calendar, music, close: () => disposer.close() }
}
