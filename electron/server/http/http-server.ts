import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { DeviceSocket } from '../../base/device-socket.ts'
import type { Log } from '../../base/log.ts'
import type { Devices } from '../devices/devices.ts'
import type { Enrolment } from '../devices/enrolment.ts'
import type { RateLimit } from '../devices/rate-limit.ts'
import type { DeviceRow } from '../store/store.ts'
import { lanAddresses, ownAddresses, ownNames, urlHost } from './addresses.ts'
import type { Auth, Caller } from './auth.ts'
import { createAuthRoutes } from './auth-routes.ts'
import type { Certificates } from './certificates.ts'
import { createConsolePage } from './console-page.ts'
import { type AgentName, type TelemetryReceipt, createDeviceRoutes } from './device-routes.ts'
import { createDoors } from './exchange.ts'
import { type Gate, createGate } from './gate.ts'
import { type ImageUpload, createImageUpload } from './image-upload.ts'
import { openListeners } from './listeners.ts'
import { createMcpRoute, type OutsideDoor } from './mcp-route.ts'
import { createPublicRoutes } from './public-routes.ts'
import { type HttpRouteName, type Route, routes } from './routes.ts'
import { createSite } from './site.ts'
import { createUpgradeDispatcher } from './upgrade-dispatcher.ts'

export interface HttpServerOptions {
  /** Undefined = all interfaces. */
  readonly host?: string | undefined
  /** 0 = any free port. */
  readonly port: number
  readonly loopbackPort: number
  readonly certificates: Certificates
  readonly devices: Devices
  readonly enrolment: Enrolment
  readonly rateLimit: RateLimit
  readonly auth: Auth
  readonly log: Log
  readonly version: string
  /** The built page: `consoleUrl()` of base/entries.ts. */
  readonly consoleDir: URL
  /** Where uploads wait; made when it is missing. */
  readonly tempDir: string
  readonly agent: () => AgentName
  readonly onSession: (socket: DeviceSocket, device: DeviceRow) => void
  readonly onTools: (socket: DeviceSocket, device: DeviceRow) => void
  readonly onRpc: (socket: WebSocket, caller: Caller) => void
  readonly onTelemetry: (deviceId: string, body: unknown, address: string) => Promise<TelemetryReceipt>
  readonly onImage: (upload: ImageUpload) => Promise<unknown>
  readonly outside: OutsideDoor
  readonly secondSession?: 'replace' | 'refuse'
  /** Further names of this machine, and page origins that may call it (a development server). */
  readonly extraHosts?: readonly string[]
  readonly extraOrigins?: readonly string[]
  readonly caps?: { readonly perAddress: number; readonly total: number }
  readonly now?: () => number
}

export interface HttpServer {
  readonly ports: { readonly https: number; readonly loopback: number }
  /** `https://…/` for each address that people may type, the best first. */
  consoleUrls(): string[]
  /** `http://127.0.0.1:PORT` */
  readonly loopbackUrl: string
  /** Where the owner account is made; undefined once it exists. */
  setupUrl(): string | undefined
  /** Method and path of every route that is served, upgrades too. */
  readonly served: readonly string[]
  close(): Promise<void>
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** The network rim: both listeners, every HTTP route and the door for WebSockets. Throws 'server-port-taken'. */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { certificates, auth, log, version, now = Date.now } = options
  const doors = createDoors()
  const own = () => ownAddresses().map(({ address }) => address)
  const names = () => [...ownNames(), ...certificates.names(), ...own(), ...(options.extraHosts ?? [])]
  const site = createSite({ names, extraOrigins: options.extraOrigins ?? [] })
  let ports = { https: 0, loopback: 0 }

  const gate = createGate({ ...options, site, doors })
  const authRoutes = createAuthRoutes({ auth, doors, version })
  const publicRoutes = createPublicRoutes({ certificates, version, page: createConsolePage(options.consoleDir) })
  const deviceRoutes = createDeviceRoutes({
    ...options,
    site,
    doors,
    caFingerprint: certificates.fingerprint,
    ports: () => ports,
    lanAddress: () => lanAddresses(ownAddresses())[0],
    now,
  })
  const { provision, telemetry } = deviceRoutes
  const mcp = createMcpRoute(options.outside, gate.clientOf)
  const { app, served } = await openApp(gate, {
    ...publicRoutes,
    ...authRoutes,
    provision,
    telemetry: (request, reply) => telemetry(request, reply, gate.deviceOf(request)),
    image: createImageUpload(options),
    mcpPost: mcp,
    mcpStream: mcp,
    mcpEnd: mcp,
  })

  const dispatcher = createUpgradeDispatcher({ ...options, site, secondSession: options.secondSession ?? 'replace' })
  const listeners = await openListeners({
    ...options,
    host: options.host,
    onRequest(kind, request, response) {
      doors.note(request, kind)
      app.routing(request, response)
    },
    onUpgrade: (kind) => dispatcher.listener(kind),
  })
  ports = listeners.ports
  log.info('listening', { https: ports.https, loopback: ports.loopback })

  const consoleUrls = () => consoleHosts(options).map((host) => `https://${urlHost(host)}:${ports.https}/`)
  return {
    ports,
    served,
    consoleUrls,
    loopbackUrl: `http://127.0.0.1:${ports.loopback}`,
    setupUrl() {
      const secret = auth.setupSecret()
      return secret === undefined ? undefined : `${consoleUrls()[0] ?? ''}setup?secret=${secret}`
    },
    async close() {
      dispatcher.close()
      await listeners.close()
      await app.close()
    },
  }
}

/** What people may type: addresses that the listener has and the certificate names, the best first. */
function consoleHosts({ host, certificates }: Pick<HttpServerOptions, 'host' | 'certificates'>): string[] {
  if (host !== undefined && host !== '::' && host !== '0.0.0.0') return [host]
  return [...lanAddresses(ownAddresses()).filter((address) => certificates.names().includes(address)), 'localhost']
}

/** Every HTTP row of the table with its answer: a row without one does not compile. */
async function openApp(gate: Gate, answers: Record<HttpRouteName, Answer>) {
  const app = fastify({ logger: false, exposeHeadRoutes: false, trustProxy: false, bodyLimit: 64 * 1024 })
  readBodiesAsBytes(app)
  const served = gate.guard(app)
  for (const name of Object.keys(answers) as HttpRouteName[]) {
    const row: Route = routes[name]
    app.route({
      method: row.method,
      url: row.path,
      bodyLimit: row.bodyLimit ?? 1024,
      config: { route: name },
      handler: answers[name],
    })
  }
  await app.ready()
  return { app, served }
}

/** Nothing is parsed before its route asks; an upload stays a stream. */
function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  }
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
}
