export type Figures = Record<string, number | string>

/** The value that so many hundredths of all values do not exceed; NaN of none. */
export function percentile(values: readonly number[], hundredths: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * hundredths) / 100) - 1)] ?? NaN
}

export const median = (values: readonly number[]): number => percentile(values, 50)

export function round(value: number, digits = 1): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}

/** A figure, the most that it may be, and whether it is. What was not measured does not meet anything. */
export function budgeted(name: string, value: number, budget: number): Figures {
  if (!Number.isFinite(value)) return { [name]: 'not measured', [`${name}_budget`]: budget, [`${name}_meets`]: 'no' }
  return { [name]: round(value, 2), [`${name}_budget`]: budget, [`${name}_meets`]: value <= budget ? 'yes' : 'no' }
}
