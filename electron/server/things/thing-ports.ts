import { AppError } from '../../base/app-error.ts'
import type { ThingMember } from '../../contract/thing-engine.ts'
import { valueFromText } from '../../contract/thing-engine.ts'

export interface HomeCall {
  readonly deviceId: string
  /** The tool's name: what the board or the microcontroller knows it by. */
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly turnId: string | null
}

/** A home outside of the server. Calls reject tool-… codes. */
export interface ThingHomePort {
  reaches(deviceId: string): boolean
  /** The far end's own result object. */
  call(call: HomeCall): Promise<Readonly<Record<string, unknown>>>
}

export interface ThingPorts {
  readonly board: ThingHomePort
  readonly uart: ThingHomePort
  /** Says it on the board; false: nobody can hear it there now. */
  announce(deviceId: string, text: { readonly en: string; readonly zh: string }): Promise<boolean>
}

/**
 * One shape whoever answered (thing-engine.ts): `{value}` of a get, `{status: 'ok'}` of all else. A board may name the
 * value as the property or as it likes when it is the only one; a microcontroller sends it as text.
 */
export function homeAnswer(
  member: ThingMember,
  raw: Readonly<Record<string, unknown>>,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { property } = member
  if (member.kind !== 'get' || !property) {
    const told = raw['status'] ?? raw['value'] ?? raw['text']
    // A microcontroller's "false" to a command is a failure, or that it is off now (uart-mcp.md §2).
    const isOff = property !== null && args[property.name] === false
    if (!isOff && (told === false || told === 'false')) throw new AppError('tool-failed', 'The device refused the call')
    return { status: 'ok' }
  }
  const own = Object.entries(raw).filter(([name]) => name !== 'status')
  const found = raw['value'] ?? raw[property.name] ?? (own.length === 1 ? own[0]?.[1] : undefined) ?? raw['status']
  const value = typeof found === 'string' ? valueFromText(property, found) : found
  if (value === undefined) throw new AppError('tool-bad-result', `The device did not tell ${property.name}`)
  return { value }
}
