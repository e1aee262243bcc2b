import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** Codes on the iotta wire (iotta-protocol.md §1.1). */
export type IottaWord =
  | 'bad_request'
  | 'unauthorized'
  | 'token_expired'
  | 'token_revoked'
  | 'wrong_device'
  | 'blocked'
  | 'second_session'
  | 'wrong_version'
  | 'too_many'
  | 'claim_unknown'
  | 'claim_other_device'
  | 'rejected'

/** An answer that says no. `code` is an iotta word on device routes and a registry code elsewhere. */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

const statusOf: Readonly<Record<IottaWord, number>> = {
  bad_request: 400,
  unauthorized: 401,
  token_expired: 401,
  token_revoked: 401,
  wrong_device: 401,
  blocked: 403,
  claim_unknown: 403,
  claim_other_device: 403,
  rejected: 403,
  second_session: 409,
  wrong_version: 426,
  too_many: 429,
}

const messageOf: Readonly<Record<IottaWord, string>> = {
  bad_request: 'The request is malformed.',
  unauthorized: 'The token is unknown.',
  token_expired: 'The token has expired. Provision again.',
  token_revoked: 'The token was revoked. Provision again.',
  wrong_device: 'The token belongs to another device.',
  blocked: 'This device is not allowed here.',
  claim_unknown: 'The claim is unknown or has expired. Flash the board again from this server.',
  claim_other_device: 'The claim belongs to another board.',
  rejected: 'The operator rejected this board.',
  second_session: 'This device already has a session.',
  wrong_version: 'Only protocol version 1 is spoken here.',
  too_many: 'Too many attempts. Try again later.',
}

export function iottaRefusal(
  code: IottaWord,
  more: { message?: string; headers?: Readonly<Record<string, string>> } = {},
): Refusal {
  return { status: statusOf[code], code, message: messageOf[code], ...more }
}

export function tooMany(retryAfterS: number): Refusal {
  return iottaRefusal('too_many', { headers: { 'Retry-After': String(retryAfterS) } })
}

export function refusalBody({ code, message }: Pick<Refusal, 'code' | 'message'>): string {
  return JSON.stringify({ error: { code, message } })
}

/** Written by hand, because before the 101 there is no response object. The connection closes after it. */
export function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const body = refusalBody(refusal)
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? 'Refused'}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
    ...Object.entries(refusal.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.once('finish', () => socket.destroy())
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
