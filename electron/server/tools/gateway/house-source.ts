import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { AppError, toAppError } from '../../../base/app-error.ts'
import { errorText, isErrorCode } from '../../../contract/errors.ts'
import type { Caller } from '../../../contract/tool-registry.ts'
import type { JsonSchema, ToolCall, ToolVersion } from '../../../contract/tool.ts'
import { modelNames } from '../model-names.ts'
import { chosenDevice, deviceArgument, deviceLabels, type NamedDevice, withDevice } from './device-argument.ts'
import type { GatewayCall, GatewaySource, Remit } from './gateway-source.ts'

/** What the gateway needs of the house. */
export interface House {
  devices(): readonly NamedDevice[]
  /** What a voice may call there: published, nothing withheld, boards' own words left out (T11). */
  vocabulary(deviceId: string): Promise<readonly ToolVersion[]>
  /** Never rejects. A destructive call comes back with `tool-needs-consent` and the id of its request. */
  call(request: {
    deviceId: string
    name: string
    arguments: Readonly<Record<string, unknown>>
    tool: ToolVersion
    caller: Caller
    signal: AbortSignal
  }): Promise<ToolCall>
  /** Waits for a person: the call that the yes ran; undefined = nobody said yes, or said no. */
  consented(consentId: string, signal: AbortSignal): Promise<ToolCall | undefined>
}

interface HouseTool {
  readonly name: string
  /** By device; versions may differ where one is a canary or pinned. */
  readonly versions: ReadonlyMap<string, ToolVersion>
}

/** While a person is asked, the client hears that its call lives. */
const noticeEveryMs = 5_000

/** The tools of boards, Things, serial ports and built-ins. Those of other MCP servers are not passed on. */
export function createHouseTools(house: House): Pick<GatewaySource, 'tools' | 'callTool'> {
  async function gather(remit: Remit) {
    const devices = house.devices().filter(({ id }) => remit.sees(id))
    const found = new Map<string, Map<string, ToolVersion>>()
    const offers = await Promise.all(devices.map(async ({ id }) => ({ id, tools: await house.vocabulary(id) })))
    for (const { id, tools } of offers) {
      for (const tool of tools) {
        if (tool.origin === 'mcp' || !remit.allows(tool.name) || (remit.readOnly && tool.danger !== 'read')) continue
        const versions = found.get(tool.name) ?? new Map<string, ToolVersion>()
        found.set(tool.name, versions.set(id, tool))
      }
    }
    const names = modelNames([...found.keys()].sort())
    const tools = [...names].map(([name, shown]): [string, HouseTool] => [
      shown,
      { name, versions: found.get(name) ?? new Map() },
    ])
    return { tools: new Map(tools), labels: deviceLabels(devices) }
  }

  return {
    async tools(remit) {
      const { tools, labels } = await gather(remit)
      return [...tools].map(([shown, tool]) => describe(shown, tool, labels))
    },
    async callTool(remit, call) {
      const { tools, labels } = await gather(remit)
      const tool = tools.get(call.name)
      return tool && callOn(house, { tool, labels, remit, call })
    },
  }
}

const newest = ({ versions }: HouseTool) => [...versions.values()].sort((a, b) => b.version - a.version)[0]

function describe(name: string, tool: HouseTool, labels: ReadonlyMap<string, string>): Tool {
  const shown = newest(tool)
  if (!shown) throw new AppError('server-internal', `"${name}" has no version`)
  const there = [...tool.versions.keys()].map((id) => labels.get(id) ?? id)
  const isDestructive = shown.danger === 'destructive'
  const output = outputOf(tool)
  return {
    name,
    description:
      shown.description + (isDestructive ? ' A person in the house is asked first, for up to a minute.' : ''),
    inputSchema: withDevice(shown.arguments, there),
    ...(output ? { outputSchema: output } : {}),
    annotations: {
      readOnlyHint: shown.danger === 'read',
      destructiveHint: isDestructive,
      idempotentHint: shown.idempotent,
      openWorldHint: false,
    },
  }
}

/** Promised only where every device keeps the promise: an object of one shape. */
function outputOf(tool: HouseTool): (JsonSchema & { type: 'object' }) | undefined {
  const results = [...tool.versions.values()].map(({ result }) => result)
  const [first] = results
  if (!first || first['type'] !== 'object') return undefined
  const text = JSON.stringify(first)
  return results.every((result) => JSON.stringify(result) === text) ? { ...first, type: 'object' } : undefined
}

interface Order {
  readonly tool: HouseTool
  readonly labels: ReadonlyMap<string, string>
  readonly remit: Remit
  readonly call: GatewayCall
}

async function callOn(house: House, { tool, labels, remit, call }: Order): Promise<CallToolResult> {
  const there = new Map([...tool.versions.keys()].map((id) => [id, labels.get(id) ?? id]))
  const { [deviceArgument(newest(tool)?.arguments ?? {})]: asked, ...args } = call.arguments
  const deviceId = chosenDevice(asked, there)
  const version = deviceId === undefined ? undefined : tool.versions.get(deviceId)
  if (deviceId === undefined || version === undefined) {
    return failure('mcp-device-unknown', `"${tool.name}" is there on: ${[...there.values()].join(', ')}`)
  }
  try {
    const caller: Caller = { kind: 'client', id: remit.clientId }
    const { signal } = call
    const done = await house.call({ deviceId, name: tool.name, arguments: args, tool: version, caller, signal })
    if (done.consentId === undefined || done.errorCode !== 'tool-needs-consent') return answerOf(done)
    const later = await askPerson(call, house.consented(done.consentId, signal))
    return later ? answerOf(later) : failure('mcp-consent-timeout', 'Nobody said yes; nothing was done')
  } catch (error) {
    const { code, message } = toAppError(error)
    return failure(code, message)
  }
}

async function askPerson<T>(call: GatewayCall, answer: Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const tell = () => {
    const progress = Math.round((performance.now() - startedAt) / 1000)
    void call.progress({ progress, total: 60, message: 'A person in the house is asked' }).catch(() => undefined)
  }
  tell()
  void call.log('notice', 'The call waits for a person in the house').catch(() => undefined)
  const timer = setInterval(tell, noticeEveryMs)
  try {
    return await answer
  } finally {
    clearInterval(timer)
  }
}

function answerOf(call: ToolCall): CallToolResult {
  if (call.outcome !== 'ok') return failure(call.errorCode ?? 'tool-failed', call.errorMessage ?? '')
  const { result } = call
  const isObject = typeof result === 'object' && result !== null && !Array.isArray(result)
  return {
    content: [{ type: 'text', text: JSON.stringify(result ?? {}) }],
    ...(isObject ? { structuredContent: result as Record<string, unknown> } : {}),
  }
}

/** What a model can act on: the stable code, what happened, what to do. */
function failure(code: string, message: string): CallToolResult {
  const known = isErrorCode(code) ? errorText(code, 'en') : { headline: 'The call failed', next: '' }
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${known.headline}. ${message}. ${known.next}`.replace(/\.\. /g, '. ') }],
  }
}
