import type { AppError } from '../../base/app-error.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import type { ToolOutcome } from '../../contract/tool.ts'

const refusals: readonly ErrorCode[] = [
  'tool-unknown',
  'tool-withheld',
  'tool-bad-arguments',
  'tool-too-many',
  'tool-needs-consent',
  'tool-people-only',
]

/** `refused`: nothing was sent, and by our decision. */
export function outcomeOf(code: AppError['code']): Exclude<ToolOutcome, 'ok'> {
  if (code === 'tool-timeout') return 'timeout'
  if (code === 'tool-cancelled') return 'cancelled'
  return refusals.includes(code) ? 'refused' : 'failed'
}

/** What of a result goes on: more would fill a model's context (reliability.md C 45). */
export const maxResultBytes = 8 * 1024

/** The result itself, or its beginning as text with its full size. */
export function cappedResult(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(value)
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxResultBytes) return value
  // Room for the wrapping, and for what JSON escapes once more.
  let kept = Buffer.from(text).subarray(0, maxResultBytes).toString('utf8')
  while (Buffer.byteLength(JSON.stringify(kept)) > maxResultBytes - 100) kept = kept.slice(0, -256)
  return { truncated: true, bytes, text: kept }
}
