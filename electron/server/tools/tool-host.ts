import { type AppError, toAppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { ToolAudit } from '../../contract/tool-registry.ts'
import { type DeviceTool, type ToolCall, type ToolVersion } from '../../contract/tool.ts'
import { withoutBoardWords } from './board-words.ts'
import { type Consents, createConsents } from './consents.ts'
import { type CallRequest, runCall } from './host-call.ts'
import { listTools, type ListedTool } from './host-list.ts'
import type { SchemaChecker } from './json-schema.ts'
import { createLoopBrake } from './loop-brake.ts'
import { outcomeOf } from './tool-outcome.ts'
import type { ToolProvider } from './tool-provider.ts'
import { isReviewed, type ToolRegistry } from './tool-registry.ts'
import { openRules, type ToolRules } from './tool-rules.ts'

export type { CallRequest }

/** One host, many sources: whatever is called goes through here (issue "Tools and Things"). */
export interface ToolHost {
  /** Joins a source. On one device a name is the first one's of: board, Thing, UART, built-in, MCP. */
  register(provider: ToolProvider): void
  /** All that the device offers, reachable or not, withheld ones too. */
  list(deviceId: string): Promise<DeviceTool[]>
  /** What a turn may offer: published, for this device, nothing withheld; boards' own words left out. */
  vocabulary(deviceId: string): Promise<ToolVersion[]>
  /** What a rule leaves out there, is switched off or is for people alone: a voice that calls it is refused. */
  withheld(deviceId: string): Promise<ToolVersion[]>
  /**
   * Validates, asks for consent, sends, validates, records. Never rejects: whatever happens is the outcome. A
   * destructive call of anybody but a person waits for a yes (tool-needs-consent with `consentId`) and is not sent.
   */
  callTool(request: CallRequest): Promise<ToolCall>
  readonly consents: Consents
  /** The list or the reachability of a device changed; `undefined`: of every device. */
  onChange(listener: (deviceId: string | undefined) => void): void
  close(): void
}

export interface ToolHostOptions {
  readonly registry: ToolRegistry
  readonly checker: SchemaChecker
  readonly clock: Clock
  readonly log: Log
  readonly providers?: readonly ToolProvider[]
  readonly rules?: ToolRules
  /** Every call, whoever made it. */
  readonly audit?: (entry: ToolAudit) => void
  readonly deviceName?: (deviceId: string) => string
  /** A fresh id, unguessable. */
  readonly newId?: () => string
}

export function createToolHost(options: ToolHostOptions): ToolHost {
  const { registry, clock, rules = openRules, newId = () => crypto.randomUUID() } = options
  const log = options.log.child('tool-host')
  const providers: ToolProvider[] = []
  const listeners = new Set<(deviceId: string | undefined) => void>()
  const changed = (deviceId: string | undefined) => listeners.forEach((listener) => listener(deviceId))
  const brake = createLoopBrake(clock)
  const consents = createConsents({
    clock,
    newId,
    deviceName: options.deviceName ?? ((id) => id),
    run: (granted) => call({ ...granted, signal: undefined, dryRun: false }, granted.consentId),
  })

  function register(provider: ToolProvider): void {
    providers.push(provider)
    provider.onChange(changed)
    changed(undefined)
  }

  const listed = (deviceId: string) => listTools(deviceId, { providers, registry, rules, log })

  async function call(request: CallRequest, consentId?: string): Promise<ToolCall> {
    const startedAt = clock.now()
    // A copy: what is recorded is what was sent.
    const args = structuredClone(request.arguments) as Record<string, unknown>
    const made = await runCall({ ...request, arguments: args }, { ...options, listed, brake, consents, consentId, log })
    const done: ToolCall = { ...made, arguments: args, startedAt, endedAt: clock.now() }
    if (!request.dryRun) options.audit?.(auditOf(done, { id: newId(), request, consentId }))
    return done
  }

  for (const provider of options.providers ?? []) register(provider)
  registry.onChange(() => changed(undefined))
  return {
    register,
    list: async (deviceId) => (await listed(deviceId)).map(({ provider: _provider, ...row }) => row.row),
    async vocabulary(deviceId) {
      await Promise.all(providers.map(async (provider) => provider.settled?.(deviceId)))
      return offered(await listed(deviceId), registry)
    },
    withheld: async (deviceId) => forbidden(await listed(deviceId), registry),
    async callTool(request) {
      try {
        return await call(request)
      } catch (error) {
        const now = clock.now()
        log.error('a call broke inside the host', { name: request.name, error })
        return { ref: request.name, arguments: {}, startedAt: now, endedAt: now, ...failure(toAppError(error)) }
      }
    },
    consents,
    onChange: (listener) => void listeners.add(listener),
    close: () => consents.close(),
  }
}

function failure({ code, message }: AppError): Pick<ToolCall, 'outcome' | 'errorCode' | 'errorMessage'> {
  return { outcome: outcomeOf(code), errorCode: code, errorMessage: message }
}

/** A deprecated tool is no longer offered where its replacement is. */
function offered(listed: readonly ListedTool[], registry: ToolRegistry): ToolVersion[] {
  const free = listed.flatMap(({ row }) =>
    row.withheld === null && row.tool && row.tool.status !== 'draft' ? [row.tool] : [],
  )
  const names = new Set(free.map(({ name }) => name))
  return free.flatMap((tool) => {
    const replacement = registry.shelf.releaseOf(tool)?.replacement
    if (tool.status === 'deprecated' && replacement && names.has(replacement)) return []
    return isReviewed(registry.shelf, tool) ? [tool] : (withoutBoardWords(tool) ?? [])
  })
}

function forbidden(listed: readonly ListedTool[], registry: ToolRegistry): ToolVersion[] {
  return listed.flatMap(({ row: { withheld, tool } }) => {
    const isByRule = withheld !== null && withheld !== 'name-taken'
    if (!isByRule || !tool || tool.status === 'draft') return []
    return isReviewed(registry.shelf, tool) ? [tool] : (withoutBoardWords(tool) ?? [])
  })
}

function auditOf(
  call: ToolCall,
  { id, request, consentId }: { id: string; request: CallRequest; consentId: string | undefined },
): ToolAudit {
  return {
    id,
    at: call.startedAt,
    durationMs: call.endedAt - call.startedAt,
    deviceId: request.deviceId,
    ref: call.ref,
    caller: request.caller,
    arguments: call.arguments,
    outcome: call.outcome,
    errorCode: call.errorCode ?? null,
    errorMessage: call.errorMessage ?? null,
    result: call.result ?? null,
    consentId: consentId ?? call.consentId ?? null,
  }
}
