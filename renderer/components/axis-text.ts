import { BYTE_UNITS } from './format.ts'

/** A unit of an axis: how much of the metric one of it is, and how a number of it is said. */
interface Unit {
  readonly size: number
  readonly name: string
}

/** What a value axis needs: the distances its ticks may have, ascending, and the words for a whole set of ticks. */
export interface Axis {
  readonly steps: readonly number[]
  /** Ticks that are `step` > 0 apart. All of them are said in one unit, with the same number of decimals. */
  label: (ticks: readonly number[], step: number) => string[]
}

const MOST_DIGITS = 6
const decimals = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => [1, 2, 5].map((part) => Number(`${part}e${from + index}`))).flat()

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
// A clock is not decimal: quarters and halves of a minute, an hour and a day are its round numbers.
const clockSteps = [
  ...[1, 2, 5, 10, 15, 30].map((part) => part * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((part) => part * MINUTE),
  ...[1, 2, 6, 12, 24, 48, 120, 240, 480, 960, 2_400, 4_800, 9_600].map((part) => part * HOUR),
]
const times: readonly Unit[] = [
  { size: 1, name: 'ms' },
  { size: SECOND, name: 's' },
  { size: MINUTE, name: 'minute' },
  { size: HOUR, name: 'hour' },
]
const bytes: readonly Unit[] = BYTE_UNITS.map((name, power) => ({ size: 2 ** (10 * power), name }))

/** As many decimals as tell two ticks apart that are `step` > 0 of the shown unit from each other, at most 6. */
export function digitsFor(step: number): number {
  if (!(step > 0) || !Number.isFinite(step)) return 0
  const digits = Math.max(0, Math.ceil(-Math.log10(step)))
  const scaled = step * 10 ** digits
  // Steps such as 0.25 need one more than their size says.
  return Math.min(MOST_DIGITS, Math.abs(scaled - Math.round(scaled)) < 1e-6 ? digits : digits + 1)
}

const isRound = (step: number) => Math.abs(step * 100 - Math.round(step * 100)) < 1e-6

/** The largest unit that the largest tick fills and in which the step is round: 4,224 KiB rather than 4.125 MiB. */
function unitFor(units: readonly Unit[], largest: number, step: number): Unit {
  const fitting = units.findLast(({ size }) => largest >= size && isRound(step / size))
  return fitting ?? units[0] ?? { size: 1, name: '' }
}

function said(value: number, digits: number, { name, locale }: { name: string; locale: string }): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  if (name === 'minute' || name === 'hour')
    return new Intl.NumberFormat(locale, { ...options, style: 'unit', unit: name, unitDisplay: 'narrow' }).format(value)
  return `${new Intl.NumberFormat(locale, options).format(value)} ${name}`.trim()
}

const axisOf = (steps: readonly number[], units: readonly Unit[], locale: string): Axis => ({
  steps,
  label(ticks, step) {
    const unit = unitFor(units, Math.max(...ticks.map(Math.abs)), step)
    const digits = digitsFor(step / unit.size)
    return ticks.map((tick) => said(tick / unit.size, digits, { name: unit.name, locale }))
  },
})

/** Values in ms. */
export const durationAxis = (locale: string): Axis => axisOf([...decimals(-3, 2), ...clockSteps], times, locale)

/** Values in seconds. */
export const secondsAxis = (locale: string): Axis =>
  axisOf(
    [...decimals(-3, -1), ...clockSteps.map((step) => step / SECOND)],
    times.slice(1).map(({ size, name }) => ({ size: size / SECOND, name })),
    locale,
  )

/** Values in bytes; the ticks are powers of two apart, so that they are round in KiB and MiB. */
export const bytesAxis = (locale: string): Axis =>
  axisOf(
    Array.from({ length: 51 }, (_, power) => 2 ** power),
    bytes,
    locale,
  )

/** Values in `unit`. `counted`: things, of which there is no half. */
export const numberAxis = (unit: string, locale: string, counted = false): Axis =>
  axisOf(decimals(counted ? 0 : -MOST_DIGITS, 15), [{ size: 1, name: unit }], locale)
