import { type ParseArgsConfig, parseArgs } from 'node:util'
import { AppError } from '../base/app-error.ts'

/** node:util parseArgs, strict; what it refuses becomes wrong usage (exit 2). */
export function readOptions<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config)
  } catch (cause) {
    throw new AppError('server-bad-usage', cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** A whole number in [min, max], or the fallback when the option is absent. */
export function wholeNumber(
  name: string,
  text: string | undefined,
  limits: { min: number; max: number; fallback: number },
): number {
  if (text === undefined) return limits.fallback
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= limits.min && value <= limits.max)) {
    throw new AppError(
      'server-bad-usage',
      `--${name} takes a whole number from ${limits.min} to ${limits.max}, not "${text}"`,
    )
  }
  return value
}
