import { randomUUID } from 'node:crypto'
import { AppError } from '../../../base/app-error.ts'
import type { Clock } from '../../../base/clock.ts'
import { createLiveFeed, type LiveItems } from '../../../base/live-feed.ts'
import type { Log } from '../../../base/log.ts'
import type { Alarm } from '../../../contract/helper-tools.ts'
import type { HelperStore } from '../../store/helper-store.ts'
import { after, type AlarmEffect, inZone, lookAt, snoozed } from './alarm-machine.ts'
import { failedAction, missedText, ringText } from './alarm-words.ts'
import type { BuiltinPorts } from './builtin-tool.ts'

/** Never one long timer: a computer that slept, or whose clock was set, is noticed at the next look. */
const lookEveryMs = 500
const maxAlarms = 200
const keptMs = 7 * 86_400_000

export type NewAlarm = Pick<Alarm, 'kind' | 'deviceId' | 'label' | 'dueAt' | 'wall' | 'action' | 'language'>

/** Every alarm, timer, reminder and planned call; kept over restarts. */
export interface AlarmBook {
  /** Those that have something to do, the next first. */
  list(deviceId?: string): readonly Alarm[]
  /** Rejects helper-too-many, helper-in-the-past. */
  add(alarm: NewAlarm): Promise<Alarm>
  /** The same, for a moment that may have passed: it rings at once or is told as missed. */
  addLate(alarm: NewAlarm): Promise<Alarm>
  /** Rejects helper-not-found; all three. */
  cancel(id: string): Promise<void>
  snooze(id: string, minutes: number): Promise<void>
  dismiss(id: string): Promise<void>
  watch(signal: AbortSignal): LiveItems<Alarm[]>
  /** Something began or ended to ring on the device. */
  onRinging(listener: (deviceId: string) => void): void
  close(): void
}

export interface AlarmBookOptions {
  readonly store: Pick<HelperStore, 'alarms' | 'putAlarm' | 'pruneAlarms'>
  readonly clock: Clock
  readonly ports: Pick<BuiltinPorts, 'wall' | 'zone' | 'isPresent' | 'announce' | 'callTool'>
  readonly log: Log
}

export async function openAlarmBook(options: AlarmBookOptions): Promise<AlarmBook> {
  const { store, ports } = options
  const log = options.log.child('alarms')
  const shelf = createShelf(await store.alarms(), options)
  await store.pruneAlarms(ports.wall() - keptMs)
  const stop = startLooking(shelf, options, log)
  const { list, need, keep } = shelf

  async function add(alarm: NewAlarm): Promise<Alarm> {
    if (list().length >= maxAlarms) throw new AppError('helper-too-many', `There are ${maxAlarms} alarms already`)
    const started = { state: 'waiting', createdAt: ports.wall(), rungAt: null, snoozes: 0 } as const
    const made: Alarm = { ...alarm, ...started, id: randomUUID() }
    shelf.count(made)
    await keep(made)
    return made
  }
  return {
    list,
    async add(alarm) {
      if (alarm.dueAt <= ports.wall()) throw new AppError('helper-in-the-past', 'That moment has passed')
      return add(alarm)
    },
    addLate: add,
    cancel: async (id) => keep({ ...need(id), state: 'cancelled' }),
    async snooze(id, minutes) {
      const later = snoozed(need(id), ports.wall(), minutes)
      shelf.count(later)
      await keep(later)
    },
    dismiss: async (id) => keep(after(need(id), ports.wall())),
    watch: (signal) => shelf.feed.subscribe(signal, { snapshot: () => list(), key: () => 'all' }),
    onRinging: (listener) => void shelf.ringListeners.add(listener),
    close() {
      stop()
      shelf.feed.close()
    },
  }
}

type Shelf = ReturnType<typeof createShelf>

/** The alarms in memory, each change of which is in the store too. */
function createShelf(kept: readonly Alarm[], { store, clock, ports }: AlarmBookOptions) {
  const alarms = new Map(kept.map((alarm) => [alarm.id, alarm]))
  const feed = createLiveFeed<Alarm[]>()
  const ringListeners = new Set<(deviceId: string) => void>()
  const rings = new Map<string, number>()
  /** When a timer is over by a clock that nobody sets. */
  const counts = new Map<string, number>()
  const list = (deviceId?: string): Alarm[] =>
    [...alarms.values()]
      .filter((alarm) => deviceId === undefined || alarm.deviceId === deviceId)
      .sort((a, b) => a.dueAt - b.dueAt)
  function count(alarm: Alarm): void {
    const isCounted = alarm.wall === null || alarm.state === 'snoozed'
    if (isCounted) counts.set(alarm.id, clock.now() + (alarm.dueAt - ports.wall()))
  }
  for (const alarm of alarms.values()) count(alarm)
  return {
    list,
    count,
    feed,
    rings,
    ringListeners,
    isCounted: (id: string): boolean => clock.now() >= (counts.get(id) ?? Infinity),
    need: (id: string): Alarm => {
      const alarm = alarms.get(id)
      if (!alarm) throw new AppError('helper-not-found', `There is no alarm ${id}`)
      return alarm
    },
    keep: async (alarm: Alarm): Promise<void> => {
      const before = alarms.get(alarm.id)
      const isOver = alarm.state === 'done' || alarm.state === 'cancelled'
      if (isOver) alarms.delete(alarm.id)
      else alarms.set(alarm.id, alarm)
      if (alarm.state !== 'ringing') rings.delete(alarm.id)
      if (isOver || (alarm.state === 'waiting' && alarm.wall !== null)) counts.delete(alarm.id)
      if ((before?.state === 'ringing') !== (alarm.state === 'ringing'))
        ringListeners.forEach((listener) => listener(alarm.deviceId))
      feed.publish(list())
      await store.putAlarm(alarm)
    },
  }
}

/** Looks at every alarm again and again; the result ends it. */
function startLooking(shelf: Shelf, { clock, ports }: AlarmBookOptions, log: Log): () => void {
  let stopped = false
  function look(): void {
    const now = ports.wall()
    const zone = ports.zone()
    for (const alarm of shelf.list()) {
      const rings = shelf.rings.get(alarm.id) ?? 0
      const moment = { now, isPresent: ports.isPresent(alarm.deviceId), counted: shelf.isCounted(alarm.id), rings }
      const step = lookAt(inZone(alarm, zone, now), moment, randomUUID)
      for (const kept of step.alarms)
        if (kept !== alarm)
          void shelf.keep(kept).catch((error: unknown) => log.error('an alarm was not kept', { error }))
      for (const effect of step.effects) perform(effect, shelf, ports)
    }
  }
  function next(): void {
    clock.after(lookEveryMs, () => {
      if (stopped) return
      try {
        look()
      } catch (error) {
        log.error('looking at the alarms failed', { error })
      }
      next()
    })
  }
  next()
  return () => {
    stopped = true
  }
}

function perform(effect: AlarmEffect, shelf: Shelf, ports: AlarmBookOptions['ports']): void {
  const { alarm } = effect
  const at = { now: ports.wall(), zone: ports.zone() }
  const announced = { kind: alarm.kind, by: { kind: 'clock', name: '' } } as const
  const say = (text: string) => ports.announce(alarm.deviceId, text, announced) === 'told'
  switch (effect.do) {
    case 'ring':
      if (say(ringText(alarm, effect.lateMs, at))) shelf.rings.set(alarm.id, (shelf.rings.get(alarm.id) ?? 0) + 1)
      return
    case 'tell-missed':
      say(missedText(alarm, at))
      return
    case 'act':
      void act(alarm, ports).then((done) => done || say(failedAction(alarm)))
  }
}

/** Runs the planned call; what the host decides about it (consent, policies) holds then, not when it was planned. */
async function act(alarm: Alarm, ports: Pick<BuiltinPorts, 'callTool'>): Promise<boolean> {
  if (!alarm.action) return true
  const { tool, arguments: args } = alarm.action
  const call = await ports.callTool({
    deviceId: alarm.deviceId,
    name: tool,
    arguments: args,
    caller: { kind: 'clock', id: alarm.id },
  })
  return call.outcome === 'ok'
}
