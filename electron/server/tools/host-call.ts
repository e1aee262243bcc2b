import { AppError, toAppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Caller } from '../../contract/tool-registry.ts'
import { draftToolVersions, type ToolCall, toolRef, type ToolVersion } from '../../contract/tool.ts'
import type { Consents } from './consents.ts'
import type { ListedTool } from './host-list.ts'
import type { SchemaChecker } from './json-schema.ts'
import type { LoopBrake } from './loop-brake.ts'
import { cappedResult, outcomeOf } from './tool-outcome.ts'
import type { ToolRegistry } from './tool-registry.ts'
import { openRules, type ToolRules } from './tool-rules.ts'

export interface CallRequest {
  readonly deviceId: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly caller: Caller
  /** The version a turn offered, or a draft that a person tries; else the one that is for this device. */
  readonly tool?: ToolVersion | undefined
  readonly signal?: AbortSignal | undefined
  /** Everything is checked, nothing is sent. */
  readonly dryRun?: boolean | undefined
}

/** No call waits longer, whatever its tool says (reliability.md C 38). */
const longestMs = 60_000

interface CallParts {
  readonly registry: ToolRegistry
  readonly checker: SchemaChecker
  readonly clock: Clock
  readonly log: Log
  readonly rules?: ToolRules
  readonly brake: LoopBrake
  readonly consents: Consents
  /** The yes that this call was given. */
  readonly consentId: string | undefined
  readonly listed: (deviceId: string) => Promise<ListedTool[]>
}

type Made = Omit<ToolCall, 'arguments' | 'startedAt' | 'endedAt'>

/** One call from check to check. Never rejects. */
export async function runCall(request: CallRequest, parts: CallParts): Promise<Made> {
  let ref = request.tool ? refOf(request.tool) : request.name
  try {
    const { provider, tool, reachable } = await find(request, parts)
    ref = refOf(tool)
    const bad = parts.checker.fault(tool.arguments, request.arguments)
    if (bad) throw new AppError('tool-bad-arguments', `${bad.path || 'arguments'} ${bad.message}`)
    if (request.dryRun) return { ref, outcome: 'ok' }
    if (!reachable) throw new AppError('tool-unreachable', 'What has this tool is not connected; nothing was sent')
    const consentId = needsYes(tool, request, parts) ? parts.consents.ask({ ...request, tool }).id : undefined
    if (consentId) return { ref, ...needsConsent, consentId }
    const value = await withinDeadline(
      { clock: parts.clock, ms: Math.min(tool.timeoutMs, longestMs), signal: request.signal },
      (signal, timeoutMs) =>
        provider.call({
          deviceId: request.deviceId,
          tool,
          arguments: request.arguments,
          signal,
          timeoutMs,
          turnId: request.caller.kind === 'turn' ? request.caller.id : null,
          caller: request.caller,
        }),
    )
    const worse = tool.result ? parts.checker.fault(tool.result, value) : undefined
    if (worse) throw new AppError('tool-bad-result', `${worse.path || 'result'} ${worse.message}`)
    return { ref, outcome: 'ok', result: cappedResult(value), ...consentOf(parts) }
  } catch (error) {
    const { code, message } = toAppError(error)
    if (code === 'server-internal') parts.log.warn('a source of tools broke in a call', { ref, error })
    return { ref, outcome: outcomeOf(code), errorCode: code, errorMessage: message, ...consentOf(parts) }
  }
}

/** A draft has no number yet: the one that it may get would be taken for a published version. */
function refOf(tool: ToolVersion): string {
  if (tool.status !== 'draft' || tool.version > draftToolVersions) return toolRef(tool)
  return toolRef({ name: tool.name, version: draftToolVersions + tool.version })
}

const needsConsent = {
  outcome: 'refused',
  errorCode: 'tool-needs-consent',
  errorMessage: 'A person must say yes; nothing was sent',
} as const

function consentOf({ consentId }: CallParts): { consentId?: string } {
  return consentId === undefined ? {} : { consentId }
}

/** `destructive` is never reached by the words of a model alone (reliability.md C 43); a person's own click is a yes. */
function needsYes(tool: ToolVersion, { caller }: CallRequest, { consentId }: CallParts): boolean {
  return tool.danger === 'destructive' && consentId === undefined && !isByHand(caller)
}

function isByHand(caller: Caller): boolean {
  return caller.kind === 'person' || caller.kind === 'test'
}

interface Found {
  readonly provider: ListedTool['provider']
  readonly tool: ToolVersion
  readonly reachable: boolean
}

/** What the request may reach. Throws tool-unknown, tool-withheld, tool-people-only, tool-too-many. */
async function find(request: CallRequest, parts: CallParts): Promise<Found> {
  const { deviceId, name, caller } = request
  const tooMany = parts.consentId === undefined ? parts.brake.count(deviceId, caller) : undefined
  if (tooMany) throw new AppError('tool-too-many', tooMany)
  const found = (await parts.listed(deviceId)).find(({ row }) => row.name === name && row.withheld !== 'name-taken')
  const tool = versionOf(request, found?.row.tool ?? null, parts.registry)
  if (!found || !tool) throw new AppError('tool-unknown', `The device offers no published tool "${name}"`)
  const { withheld, reachable } = found.row
  if (withheld === 'disabled') throw new AppError('tool-withheld', `"${name}" is switched off`)
  if (!isByHand(caller)) checkRules(caller, { name, withheld, rules: parts.rules })
  return { provider: found.provider, tool, reachable }
}

function checkRules(
  caller: Caller,
  { name, withheld, rules = openRules }: { name: string; withheld: string | null; rules: ToolRules | undefined },
): void {
  if (withheld === 'people') throw new AppError('tool-people-only', `"${name}" is for people alone`)
  if (withheld !== null) throw new AppError('tool-withheld', `The rules of the ${withheld} leave "${name}" out`)
  if (caller.kind === 'client' && !rules.clientMay(caller.id, name)) {
    throw new AppError('tool-withheld', `"${name}" is not on the list of this client`)
  }
}

/** A version that was offered is taken from the registry again: nobody makes one up. Only people try drafts. */
function versionOf(request: CallRequest, current: ToolVersion | null, registry: ToolRegistry): ToolVersion | undefined {
  const { tool, caller } = request
  if (tool && isByHand(caller) && tool.name === request.name) return tool
  if (tool && tool.version !== current?.version) {
    return registry.shelf.published(request.name).find(({ version }) => version === tool.version)
  }
  return current && current.status !== 'draft' ? current : undefined
}

/** The signal aborts at the deadline too, so that the far end is told; the caller never waits longer. */
async function withinDeadline<T>(
  { clock, ms, signal }: { clock: Clock; ms: number; signal: AbortSignal | undefined },
  work: (signal: AbortSignal, timeoutMs: number) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const over = Promise.withResolvers<never>()
  const end = (error: AppError) => {
    over.reject(error)
    ending.abort(error)
  }
  const cancel = () => end(new AppError('tool-cancelled', 'The call was cancelled'))
  if (signal?.aborted) throw new AppError('tool-cancelled', 'The call was cancelled before it was sent')
  signal?.addEventListener('abort', cancel)
  const stopTimer = clock.after(ms, () => end(new AppError('tool-timeout', `There was no answer within ${ms} ms`)))
  try {
    const running = work(ending.signal, ms)
    // One that loses the race may still reject: nobody waits for it any more.
    running.catch(() => undefined)
    return await Promise.race([running, over.promise])
  } finally {
    stopTimer()
    signal?.removeEventListener('abort', cancel)
  }
}
