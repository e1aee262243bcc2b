import { BYTE_UNITS } from './format.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** As many decimals as tell two ticks apart that are `step` > 0 of the shown unit from each other, at most 6. */
export function digitsFor(step: number): number {
  if (!(step > 0) || !Number.isFinite(step)) return 0
  const digits = Math.max(0, Math.ceil(-Math.log10(step)))
  const scaled = step * 10 ** digits
  // Steps such as 0.25 need one more than their size says.
  return Math.min(6, Math.abs(scaled - Math.round(scaled)) < 1e-6 ? digits : digits + 1)
}

/** How an axis says a value: the unit goes by the value, the decimals by the distance of the ticks. */
export interface Tick {
  readonly value: number
  readonly step: number
  readonly locale: string
}

const decimal = ({ value, step, locale }: Tick) =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: digitsFor(step) }).format(value)
const per = (tick: Tick, size: number) => decimal({ ...tick, value: tick.value / size, step: tick.step / size })

export const axisNumber = decimal

/** `value` and `step` in ms. */
export function axisDuration(tick: Tick): string {
  if (Math.abs(tick.value) < 1_000) return `${decimal(tick)} ms`
  if (Math.abs(tick.value) < MINUTE) return `${per(tick, 1_000)} s`
  if (Math.abs(tick.value) < HOUR) return `${per(tick, MINUTE)} min`
  return `${per(tick, HOUR)} h`
}

export function axisBytes(tick: Tick): string {
  const size = Math.abs(tick.value)
  const power = size < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(size) / 10))
  return `${per(tick, 2 ** (10 * power))} ${BYTE_UNITS[power] ?? 'B'}`
}
