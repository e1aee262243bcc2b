import { type IncomingMessage, type RequestListener, type ServerResponse, createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { AppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import { isLoopbackAddress } from '../devices/rate-limit.ts'
import { plainAddress } from './addresses.ts'
import type { Certificates } from './certificates.ts'
import { holderOfPort } from './port-holder.ts'
import { refuseUpgrade } from './refusal.ts'

/** Which door a connection came through; `loopback` is plain and bound to 127.0.0.1 and ::1. */
export type ListenerKind = 'tls' | 'loopback'

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export interface Listeners {
  readonly ports: { readonly https: number; readonly loopback: number }
  close(): Promise<void>
}

export interface ListenersOptions {
  readonly certificates: Certificates
  readonly log: Log
  /** Undefined = all interfaces, both families. */
  readonly host: string | undefined
  readonly port: number
  readonly loopbackPort: number
  /** Connections at once: from one address, and over TLS in all (reliability.md C 12). */
  readonly caps?: { readonly perAddress: number; readonly total: number }
  readonly onRequest: (kind: ListenerKind, request: IncomingMessage, response: ServerResponse) => void
  readonly onUpgrade: (kind: ListenerKind) => UpgradeListener
}

// Headers within 10 s, anything within 10 min (an image over bad Wi-Fi); routes set their own, shorter body limits.
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 600_000,
  keepAliveTimeout: 15_000,
  // Half requests are looked for this often; with Node's 30 s a limit of 10 s would mean 40.
  connectionsCheckingInterval: 1_000,
}
const defaultCaps = { perAddress: 64, total: 2_000 }

/** Opens both listeners. Throws 'server-port-taken', naming the holder where the system tells it. */
export async function openListeners(options: ListenersOptions): Promise<Listeners> {
  const { certificates, host, port, loopbackPort, onRequest, onUpgrade } = options
  const tls = createTlsServer(
    { ...limits, ...certificates.leaf(), minVersion: 'TLSv1.2', handshakeTimeout: 10_000 },
    (request, response) => onRequest('tls', request, response),
  )
  certificates.onLeaf((leaf) => tls.setSecureContext({ ...leaf, minVersion: 'TLSv1.2' }))
  // Without a listener a failed handshake is an error event on nothing; the peer is gone either way.
  const note = createRefusalLog(options.log)
  tls.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    note('tls', error.code)
    socket.destroy()
  })
  capConnections(tls, options.caps ?? defaultCaps)

  const plain = () => createServer(limits, (request, response) => onRequest('loopback', request, response))
  const open: Server[] = []
  const sockets = new Set<Socket>()
  const start = async (server: HttpLike, kind: ListenerKind, at: Address) => {
    server.on('upgrade', onUpgrade(kind))
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      note(kind, error.code)
      refuseClient(error, socket)
    })
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
    open.push(server)
    return listen(server, at)
  }

  try {
    const https = await start(tls, 'tls', host === undefined ? { port } : { host, port })
    const loopback = await start(plain(), 'loopback', { host: '127.0.0.1', port: loopbackPort })
    await start(plain(), 'loopback', { host: '::1', port: loopback, ipv6Only: true }).catch((error: unknown) => {
      if (!isMissingFamily(error)) throw error
      options.log.info('no IPv6 loopback on this machine')
    })
    return { ports: { https, loopback }, close: () => closeAll(open, sockets) }
  } catch (error) {
    await closeAll(open, sockets)
    throw error
  }
}

interface HttpLike extends Server {
  on(event: 'upgrade', listener: UpgradeListener): this
  on(event: 'clientError', listener: (error: NodeJS.ErrnoException, socket: Duplex) => void): this
  on(event: 'request', listener: RequestListener): this
  on(event: string, listener: (...values: never[]) => void): this
}

interface Address {
  readonly port: number
  readonly host?: string
  readonly ipv6Only?: boolean
}

async function listen(server: Server, at: Address): Promise<number> {
  const started = Promise.withResolvers<undefined>()
  server.once('error', started.reject)
  server.listen(at, () => started.resolve(undefined))
  try {
    await started.promise
  } catch (cause) {
    throw await listenFailure(cause as NodeJS.ErrnoException, at)
  } finally {
    server.off('error', started.reject)
  }
  return (server.address() as AddressInfo).port
}

async function listenFailure(cause: NodeJS.ErrnoException, { port, host = 'all interfaces' }: Address): Promise<Error> {
  // Only the second loopback family may be missing; an address that a person named has to be there.
  if (isMissingFamily(cause) && host === '::1') return cause
  if (cause.code === 'EADDRINUSE') {
    const holder = await holderOfPort(port)
    const message = `Port ${port} (${host}) is in use by ${holder ?? 'another program'}`
    return new AppError('server-port-taken', message, { cause, details: { port, ...(holder && { holder }) } })
  }
  return new AppError('server-bad-config', `Cannot listen on ${host} port ${port}: ${cause.code ?? cause.message}`, {
    cause,
  })
}

function isMissingFamily(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'
}

/** The excess is cut at once; loopback peers do not count, so the owner always gets in. */
function capConnections(server: Server, { perAddress, total }: { perAddress: number; total: number }): void {
  const byAddress = new Map<string, number>()
  let all = 0
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    if (isLoopbackAddress(address)) return
    const mine = (byAddress.get(address) ?? 0) + 1
    byAddress.set(address, mine)
    all += 1
    socket.once('close', () => {
      all -= 1
      const left = (byAddress.get(address) ?? 1) - 1
      if (left === 0) byAddress.delete(address)
      else byAddress.set(address, left)
    })
    if (mine > perAddress || all > total) socket.destroy()
  })
}

/** One line a second at most, with how many it stands for: a flood must not fill the log. */
function createRefusalLog(log: Log): (listener: ListenerKind, reason: string | undefined) => void {
  let since = Number.NEGATIVE_INFINITY
  let unsaid = 0
  return (listener, reason = 'unknown') => {
    unsaid += 1
    if (performance.now() - since < 1_000) return
    log.info('connection refused', { code: 'iotta-bad-request', listener, reason, count: unsaid })
    since = performance.now()
    unsaid = 0
  }
}

/** What never became a request: too large headers, no HTTP at all, or too slow. */
function refuseClient(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  socket.on('error', () => socket.destroy())
  refuseUpgrade(socket, { status, code: 'bad_request', message: 'The request is malformed, too large or too slow.' })
}

async function closeAll(servers: readonly Server[], sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
  // Upgraded sockets too: a server that closes waits for them.
  for (const socket of sockets) socket.destroy()
  await Promise.all(closed)
}
