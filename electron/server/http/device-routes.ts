import type { FastifyReply, FastifyRequest } from 'fastify'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { AppError } from '../../base/app-error.ts'
import type { Devices } from '../devices/devices.ts'
import type { Enrolment } from '../devices/enrolment.ts'
import type { ProvisionOutcome } from '../devices/grants.ts'
import { parseProvisionRequest } from '../devices/provision-wire.ts'
import { isLoopbackAddress } from '../devices/rate-limit.ts'
import { hostOf, urlHost } from './addresses.ts'
import { type Doors, addressOf, jsonBody, refuse, send } from './exchange.ts'
import type { ListenerKind } from './listeners.ts'
import { iottaRefusal, tooMany } from './refusal.ts'
import { routes } from './routes.ts'
import type { Site } from './site.ts'
import { readBearer } from './upgrade-credentials.ts'

/** What an answer to a report says (iotta-protocol.md §5). */
export interface TelemetryReceipt {
  readonly accepted: number
  readonly rejected: readonly { readonly index: number; readonly path?: string; readonly reason: string }[]
}

export interface AgentName {
  readonly id: string
  readonly name: string
  readonly language: string
}

export interface DeviceRoutesOptions {
  readonly devices: Devices
  readonly enrolment: Enrolment
  readonly site: Site
  readonly doors: Doors
  readonly caFingerprint: string
  readonly ports: () => { readonly https: number; readonly loopback: number }
  /** The first address that other machines reach. */
  readonly lanAddress: () => string | undefined
  readonly agent: () => AgentName
  /** Gets the parsed JSON, unchecked; throws 'iotta-bad-request' when it is no report at all. */
  readonly onTelemetry: (deviceId: string, body: unknown, address: string) => Promise<TelemetryReceipt>
  readonly now: () => number
}

const unzip = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip)

export function createDeviceRoutes(options: DeviceRoutesOptions) {
  const { enrolment, doors, onTelemetry } = options

  async function provision(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const body = parseProvisionRequest(jsonBody(request.body))
    const token = readBearer(request.headers.authorization)
    const outcome = await enrolment.provision({ body, address: addressOf(request), token })
    switch (outcome.result) {
      case 'enrolled':
        return send(reply, 200, enrolledReply(outcome, doors.of(request), request.headers.host))
      case 'pending': {
        const { code, request: secret, retryAfterS } = outcome
        return send(reply, 202, { status: 'pending', code, request: secret, retry_after: retryAfterS })
      }
      case 'too_many':
        return refuse(reply, tooMany(outcome.retryAfterS))
      case 'refused':
        return refuse(reply, iottaRefusal(outcome.code))
    }
  }

  function enrolledReply(
    outcome: Extract<ProvisionOutcome, { result: 'enrolled' }>,
    kind: ListenerKind,
    host: string | undefined,
  ) {
    const at = authorityFor(kind, host)
    const [web, socket] = kind === 'tls' ? ['https', 'wss'] : ['http', 'ws']
    return {
      session_url: `${socket}://${at}${routes.session.path}`,
      tools_url: `${socket}://${at}${routes.tools.path}`,
      telemetry_url: `${web}://${at}${routes.telemetry.path}`,
      token: outcome.token,
      token_expires_at: new Date(outcome.expiresAt).toISOString(),
      agent: options.agent(),
      server_time: options.now(),
      ca_fingerprint: options.caFingerprint,
    }
  }

  /** On the host that was asked, when it is one of ours; the plain listener exists on loopback names alone. */
  function authorityFor(kind: ListenerKind, header: string | undefined): string {
    const asked = options.site.isOwnHost(header) ? hostOf(header) : undefined
    const { https, loopback } = options.ports()
    if (kind === 'tls') return `${urlHost(asked ?? options.lanAddress() ?? 'localhost')}:${https}`
    const isHere = asked === 'localhost' || (asked !== undefined && isLoopbackAddress(asked))
    return `${urlHost(isHere ? asked : '127.0.0.1')}:${loopback}`
  }

  async function telemetry(request: FastifyRequest, reply: FastifyReply, deviceId: string): Promise<FastifyReply> {
    const body = jsonBody(await unpacked(request))
    return send(reply, 202, await onTelemetry(deviceId, body, addressOf(request)))
  }

  return { provision, telemetry }
}

/** 256 KiB holds before and after gunzip. */
async function unpacked(request: FastifyRequest): Promise<unknown> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return request.body
  if (encoding !== 'gzip' || !Buffer.isBuffer(request.body)) {
    throw new AppError('iotta-bad-request', `The content encoding "${encoding}" is not known`)
  }
  try {
    return await unzip(request.body, { maxOutputLength: routes.telemetry.bodyLimit })
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLarge ? tooLarge() : new AppError('iotta-bad-request', 'The body is no gzip', { cause })
  }
}

/** Shaped like Fastify's own, so that both ways over the limit get the same answer. */
function tooLarge(): Error {
  return Object.assign(new RangeError('The unpacked body is too large'), {
    code: 'FST_ERR_CTP_BODY_TOO_LARGE',
    statusCode: 413,
  })
}
