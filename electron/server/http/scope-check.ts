import type { FastifyRequest } from 'fastify'
import type { Log } from '../../base/log.ts'
import type { Devices } from '../devices/devices.ts'
import type { RateLimit } from '../devices/rate-limit.ts'
import { admitConsole, admitToken, consoleWall, foreignOrigin } from './admission.ts'
import type { Auth } from './auth.ts'
import { type Doors, addressOf } from './exchange.ts'
import type { ListenerKind } from './listeners.ts'
import { admitClient, type OutsideDoor } from './mcp-route.ts'
import { type Refusal, iottaRefusal } from './refusal.ts'
import type { Route } from './routes.ts'
import type { Site } from './site.ts'
import { readBearer } from './upgrade-credentials.ts'

export interface GateOptions {
  readonly devices: Devices
  readonly rateLimit: RateLimit
  readonly auth: Auth
  readonly site: Site
  readonly doors: Doors
  readonly outside: Pick<OutsideDoor, 'admit'>
  readonly log: Log
}

export interface ScopeCheck {
  /** Why this request may not pass; undefined = it may. */
  check(request: FastifyRequest, route: Route): Promise<Refusal | undefined>
  /** Whose token opened this request. Throws for a route that asks for none. */
  deviceOf: (request: FastifyRequest) => string
  /** The outside program whose token it was. Throws for a route that asks for none. */
  clientOf: (request: FastifyRequest) => string
}

export function createScopeCheck(options: GateOptions): ScopeCheck {
  const { site, doors } = options
  const devicesByRequest = new WeakMap<FastifyRequest, string>()
  const clientsByRequest = new WeakMap<FastifyRequest, string>()

  async function check(request: FastifyRequest, route: Route): Promise<Refusal | undefined> {
    const { headers } = request
    const kind = doors.of(request)
    if (!route.listeners.includes(kind)) {
      return { status: 403, code: 'console-forbidden', message: 'This is not allowed over the network.' }
    }
    const isForeign = !site.isOwnOrigin(headers.origin, headers.host)
    switch (route.scope) {
      case 'public':
        // Boards send no Origin; a page that sends a foreign one has no business with a route that changes something.
        return isForeign && route.method === 'POST' ? iottaRefusal('blocked') : undefined
      case 'device':
        return isForeign ? iottaRefusal('blocked') : checkDevice(request)
      case 'client':
        // Host too: a page that rebinds its own name to this machine sends that name (reliability.md T6).
        return isForeign || !site.isOwnHost(headers.host) ? foreignOrigin : checkClient(request, kind)
      case 'setup':
        return site.isOwnHost(headers.host) && !isForeign ? undefined : foreignOrigin
      case 'page':
        return consoleWall(headers, kind, options)
      case 'console': {
        const admission = await admitConsole({ request: request.raw, kind }, options)
        return 'refusal' in admission ? admission.refusal : undefined
      }
    }
  }

  async function checkDevice(request: FastifyRequest): Promise<Refusal | undefined> {
    const token = readBearer(request.headers.authorization)
    const id = request.headers['device-id']
    if (token === undefined)
      return iottaRefusal('unauthorized', { message: 'Authorization: Bearer <token> is missing.' })
    if (Array.isArray(id)) return iottaRefusal('bad_request')
    const access = await admitToken({ token, deviceId: id?.toLowerCase(), address: addressOf(request) }, options)
    if ('refusal' in access) return access.refusal
    devicesByRequest.set(request, access.device.id)
    return undefined
  }

  function checkClient(request: FastifyRequest, kind: ListenerKind): Refusal | undefined {
    const admission = admitClient(request, kind, options)
    if ('refusal' in admission) return admission.refusal
    clientsByRequest.set(request, admission.clientId)
    return undefined
  }

  return {
    check,
    deviceOf(request) {
      const id = devicesByRequest.get(request)
      if (id === undefined) throw new Error('A device route was reached without a device')
      return id
    },
    clientOf(request) {
      const id = clientsByRequest.get(request)
      if (id === undefined) throw new Error('A client route was reached without a client')
      return id
    },
  }
}
