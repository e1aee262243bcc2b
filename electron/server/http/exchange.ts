import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { AppError, toAppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import { mintSecret } from '../devices/secret.ts'
import { plainAddress } from './addresses.ts'
import type { ListenerKind } from './listeners.ts'
import { type IottaWord, type Refusal, iottaRefusal, refusalBody } from './refusal.ts'
import { plainHeaders } from './security-headers.ts'

/** Which listener took a request: noted when it arrives, because nothing in the request itself may say so. */
export interface Doors {
  note(request: IncomingMessage, kind: ListenerKind): void
  of(request: FastifyRequest): ListenerKind
}

export function createDoors(): Doors {
  const kinds = new WeakMap<IncomingMessage, ListenerKind>()
  return {
    note: (request, kind) => void kinds.set(request, kind),
    // Unknown counts as the network: it may do less.
    of: (request) => kinds.get(request.raw) ?? 'tls',
  }
}

export function addressOf(request: FastifyRequest): string {
  return plainAddress(request.raw.socket.remoteAddress ?? '')
}

export function send(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply
    .code(status)
    .headers({ ...plainHeaders, 'Cache-Control': 'no-store' })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body))
}

/** A refusal closes the connection (iotta-protocol.md §1.1). */
export function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  return reply
    .code(refusal.status)
    .headers({ ...plainHeaders, 'Cache-Control': 'no-store', Connection: 'close', ...refusal.headers })
    .type('application/json; charset=utf-8')
    .send(refusalBody(refusal))
}

/** The body, that the parsers leave as bytes. Throws 'server-bad-request'. */
export function jsonBody(body: unknown): unknown {
  try {
    return JSON.parse(textBody(body))
  } catch (cause) {
    throw new AppError('server-bad-request', 'The body is no JSON', { cause })
  }
}

export function textBody(body: unknown): string {
  if (!Buffer.isBuffer(body)) throw new AppError('server-bad-request', 'The body is missing')
  // Strict: a replaced character would be another value than the one that was sent.
  return new TextDecoder('utf-8', { fatal: true }).decode(body)
}

const statusOfCode: Readonly<Record<string, number>> = {
  'console-wrong-password': 401,
  'console-sign-in-needed': 401,
  'console-setup-expired': 403,
  'console-weak-password': 400,
  'server-bad-request': 400,
  'iotta-bad-request': 400,
  'server-not-found': 404,
  'server-overloaded': 429,
  'console-too-many-tries': 429,
  'server-disk-full': 507,
}

/** Anything thrown behind a route, as an answer: no stack, no path, and an id that is in the log too. */
export function refusalOf(error: unknown, board: boolean, log: Log): Refusal {
  const fromFramework = frameworkStatus(error)
  if (fromFramework !== undefined) {
    const message = fromFramework === 413 ? 'The body is too large.' : 'The request is malformed.'
    return { status: fromFramework, code: board ? 'bad_request' : 'server-bad-request', message }
  }
  const known = toAppError(error)
  const status = statusOfCode[known.code] ?? (known.code.startsWith('image-') ? 400 : 500)
  if (status < 500) return clientRefusal(known, status, board)
  const id = mintSecret().slice(0, 8)
  log.error('request failed', { id, error })
  return { status, code: known.code, message: `Something failed inside the server (${id}).` }
}

function clientRefusal(error: AppError, status: number, board: boolean): Refusal {
  const { retryAfterS } = error.details
  const headers = retryAfterS === undefined ? {} : { headers: { 'Retry-After': String(retryAfterS) } }
  const word: IottaWord = 'bad_request'
  return board
    ? iottaRefusal(word, { message: error.message })
    : { status, code: error.code, message: error.message, ...headers }
}

/** Fastify's own refusals of a body or a media type; for a peer the last one is just malformed. */
function frameworkStatus(error: unknown): number | undefined {
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (typeof code !== 'string' || !code.startsWith('FST_') || typeof statusCode !== 'number') return undefined
  return statusCode === 413 ? 413 : statusCode < 500 ? 400 : undefined
}
