import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { GatewayCall, GatewaySource, Remit } from './gateway-source.ts'

export interface SessionDesk {
  readonly sources: readonly GatewaySource[]
  /** Of now. Throws when the client's rights have ended. */
  readonly remit: () => Remit
  /** Counts a call; throws an McpError when the client calls too often. */
  readonly admitCall: () => void
}

interface Desk extends SessionDesk {
  readonly subscribed: Set<string>
}

type Server = McpServer['server']
type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

const maxSubscriptions = 100
const resourceNotFound = -32002

/** Leads each request of a session to the sources, in their order. */
export function answerRequests(server: Server, desk: Desk): void {
  const { sources, remit } = desk
  answerTools(server, desk)
  if (sources.some(({ resources }) => resources)) answerResources(server, desk)
  if (sources.some(({ prompts }) => prompts)) answerPrompts(server, desk)
  if (sources.some(({ complete }) => complete)) {
    server.setRequestHandler(CompleteRequestSchema, async ({ params }) => {
      const values = await firstOf(sources, (source) => source.complete?.(remit(), params))
      const all = values ?? []
      return { completion: { values: all.slice(0, 100), total: all.length, hasMore: all.length > 100 } }
    })
  }
}

function answerTools(server: Server, { sources, remit, admitCall }: Desk): void {
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: await allOf(sources, (source) => source.tools(remit())),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    admitCall()
    const call = callOf(server, params, extra)
    const result = await firstOf(sources, (source) => source.callTool(remit(), call))
    // One answer for a tool that is not there and one that is not for this client: a list cannot be guessed out.
    if (!result) throw new McpError(ErrorCode.InvalidParams, `Unknown tool, or not for this client: ${params.name}`)
    return result
  })
}

function callOf(
  server: Server,
  params: { name: string; arguments?: Record<string, unknown> | undefined },
  extra: Extra,
): GatewayCall {
  const token = extra._meta?.progressToken
  return {
    name: params.name,
    arguments: params.arguments ?? {},
    signal: extra.signal,
    async progress(done) {
      if (token === undefined) return
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken: token, ...done } })
    },
    async log(level, text) {
      // On the stream of this call, which is open; the level that the client set is kept by the SDK.
      await server.sendLoggingMessage({ level, logger: 'roost', data: text }, extra.sessionId)
    },
    closeStream: extra.closeSSEStream,
  }
}

function answerResources(server: Server, { sources, remit, subscribed }: Desk): void {
  const read = (uri: string) => firstOf(sources, (source) => source.resources?.read(remit(), uri))
  const notFound = (uri: string) => new McpError(resourceNotFound, `Resource not found: ${uri}`, { uri })
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: await allOf(sources, (source) => source.resources?.list(remit())),
  }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({
    resourceTemplates: await allOf(sources, (source) => source.resources?.templates(remit())),
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => {
    const found = await read(params.uri)
    if (!found) throw notFound(params.uri)
    return found
  })
  server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => {
    if (!(await read(params.uri))) throw notFound(params.uri)
    if (subscribed.size >= maxSubscriptions) throw new McpError(ErrorCode.InvalidRequest, 'Too many subscriptions')
    subscribed.add(params.uri)
    return {}
  })
  server.setRequestHandler(UnsubscribeRequestSchema, async ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
}

function answerPrompts(server: Server, { sources, remit }: Desk): void {
  server.setRequestHandler(ListPromptsRequestSchema, async () => ({
    prompts: await allOf(sources, (source) => source.prompts?.list(remit())),
  }))
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => {
    const found = await firstOf(sources, (source) => source.prompts?.get(remit(), params.name, params.arguments ?? {}))
    if (!found) throw new McpError(ErrorCode.InvalidParams, `Unknown prompt: ${params.name}`)
    return found
  })
}

async function allOf<T>(
  sources: readonly GatewaySource[],
  ask: (source: GatewaySource) => Promise<readonly T[]> | undefined,
): Promise<T[]> {
  return (await Promise.all(sources.map(async (source) => (await ask(source)) ?? []))).flat()
}

async function firstOf<T>(
  sources: readonly GatewaySource[],
  ask: (source: GatewaySource) => Promise<T | undefined> | undefined,
): Promise<T | undefined> {
  for (const source of sources) {
    const answer = await ask(source)
    if (answer !== undefined) return answer
  }
  return undefined
}
