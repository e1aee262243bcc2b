import type { Series } from '../../electron/contract/telemetry.ts'
import { percentile } from './percentile.ts'

/** One drawn time: the middle of the fleet and its two ends. Null is a gap: nobody reported then. */
export interface FleetBand {
  readonly times: readonly number[]
  readonly p5: readonly (number | null)[]
  readonly p50: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
}

/** Sets a series on an even time grid, so that boards can be compared and gaps stay gaps. */
export function onGrid(
  series: Series,
  grid: { readonly from: number; readonly to: number; readonly columns: number },
): readonly (number | null)[] {
  const step = (grid.to - grid.from) / grid.columns
  const values = Array.from({ length: grid.columns }, (): number | null => null)
  for (const column of series.columns) {
    const index = Math.floor((column.at - grid.from) / step)
    if (index >= 0 && index < grid.columns) values[index] = column.mean
  }
  return values
}

export function fleetBand(
  all: readonly Series[],
  grid: { readonly from: number; readonly to: number; readonly columns: number },
): FleetBand {
  const step = (grid.to - grid.from) / grid.columns
  const rows = all.map((series) => onGrid(series, grid))
  const at = (rank: number) =>
    Array.from({ length: grid.columns }, (_, index) =>
      percentile(
        rows.map((row) => row[index] ?? null),
        rank,
      ),
    )
  return {
    times: Array.from({ length: grid.columns }, (_, index) => grid.from + (index + 0.5) * step),
    p5: at(5),
    p50: at(50),
    p95: at(95),
  }
}

/** The last value of a board and its extremes; spikes survive because columns keep their own. */
export function summaryOf(
  series: Series,
): { readonly latest: number; readonly min: number; readonly max: number } | null {
  const latest = series.columns.at(-1)
  if (!latest) return null
  return {
    latest: latest.mean,
    min: Math.min(...series.columns.map((column) => column.min)),
    max: Math.max(...series.columns.map((column) => column.max)),
  }
}
