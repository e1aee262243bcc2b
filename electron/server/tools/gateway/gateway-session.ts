import type { IncomingMessage, ServerResponse } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  isInitializeRequest,
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import type { Log } from '../../../base/log.ts'
import { answerRequests, type SessionDesk } from './answer-requests.ts'
import { createEventLog } from './event-log.ts'
import type { GatewayChange, GatewaySource } from './gateway-source.ts'

export interface GatewaySession {
  readonly clientId: string
  /** Monotonic, ms. */
  lastUsedAt: number
  /** Answers that are still open: a listening stream, a running call. */
  openAnswers: number
  handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>
  tell(change: GatewayChange): void
  /** Ends its streams and aborts its calls. Idempotent. */
  close(): Promise<void>
}

interface Options extends SessionDesk {
  readonly clientId: string
  readonly version: string
  readonly log: Log
  readonly newId: () => string
  readonly onOpen: (sessionId: string) => void
  readonly onEnd: () => void
}

const instructions =
  'The tools of one house. Most take a "device": one of the names in its enum. A call marked destructive waits up to ' +
  'a minute for a person in the house to allow it. Resources under roost:// say what devices there are and how they are.'

const keepAliveMs = 15_000
/** Many changes at once, such as thirty boards that come back, are one notice. */
const noticeAfterMs = 200

/** One conversation with one outside client, by the official SDK. */
export async function createGatewaySession(options: Options): Promise<GatewaySession> {
  const { sources, log } = options
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: options.newId,
    onsessioninitialized: options.onOpen,
    eventStore: createEventLog(),
    retryInterval: 1_000,
    keepAliveMs,
    maxRequestBodySize: 1024 * 1024,
  })
  const { server } = new McpServer(
    { name: 'roost', title: 'Roost', version: options.version },
    { capabilities: capabilitiesOf(sources), instructions },
  )
  const subscribed = new Set<string>()
  answerRequests(server, { ...options, subscribed })
  server.onclose = options.onEnd
  server.onerror = (error) => log.debug('outside client', { error })
  await server.connect(transport)

  let negotiated: string | undefined
  const session: GatewaySession = {
    clientId: options.clientId,
    lastUsedAt: performance.now(),
    openAnswers: 0,
    async handle(request, response, body) {
      session.openAnswers += 1
      response.once('close', () => {
        session.openAnswers -= 1
        session.lastUsedAt = performance.now()
      })
      session.lastUsedAt = performance.now()
      negotiated = negotiatedBy(body) ?? negotiated
      await transport.handleRequest(asNegotiated(request, negotiated), response, body)
    },
    tell: createTeller(subscribed, (change) => {
      // A client that listens to nothing is no fault.
      notify(server, change).catch((error: unknown) => log.debug('notice not sent', { error }))
    }),
    close: () => server.close(),
  }
  return session
}

/** The version that the handshake settles: the one asked for, or our newest. */
function negotiatedBy(body: unknown): string | undefined {
  if (!isInitializeRequest(body)) return undefined
  const { protocolVersion } = body.params
  return SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion) ? protocolVersion : LATEST_PROTOCOL_VERSION
}

/**
 * What was negotiated holds for the whole session. A header that names another known version would switch off
 * what the client was promised, such as resuming a stream. One that we do not know is refused by the SDK.
 */
function asNegotiated(request: IncomingMessage, negotiated: string | undefined): IncomingMessage {
  const { rawHeaders } = request
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'mcp-protocol-version') continue
    const known = SUPPORTED_PROTOCOL_VERSIONS.includes(rawHeaders[at + 1] ?? '')
    if (known && negotiated !== undefined) rawHeaders[at + 1] = negotiated
  }
  return request
}

async function notify(server: McpServer['server'], change: GatewayChange): Promise<void> {
  if ('uri' in change) return server.sendResourceUpdated({ uri: change.uri })
  if (change.kind === 'tools') return server.sendToolListChanged()
  return change.kind === 'prompts' ? server.sendPromptListChanged() : server.sendResourceListChanged()
}

/** What the sources have is what is advertised. */
function capabilitiesOf(sources: readonly GatewaySource[]) {
  return {
    tools: { listChanged: true },
    logging: {},
    ...(sources.some(({ resources }) => resources) ? { resources: { listChanged: true, subscribe: true } } : {}),
    ...(sources.some(({ prompts }) => prompts) ? { prompts: { listChanged: true } } : {}),
    ...(sources.some(({ complete }) => complete) ? { completions: {} } : {}),
  }
}

function createTeller(subscribed: ReadonlySet<string>, send: (change: GatewayChange) => void) {
  const waiting = new Map<string, GatewayChange>()
  return (change: GatewayChange): void => {
    if (change.kind === 'resource' && !subscribed.has(change.uri)) return
    if (waiting.size === 0) {
      setTimeout(() => {
        const changes = [...waiting.values()]
        waiting.clear()
        changes.forEach(send)
      }, noticeAfterMs).unref()
    }
    waiting.set(change.kind === 'resource' ? change.uri : change.kind, change)
  }
}
