import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { setupNeeded } from './admission.ts'
import { addressOf, refusalOf, refuse } from './exchange.ts'
import { type Refusal, iottaRefusal } from './refusal.ts'
import { type HttpRouteName, type Route, routes } from './routes.ts'
import { type GateOptions, createScopeCheck } from './scope-check.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The row of the route table; a route without one is refused when it is registered. */
    route?: HttpRouteName
  }
}

export interface Gate {
  /** Puts the checks before every route. Returns the list of what is served, as it grows. */
  guard(app: FastifyInstance): readonly string[]
  /** Whose token opened this request. Throws for a route that asks for none. */
  deviceOf: (request: FastifyRequest) => string
  /** The outside program whose token it was. Throws for a route that asks for none. */
  clientOf: (request: FastifyRequest) => string
}

const bodyWithinMs = 30_000
const noSuchRoute: Refusal = { status: 404, code: 'server-not-found', message: 'There is no such route.' }

/** Deny by default: a request passes by the scope that its row of the table declares, or not at all. */
export function createGate(options: GateOptions): Gate {
  const { auth, doors, log } = options
  const scopes = createScopeCheck(options)

  async function onRequest(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    limitBodyTime(request)
    const name = request.routeOptions.config.route
    if (name === undefined) return undefined
    const refusal = await scopes.check(request, routes[name])
    return refusal && refuse(reply, refusal)
  }

  return {
    guard(app) {
      const served = Object.values(routes).flatMap(({ method, path }) =>
        method === 'UPGRADE' ? [`UPGRADE ${path}`] : [],
      )
      app.addHook('onRoute', ({ method, url, config }) => {
        const row: Route | undefined = config?.route && routes[config.route]
        if (row?.method !== method || row.path !== url)
          throw new Error(`The route ${String(method)} ${url} is not in the table`)
        served.push(`${row.method} ${url}`)
      })
      app.addHook('onRequest', onRequest)
      app.setNotFoundHandler((request, reply) => {
        const closed = doors.of(request) === 'tls' && !auth.hasOwner()
        return refuse(reply, closed ? setupNeeded : noSuchRoute)
      })
      app.setErrorHandler((error, request, reply) => {
        const name = request.routeOptions.config.route
        const isBoard = name === 'provision' || name === 'telemetry'
        if (isCutShort(request)) {
          log.debug('request ended before its body did', { route: name, address: addressOf(request) })
          // Nobody is left to read it; the framework still wants the request answered.
          return refuse(reply, iottaRefusal('bad_request'))
        }
        return refuse(reply, refusalOf(error, isBoard, log))
      })
      return served
    },
    deviceOf: scopes.deviceOf,
    clientOf: scopes.clientOf,
  }
}

/** The peer went away, or was too slow: no fault of ours, and nothing for the log of errors. */
function isCutShort({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}

/** Drip-fed bodies (reliability.md C 16); an image over bad Wi-Fi has the server's own ten minutes. */
function limitBodyTime(request: FastifyRequest): void {
  const { raw } = request
  if (request.routeOptions.config.route === 'image') return
  const timer = setTimeout(() => raw.complete || raw.destroy(), bodyWithinMs).unref()
  raw.once('close', () => clearTimeout(timer))
}
