import type { Alarm } from '../../../contract/helper-tools.ts'
import { moveToZone, nextAt } from './wall-time.ts'

// waiting ──due, board there──▶ ringing ──told often enough, dismissed──▶ done (a repeated one: waiting again)
//    ▲  │                         │ snooze
//    │  └─due too long ago─▶ missed ──told──▶ done          snoozed ──due──▶ ringing

/** Rung late by no more than this, it still rings; later it is told as missed. A board may need a minute to be back. */
export const ringWithinMs = 10 * 60_000
/** How often and how far apart it is spoken, until somebody answers. */
export const ringTimes = 3
export const ringEveryMs = 20_000

export interface Moment {
  /** Of the computer's clock. */
  readonly now: number
  readonly isPresent: boolean
  /** A timer's own count says that it is over, whatever was done to the clock. */
  readonly counted: boolean
  /** How often it has been spoken since it rings. */
  readonly rings: number
}

export type AlarmEffect =
  | { readonly do: 'ring'; readonly alarm: Alarm; readonly lateMs: number }
  | { readonly do: 'act'; readonly alarm: Alarm }
  | { readonly do: 'tell-missed'; readonly alarm: Alarm }

/** What is kept now (a repeated alarm that was missed is two) and what is to be done. */
export interface AlarmStep {
  readonly alarms: readonly Alarm[]
  readonly effects: readonly AlarmEffect[]
}

const nothing = (alarm: Alarm): AlarmStep => ({ alarms: [alarm], effects: [] })

/** One look at an alarm. `newId` is used where one becomes two. Pure. */
export function lookAt(alarm: Alarm, moment: Moment, newId: () => string): AlarmStep {
  switch (alarm.state) {
    case 'waiting':
    case 'snoozed':
      return waiting(alarm, moment, newId)
    case 'ringing':
      return ringing(alarm, moment)
    case 'missed':
      return moment.isPresent
        ? { alarms: [{ ...alarm, state: 'done' }], effects: [{ do: 'tell-missed', alarm }] }
        : nothing(alarm)
    case 'done':
    case 'cancelled':
      return nothing(alarm)
  }
}

function waiting(alarm: Alarm, { now, isPresent, counted }: Moment, newId: () => string): AlarmStep {
  const lateMs = now - alarm.dueAt
  if (lateMs < 0 && !counted) return nothing(alarm)
  if (lateMs > ringWithinMs) return missed(alarm, now, newId)
  // An action needs no ears, but it must not come as a surprise: late it is only told.
  if (alarm.kind === 'action')
    return { alarms: [{ ...alarm, state: 'done', rungAt: now }], effects: [{ do: 'act', alarm }] }
  if (!isPresent) return nothing(alarm)
  const rung: Alarm = { ...alarm, state: 'ringing', rungAt: now }
  if (alarm.kind === 'reminder') return { alarms: [after(rung, now)], effects: [{ do: 'ring', alarm: rung, lateMs }] }
  return { alarms: [rung], effects: [{ do: 'ring', alarm: rung, lateMs }] }
}

function missed(alarm: Alarm, now: number, newId: () => string): AlarmStep {
  const next = after(alarm, now)
  const lost: Alarm = { ...alarm, state: 'missed' }
  // The repeated one goes on, and what was missed is told by itself.
  return { alarms: next.state === 'waiting' ? [next, { ...lost, id: newId(), wall: null }] : [lost], effects: [] }
}

function ringing(alarm: Alarm, { now, isPresent, rings }: Moment): AlarmStep {
  const since = now - (alarm.rungAt ?? now)
  // A clock that was set back must not let it ring for an hour.
  if (since >= ringTimes * ringEveryMs || since < -ringEveryMs) return { alarms: [after(alarm, now)], effects: [] }
  const isTime = Math.floor(since / ringEveryMs) >= rings
  return isTime && isPresent ? { alarms: [alarm], effects: [{ do: 'ring', alarm, lateMs: 0 }] } : nothing(alarm)
}

/** What becomes of an alarm that has rung or was dismissed: over, or waiting for its next day. */
export function after(alarm: Alarm, now: number): Alarm {
  if (!alarm.wall || alarm.wall.on.length === 0) return { ...alarm, state: 'done' }
  const { time, zone, on } = alarm.wall
  return { ...alarm, state: 'waiting', snoozes: 0, dueAt: nextAt(time, on, { after: now, zone }) }
}

export function snoozed(alarm: Alarm, now: number, minutes: number): Alarm {
  return { ...alarm, state: 'snoozed', dueAt: now + minutes * 60_000, snoozes: alarm.snoozes + 1 }
}

/** The computer is in another zone now: seven stays seven. A snoozed or counted one keeps its instant. */
export function inZone(alarm: Alarm, zone: string, now: number): Alarm {
  if (!alarm.wall || alarm.wall.zone === zone || alarm.state !== 'waiting') return alarm
  const wall = { ...alarm.wall, zone }
  const moved = moveToZone(alarm.dueAt, alarm.wall.zone, zone)
  // Of a repeated one the next, of a single one that day's: it may be just over, and rings then.
  const dueAt = wall.on.length > 0 ? nextAt(wall.time, wall.on, { after: now, zone }) : moved
  return { ...alarm, wall, dueAt }
}
