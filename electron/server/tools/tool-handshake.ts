import {
  LATEST_PROTOCOL_VERSION,
  PaginatedResultSchema,
  type Tool,
  ToolSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { isAppError, toAppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { ToolName } from '../../contract/tool.ts'
import { unwrapResult } from './call-result.ts'
import type { ToolChannel } from './tool-channel.ts'
import type { Advert } from './tool-registry.ts'

/** Silence for so long means "no MCP server" (iotta-protocol.md §4). */
const initializeMs = 1000
const answerMs = 3000
const maxPages = 20
const maxTools = 256

const badPartCode: ErrorCode = 'tool-bad-result'

type Fields = Readonly<Record<string, unknown>>

/** What a board said of itself. `declared` is undefined when it answered in no scope. */
export interface BoardAnswer {
  readonly mcp: boolean
  readonly declared: readonly string[] | undefined
  readonly listed: readonly Advert[]
  readonly audio: Fields | undefined
  readonly features: Fields | undefined
}

const Named = z.union([ToolName, z.object({ name: ToolName }).transform(({ name }) => name)])
const Listed = ToolSchema.extend({ name: ToolName })
const ToolPage = PaginatedResultSchema.extend({ tools: z.array(z.unknown()) })
const Part = z.record(z.string(), z.unknown())

/** What one answer of `declare_capabilities` holds; parts that it lacks are undefined. */
interface Capabilities {
  readonly tools: readonly string[] | undefined
  readonly audio: Fields | undefined
  readonly features: Fields | undefined
}

/**
 * `initialize` first; a full MCP server then gets `notifications/initialized` and is asked for its list; capabilities
 * last (iotta-protocol.md §4). A channel is greeted once; asked again, it is asked the rest. Rejects only when the
 * channel closes; what a board cannot do is left out.
 */
export function createBoardAsker(options: {
  version: string
  log: Log
}): (channel: ToolChannel) => Promise<BoardAnswer> {
  const servers = new WeakMap<ToolChannel, boolean>()

  async function greet(channel: ToolChannel): Promise<boolean> {
    const mcp = await initialize(channel, options.version)
    if (mcp) channel.notify('notifications/initialized')
    servers.set(channel, mcp)
    return mcp
  }

  return async (channel) => {
    const mcp = servers.get(channel) ?? (await greet(channel))
    const listed = mcp ? await listTools(channel, options.log) : []
    return { mcp, listed, ...(await declare(channel, options.log)) }
  }
}

async function initialize(channel: ToolChannel, version: string): Promise<boolean> {
  const params = {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'roost', version },
  }
  return (await answerOf(channel.request('initialize', params, { timeoutMs: initializeMs }))) !== undefined
}

async function listTools(channel: ToolChannel, log: Log): Promise<Advert[]> {
  const entries: unknown[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages && entries.length < maxTools; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await answerOf(channel.request('tools/list', params, { timeoutMs: answerMs }))
    const list = ToolPage.safeParse(answer)
    if (!list.success) {
      if (answer) log.warn('tools/list is broken', { detail: list.error.issues[0]?.message })
      break
    }
    entries.push(...list.data.tools)
    cursor = list.data.nextCursor
    if (cursor === undefined) break
  }
  return goodOf(entries, Listed, { log, list: 'tools/list' }).map(advertOf)
}

/** One wrong entry costs only itself: a board with a bug in one tool keeps all others. */
function goodOf<T>(entries: readonly unknown[], Entry: z.ZodType<T>, { log, list }: { log: Log; list: string }): T[] {
  const read = entries.slice(0, maxTools).map((entry) => Entry.safeParse(entry))
  const good = read.flatMap((entry) => (entry.success ? [entry.data] : []))
  const left = entries.length - good.length
  if (left > 0) {
    const detail = read.find((entry) => !entry.success)?.error.issues[0]?.message ?? `more than ${maxTools}`
    log.warn('entries of a tool list left out', { list, left, detail })
  }
  return good
}

/** `$schema` goes: it says which dialect, not what fits, and would make two equal schemas differ. */
function advertOf(tool: Tool): Advert {
  const { $schema: _dialect, ...args } = tool.inputSchema
  const { $schema: _resultDialect, ...result } = tool.outputSchema ?? { type: 'object' as const }
  return {
    name: tool.name,
    description: tool.description ?? '',
    arguments: args,
    result: tool.outputSchema ? result : null,
    destructive: tool.annotations?.destructiveHint === true,
  }
}

type Declared = Pick<BoardAnswer, 'declared' | 'audio' | 'features'>

async function declare(channel: ToolChannel, log: Log): Promise<Declared> {
  const all = await capabilities(channel, 'all', log)
  if (all) return { declared: all.tools ?? [], audio: all.audio, features: all.features }
  const tools = await capabilities(channel, 'tools', log)
  const audio = await capabilities(channel, 'audio', log)
  return { declared: tools?.tools, audio: audio?.audio, features: undefined }
}

async function capabilities(channel: ToolChannel, scope: string, log: Log): Promise<Capabilities | undefined> {
  const params = { name: 'declare_capabilities', arguments: { scope } }
  const answer = await answerOf(channel.request('tools/call', params, { timeoutMs: answerMs }))
  const value = answer && unwrapResult(answer)
  if (!value?.ok) return undefined
  const said = Part.safeParse(value.value).data
  if (!said) return undefined
  const tools = partOf(said, 'tools', { Shape: z.array(z.unknown()), log })
  // Without the one part that is not optional it is no answer: narrower scopes are asked.
  if (tools === undefined && said['tools'] !== undefined) return undefined
  return {
    tools: tools && goodOf(tools, Named, { log, list: 'declare_capabilities' }),
    audio: partOf(said, 'audio', { Shape: Part, log }),
    features: partOf(said, 'features', { Shape: Part, log }),
  }
}

/** A malformed part costs only itself (iotta-protocol.md §4: `audio` and `features` are optional). */
function partOf<T>(
  said: Fields,
  part: keyof Capabilities,
  { Shape, log }: { Shape: z.ZodType<T>; log: Log },
): T | undefined {
  if (said[part] === undefined) return undefined
  const read = Shape.safeParse(said[part])
  if (read.success) return read.data
  log.warn('part of the capabilities left out', { code: badPartCode, part, detail: read.error.issues[0]?.message })
  return undefined
}

/** Undefined for any "no"; only the end of the channel ends the asking. */
async function answerOf(request: Promise<Fields>): Promise<Fields | undefined> {
  try {
    return await request
  } catch (error) {
    if (isAppError(error, 'tool-disconnected')) throw error
    // Errors that are not ours to expect stay errors.
    if (toAppError(error).code === 'server-internal') throw error
    return undefined
  }
}
