import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorText, type ErrorCode } from '../../contract/errors.ts'
import type { RateLimit } from '../devices/rate-limit.ts'
import { addressOf } from './exchange.ts'
import type { ListenerKind } from './listeners.ts'
import { type Refusal, tooMany } from './refusal.ts'
import { plainHeaders } from './security-headers.ts'
import { readBearer } from './upgrade-credentials.ts'

/** Outside programs: who they are, and what takes their requests. */
export interface OutsideDoor {
  /** Whose token it is, for MCP. The owner's secret of this start counts on loopback alone. */
  admit(token: string, listener: ListenerKind): { clientId: string } | { refusal: ErrorCode }
  /** Writes the whole answer, which may be a stream. */
  handle(order: {
    clientId: string
    request: IncomingMessage
    response: ServerResponse
    body: Buffer | undefined
  }): Promise<void>
}

/** `/mcp`, all three methods: the answer is the protocol's own, so the framework lets go of it. */
export function createMcpRoute(outside: OutsideDoor, clientOf: (request: FastifyRequest) => string) {
  return async function mcp(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const clientId = clientOf(request)
    // Some clients name a type for the body that their DELETE does not have.
    const body = Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : undefined
    reply.hijack()
    for (const [name, value] of Object.entries(plainHeaders)) reply.raw.setHeader(name, value)
    reply.raw.setHeader('Cache-Control', 'no-store')
    await outside.handle({ clientId, request: request.raw, response: reply.raw, body })
    return reply
  }
}

/** Guesses are slowed like those of boards; a token that was good once is no guess. */
export function admitClient(
  request: FastifyRequest,
  kind: ListenerKind,
  { outside, rateLimit }: { outside: Pick<OutsideDoor, 'admit'>; rateLimit: RateLimit },
): { clientId: string } | { refusal: Refusal } {
  const token = readBearer(request.headers.authorization)
  if (token === undefined) {
    return { refusal: clientRefusal('mcp-token-unknown', 'Authorization: Bearer <token> is missing.') }
  }
  const admission = outside.admit(token, kind)
  if ('clientId' in admission) return admission
  if (admission.refusal !== 'mcp-token-unknown') return { refusal: clientRefusal(admission.refusal) }
  const attempt = { address: addressOf(request), deviceId: '' }
  const wait = rateLimit.retryAfter(attempt)
  if (wait !== undefined) return { refusal: tooMany(wait) }
  rateLimit.fail(attempt)
  return { refusal: clientRefusal(admission.refusal) }
}

function clientRefusal(code: ErrorCode, message: string = errorText(code, 'en').headline): Refusal {
  const status = code === 'mcp-wrong-purpose' ? 403 : 401
  return { status, code, message, headers: status === 401 ? { 'WWW-Authenticate': 'Bearer realm="roost"' } : {} }
}
