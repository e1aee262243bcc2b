import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Access } from '../devices/device-access.ts'
import type { Devices } from '../devices/devices.ts'
import type { RateLimit } from '../devices/rate-limit.ts'
import type { Auth, Caller } from './auth.ts'
import type { ListenerKind } from './listeners.ts'
import { type Refusal, iottaRefusal, tooMany } from './refusal.ts'
import type { Site } from './site.ts'
import { readCredentials } from './upgrade-credentials.ts'

/** One request to become a WebSocket. */
export interface UpgradeRequest {
  readonly kind: ListenerKind
  readonly address: string
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

export interface Admitting {
  readonly devices: Devices
  readonly rateLimit: RateLimit
  readonly auth: Auth
  readonly site: Site
}

type Good = Extract<Access, { ok: true }>

export const foreignOrigin = {
  status: 403,
  code: 'console-wrong-origin',
  message: 'This page may not talk to the server: open the console from the address of the server itself.',
} as const satisfies Refusal

export const setupNeeded = {
  status: 403,
  code: 'setup-needed',
  message: 'No owner account exists yet: open the setup address that the server printed when it started.',
} as const satisfies Refusal

export const signInNeeded = {
  status: 401,
  code: 'console-sign-in-needed',
  message: 'Sign in first.',
} as const satisfies Refusal

/** The checks of iotta-protocol.md §1.1, in its order: shape, version, rate, token, policy. */
export async function admitDevice(upgrade: UpgradeRequest, options: Admitting): Promise<Good | { refusal: Refusal }> {
  const { headers } = upgrade.request
  const reading = readCredentials(headers)
  if (!reading.ok) {
    const extra = reading.code === 'wrong_version' ? { headers: { 'Protocol-Version': '1' } } : {}
    return { refusal: iottaRefusal(reading.code, { message: reading.message, ...extra }) }
  }
  const access = await admitToken({ ...reading.credentials, address: upgrade.address }, options)
  if ('refusal' in access) return access
  // A page of another site that got hold of a token is still no client of ours.
  if (!options.site.isOwnOrigin(headers.origin, headers.host)) {
    return { refusal: iottaRefusal('blocked', { message: 'This page may not talk to the server.' }) }
  }
  return access.current() ? access : { refusal: iottaRefusal('token_revoked') }
}

export interface ShownToken {
  readonly token: string
  /** Undefined where the token alone says whose it is. */
  readonly deviceId: string | undefined
  readonly address: string
}

/** A good token is never refused for the failures of others, so it is looked at before the limit speaks. */
export async function admitToken(
  { token, deviceId, address }: ShownToken,
  { devices, rateLimit }: Pick<Admitting, 'devices' | 'rateLimit'>,
): Promise<Good | { refusal: Refusal }> {
  const access = await devices.authenticate(deviceId, token)
  if (access.ok) return access
  if (access.tokenIsGood) return { refusal: iottaRefusal(access.reason) }
  const attempt = { address, deviceId: deviceId ?? '' }
  const wait = rateLimit.retryAfter(attempt)
  if (wait !== undefined) return { refusal: tooMany(wait) }
  rateLimit.fail(attempt)
  return { refusal: iottaRefusal(access.reason) }
}

export async function admitConsole(
  { request, kind }: Pick<UpgradeRequest, 'request' | 'kind'>,
  options: Pick<Admitting, 'auth' | 'site'>,
): Promise<{ caller: Caller } | { refusal: Refusal }> {
  const wall = consoleWall(request.headers, kind, options)
  if (wall) return { refusal: wall }
  const caller = await options.auth.callerOf(request.headers, kind)
  return caller ? { caller } : { refusal: signInNeeded }
}

/** What stands before every console route, signed in or not. */
export function consoleWall(
  headers: IncomingHttpHeaders,
  kind: ListenerKind,
  { auth, site }: Pick<Admitting, 'auth' | 'site'>,
): Refusal | undefined {
  if (!site.isOwnHost(headers.host) || !site.isOwnOrigin(headers.origin, headers.host)) return foreignOrigin
  return kind === 'tls' && !auth.hasOwner() ? setupNeeded : undefined
}
