import { hostname } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { systemClock } from '../base/clock.ts'
import { createDisposer, type Disposer } from '../base/disposer.ts'
import { consoleUrl } from '../base/entries.ts'
import { type BoardWiring, wireBoards } from './board-wiring.ts'
import { isLoopbackHost, type ServerConfig } from './config.ts'
import { createClaims, type Claims } from './devices/claims.ts'
import { createEnrolment, type Enrolment } from './devices/enrolment.ts'
import { createFleet } from './devices/fleet.ts'
import { createRateLimit, type RateLimit } from './devices/rate-limit.ts'
import { createFeatures } from './features.ts'
import { createFlashJobs } from './flash-jobs.ts'
import { createFlasher, type Flasher } from './flash/flasher.ts'
import { type Certificates, openCertificates } from './http/certificates.ts'
import { announceServer } from './http/discovery.ts'
import { openHelpers } from './helper-wiring.ts'
import { createHttpServer, type HttpServer } from './http/http-server.ts'
import { type ImageLibrary, openImageLibrary } from './image-library.ts'
import { createJobs, type Jobs } from './jobs/jobs.ts'
import { type Mcp, openMcp } from './mcp-wiring.ts'
import { createOverview } from './overview.ts'
import { createRpcServer, type RpcServer } from './rpc/rpc-server.ts'
import { removeRunFile, writeRunFile } from './run-file.ts'
import { openParts, type ServerParts, type ServerSurroundings } from './server-parts.ts'
import { createSessions, type Sessions } from './session/sessions.ts'
import type { Builtin } from './tools/builtin/open-builtin.ts'
import { openThings, type Things } from './thing-wiring.ts'
import { createVirtualChips, type VirtualChips } from './virtual-chips.ts'
import { createUartDesk, type UartDesk } from './uart-features.ts'
import { agentName } from './voice.ts'

export interface RoostServer {
  readonly ports: { readonly https: number; readonly loopback: number }
  readonly loopbackUrl: string
  /** `https://…`, addresses that this machine reaches itself, the best first. */
  readonly consoleUrls: readonly string[]
  /** Absolute path of the CA certificate, PEM. */
  readonly caPath: string
  /** Where the owner account is made; undefined once there is one. */
  setupUrl(): string | undefined
  /** The value of a session cookie for the desktop window. */
  desktopSession(): Promise<string>
  readonly jobs: Jobs
  /** Takes further sources of tools and facts for outside programs (`/mcp`). */
  readonly gateway: Pick<Mcp['gateway'], 'register'>
  /** Sockets are told 1001, jobs parked, the WAL checkpointed. Idempotent. */
  close(): Promise<void>
}

interface Joined extends ServerParts {
  readonly helpers: Builtin
  readonly mcp: Mcp
  readonly claims: Claims
  readonly rateLimit: RateLimit
  readonly enrolment: Enrolment
  readonly sessions: Sessions
  readonly boards: BoardWiring
  readonly flasher: Flasher
  readonly jobs: Jobs
  readonly library: ImageLibrary
  readonly chips: VirtualChips
  readonly uart: UartDesk
  readonly things: Things
  readonly certificates: Certificates
}

/** What a job may take to end by itself when the server stops. */
const jobPatienceMs = 1_500

/**
 * The composition root: every feature is made and joined here, and closed in reverse: sockets, jobs, store. Processes
 * are told to end on the way and waited for last, when all that must be saved is. Throws server-… codes.
 */
export async function createServer(config: ServerConfig, around: ServerSurroundings): Promise<RoostServer> {
  const disposer = createDisposer()
  try {
    const joined = await joinParts(await openParts(config, around, disposer), disposer)
    const http = await listen(joined, disposer)
    return present(joined, http, disposer)
  } catch (error) {
    await disposer.close()
    throw error
  }
}

async function joinParts(parts: ServerParts, disposer: Disposer): Promise<Joined> {
  const { config, log, store, devices, tools, boardTools, turns, recorder, voice } = parts
  const certificates = await openCertificates({ dir: join(config.dataDir, 'tls'), log })
  disposer.add(() => certificates.close())
  const rateLimit = createRateLimit({ now: () => performance.now() })
  const claims = createClaims({ credentials: store.credentials, now: Date.now })
  const enrolment = createEnrolment({
    devices,
    claims,
    credentials: store.credentials,
    rateLimit,
    mode: config.enrol,
    log,
    tokenLifeMs: config.tokenMinutes * 60_000,
  })
  const sessions = createSessions({
    ...voice,
    clock: systemClock,
    log,
    deviceName: (id) => devices.row(id)?.name ?? id,
  })
  disposer.add(() => tools.close())
  disposer.add(() => boardTools.close())
  disposer.add(() => sessions.close())
  const onReply = (deviceId: string, replyMs: number, at: number) =>
    recorder.own(deviceId, 'reply_ms', { at: Math.round(at), value: replyMs })
  const boards = wireBoards({ devices, sessions, boardTools, turns, onReply })
  disposer.add(() => boards.close())
  const library = await openImageLibrary({ dir: join(config.dataDir, 'firmware'), store: store.images, now: Date.now })
  const flasher = createFlasher({ launcher: parts.launcher, log })
  disposer.addAside(() => flasher.close())
  const jobs = await createJobs({ store, now: Date.now, log })
  disposer.add(() => {
    const parked = jobs.park(jobPatienceMs)
    // Asked to end, no job fails any more because of its lane: the flasher can go at the same time.
    void flasher.close()
    return parked
  })
  const chips = createVirtualChips({
    dir: join(config.dataDir, 'virtual'),
    launcher: parts.launcher,
    log,
    random: Math.random,
  })
  disposer.addAside(() => chips.close())
  const sources = await joinSources(parts, sessions, disposer)
  return {
    ...parts,
    ...sources,
    claims,
    rateLimit,
    enrolment,
    sessions,
    boards,
    flasher,
    jobs,
    library,
    chips,
    certificates,
  }
}

/** What brings tools beside the boards: built-ins, outside MCP servers, microcontrollers, Things. */
async function joinSources(parts: ServerParts, sessions: Sessions, disposer: Disposer) {
  const helpers = await openHelpers({ ...parts, sessions })
  disposer.add(() => helpers.close())
  const uart = createUartDesk({ ...parts, dataDir: parts.config.dataDir, clock: systemClock })
  disposer.add(() => uart.close())
  parts.tools.register(uart.provider)
  const things = await openThings({ ...parts, sessions, uart }, disposer)
  const mcp = await openMcp({ ...parts, things: things.runtime, version: manifest.version }, disposer)
  return { helpers, mcp, uart, things }
}

/** Last of all the listeners: what answers is complete. */
async function listen(parts: Joined, disposer: Disposer): Promise<HttpServer> {
  const { config, log, devices, enrolment, rateLimit, certificates, boards, recorder, library } = parts
  const rim: { rpc?: RpcServer } = {}
  const http = await createHttpServer({
    // Node's own choice of "all": both families, or IPv4 alone where there is no IPv6.
    host: config.host === '::' ? undefined : config.host,
    port: config.port,
    loopbackPort: config.loopbackPort,
    certificates,
    devices,
    enrolment,
    rateLimit,
    auth: parts.auth,
    log,
    version: manifest.version,
    consoleDir: consoleUrl(),
    tempDir: join(config.dataDir, 'firmware', 'incoming'),
    agent: () => agentName,
    onSession: (socket, device) => boards.onSession(socket, device),
    onTools: (socket, device) => boards.onTools(socket, device),
    onRpc: (socket, caller) => rim.rpc?.connect(socket, caller),
    onTelemetry: async (deviceId, body, address) => {
      const receipt = await recorder.accept(deviceId, body)
      devices.noteTelemetry(deviceId, await latestOf(parts, deviceId), address)
      return receipt
    },
    onImage: (upload) => library.add(upload),
    outside: parts.mcp.outside,
  })
  rim.rpc = answerConsole(parts, http, disposer)
  // The first to close: boards and pages are told 1001 before anything that they use goes away.
  disposer.add(() => http.close())
  if (!isLoopbackHost(config.host)) {
    const { fingerprint } = certificates
    const announced = announceServer({
      name: `Roost on ${hostname()} ${fingerprint.slice(7, 11)}`,
      port: http.ports.https,
      id: fingerprint.slice(7, 23),
      fingerprint,
      log,
    })
    disposer.addAside(() => announced.close())
  }
  writeRunFile(config.dataDir, http.loopbackUrl, parts.secrets.run)
  disposer.add(() => removeRunFile(config.dataDir))
  void parts.chips.resume().catch((error: unknown) => log.warn('virtual boards were not switched on', { error }))
  return http
}

/** What the fleet shows of a report; the recorder has kept the whole. */
async function latestOf({ recorder }: Joined, deviceId: string): Promise<Record<string, number>> {
  const names = ['rssi_dbm', 'heap_free_bytes']
  const found = await Promise.all(
    names.map(async (name) => [name, (await recorder.latest(deviceId, name))?.value] as const),
  )
  return Object.fromEntries(found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

function answerConsole(parts: Joined, http: HttpServer, disposer: Disposer): RpcServer {
  const { config, log, devices, enrolment } = parts
  const fleet = createFleet({ devices, enrolment })
  disposer.add(() => fleet.close())
  const overview = createOverview({ ...parts, http, version: manifest.version })
  disposer.add(() => overview.close())
  const lanUrl = () => new URL(http.consoleUrls()[0] ?? '').origin
  const flashJobs = createFlashJobs({
    ...parts,
    caDer: parts.certificates.caDer,
    serverUrl: (forVirtual) => (forVirtual ? `https://${virtualHost(config.host)}:${http.ports.https}` : lanUrl()),
    now: Date.now,
  })
  return createRpcServer({ features: createFeatures({ ...parts, fleet, overview, flashJobs }), log })
}

/** A board on this machine goes over real TLS, on the address that the listener has. */
function virtualHost(host: string): string {
  return host === '::' || host === '0.0.0.0' || host === 'localhost'
    ? '127.0.0.1'
    : host.includes(':')
      ? `[${host}]`
      : host
}

function present(parts: Joined, http: HttpServer, disposer: Disposer): RoostServer {
  return {
    ports: http.ports,
    loopbackUrl: http.loopbackUrl,
    consoleUrls: http.consoleUrls(),
    caPath: parts.certificates.caPath,
    setupUrl: () => http.setupUrl(),
    desktopSession: async () =>
      (await parts.auth.desktop(parts.secrets.desktop, { address: '127.0.0.1', listener: 'loopback' })).secret,
    jobs: parts.jobs,
    gateway: parts.mcp.gateway,
    close: () => disposer.close(),
  }
}
