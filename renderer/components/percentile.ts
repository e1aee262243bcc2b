/** Nearest-rank percentile (0–100) of what is known; null without any value, because "no measurement" is not 0. */
export function percentile(values: readonly (number | null)[], rank: number): number | null {
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as number[]
  if (known.length === 0) return null
  known.sort((left, right) => left - right)
  const index = Math.ceil((Math.min(100, Math.max(0, rank)) / 100) * known.length) - 1
  return known[Math.max(0, index)] ?? null
}
