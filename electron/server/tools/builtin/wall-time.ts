import { Temporal } from 'temporal-polyfill'
import { AppError } from '../../../base/app-error.ts'

// The door to Temporal: wall times, zones and what clock changes do to them. Instants are ms since epoch.

/** The zone of this computer, as it is now: a laptop travels. */
export function systemZone(): string {
  return Temporal.Now.timeZoneId()
}

function zoned(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.round(at)).toZonedDateTimeISO(zone)
}

/**
 * The instant of a wall time `2026-03-29T02:30` in a zone. A time that the clocks jump over is the one an hour later;
 * of a time that comes twice it is the first. Throws tool-bad-arguments for what is none.
 */
export function instantOf(wall: string, zone: string): number {
  try {
    return Temporal.PlainDateTime.from(wall).toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds
  } catch (cause) {
    throw new AppError('tool-bad-arguments', `"${wall.slice(0, 40)}" is no date and time`, { cause })
  }
}

/** Midnight that begins the day of an instant, in the zone, and that of the day after `days`. */
export function dayStart(at: number, zone: string, days = 0): number {
  return zoned(at, zone).toPlainDate().add({ days }).toZonedDateTime(zone).epochMilliseconds
}

export interface WallParts {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  /** ISO: Monday is 1. */
  readonly weekday: number
  /** `2026-12-01`, `07:05`. */
  readonly date: string
  readonly time: string
}

export function wallParts(at: number, zone: string): WallParts {
  const { year, month, day, hour, minute, dayOfWeek } = zoned(at, zone)
  const two = (value: number) => String(value).padStart(2, '0')
  const date = zoned(at, zone).toPlainDate().toString()
  return { year, month, day, hour, minute, weekday: dayOfWeek, date, time: `${two(hour)}:${two(minute)}` }
}

/** The next instant after `after` when the clock of the zone shows `time` on one of the ISO weekdays; empty = any day. */
export function nextAt(time: string, on: readonly number[], { after, zone }: { after: number; zone: string }): number {
  const first = zoned(after, zone).toPlainDate()
  for (let ahead = 0; ahead <= 8; ahead++) {
    const date = first.add({ days: ahead })
    if (on.length > 0 && !on.includes(date.dayOfWeek)) continue
    const at = instantOf(`${date.toString()}T${time}`, zone)
    if (at > after) return at
  }
  throw new AppError('tool-bad-arguments', `There is no next ${time}`)
}

/** The same wall time in another zone: seven stays seven for a computer that travelled. */
export function moveToZone(at: number, from: string, to: string): number {
  return instantOf(zoned(at, from).toPlainDateTime().toString(), to)
}

/** Whole seconds of an ISO 8601 duration up to a year. Throws tool-bad-arguments. */
export function durationMs(iso: string): number {
  try {
    const ms = Temporal.Duration.from(iso).total({ unit: 'milliseconds', relativeTo: '2000-01-01' })
    if (ms >= 1_000 && ms <= 366 * 86_400_000) return Math.round(ms)
  } catch (cause) {
    throw new AppError('tool-bad-arguments', `"${iso.slice(0, 40)}" is no length of time`, { cause })
  }
  throw new AppError('tool-bad-arguments', `"${iso.slice(0, 40)}" is not between a second and a year`)
}
