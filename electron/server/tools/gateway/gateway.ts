import type { IncomingMessage, ServerResponse } from 'node:http'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import { isDeeperThan } from '../../../base/json-depth.ts'
import type { GatewaySource } from './gateway-source.ts'
import { createSessionBook, type SessionBookOptions } from './session-book.ts'

/** One request to `/mcp` of a client whose token was good. `body`: the bytes, not read yet. */
export interface GatewayRequest {
  readonly clientId: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer | undefined
}

export interface Gateway {
  /** Writes the whole answer, which may be a stream. Never rejects. */
  handle(request: GatewayRequest): Promise<void>
  /** Joins a source; sessions that begin later advertise what it has. */
  register(source: GatewaySource): void
  /** The rights of a client changed or ended: its sessions hear of it, or end. */
  clientChanged(clientId: string): void
  close(): Promise<void>
}

const maxDepth = 64
const parseError = { status: 400, code: -32700, message: 'Parse error: no JSON, or nested too deeply' }
const broken = { status: 500, code: -32603, message: 'Something failed inside the server' }
const refusals = {
  tooOften: { status: 429, code: -32000, message: 'Too many requests' },
  tooManySessions: { status: 429, code: -32000, message: 'Too many sessions' },
  noSession: { status: 400, code: -32000, message: 'Mcp-Session-Id is missing: initialize first' },
  otherSession: { status: 404, code: -32001, message: 'Session not found' },
} as const

/** The house's tools and facts for outside AI programs: MCP over streamable HTTP, a session each, bound to its client. */
export function createGateway(options: SessionBookOptions): Gateway {
  const log = options.log.child('gateway')
  const sources: GatewaySource[] = []
  const book = createSessionBook({ ...options, log })

  /** Undefined = the refusal was sent. */
  async function sessionOf({ clientId, request, response }: GatewayRequest, message: unknown) {
    const id = request.headers['mcp-session-id']
    if (id !== undefined) {
      const session = typeof id === 'string' ? book.find(clientId, id) : undefined
      return session ?? refuse(response, refusals.otherSession)
    }
    if (!isInitializeRequest(message)) return refuse(response, refusals.noSession)
    return (await book.begin(clientId, [...sources])) ?? refuse(response, refusals.tooManySessions)
  }

  return {
    async handle(order) {
      const { clientId, request, response, body } = order
      if (!book.admit(clientId)) {
        response.setHeader('Retry-After', '1')
        refuse(response, refusals.tooOften)
        return
      }
      const reading = read(body)
      // The body was read already: nobody may wait for it again.
      if (!reading.ok || (request.method === 'POST' && reading.message === undefined)) {
        refuse(response, parseError)
        return
      }
      try {
        const session = await sessionOf(order, reading.message)
        await session?.handle(request, response, reading.message)
      } catch (error) {
        log.error('a request of an outside client failed', { clientId, error })
        if (!response.headersSent) refuse(response, broken)
      }
    },
    register(source) {
      sources.push(source)
      source.onChange((change) => book.tell(change))
    },
    clientChanged(clientId) {
      if (options.remitOf(clientId) === undefined) book.end(clientId)
      else for (const kind of ['tools', 'resources'] as const) book.tell({ kind }, clientId)
    },
    close: () => book.close(),
  }
}

function read(body: Buffer | undefined): { ok: true; message: unknown } | { ok: false } {
  if (body === undefined) return { ok: true, message: undefined }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    return isDeeperThan(text, maxDepth) ? { ok: false } : { ok: true, message: JSON.parse(text) as unknown }
  } catch {
    return { ok: false }
  }
}

function refuse(
  response: ServerResponse,
  { status, code, message }: { status: number; code: number; message: string },
): undefined {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }))
}
