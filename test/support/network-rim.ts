import { mkdtemp, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect as netConnect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as tlsConnect } from 'node:tls'
import { pathToFileURL } from 'node:url'
import { WebSocket } from 'ws'
import { silentLog } from '../../electron/base/log.ts'
import { createClaims } from '../../electron/server/devices/claims.ts'
import { type DevicesOptions, createDevices } from '../../electron/server/devices/devices.ts'
import { type EnrolmentOptions, createEnrolment } from '../../electron/server/devices/enrolment.ts'
import { createRateLimit } from '../../electron/server/devices/rate-limit.ts'
import { type AuthOptions, openAuth } from '../../electron/server/http/auth.ts'
import { openCertificates } from '../../electron/server/http/certificates.ts'
import { type HttpServerOptions, createHttpServer } from '../../electron/server/http/http-server.ts'
import { openStore } from '../../electron/server/store/open-store.ts'

export interface RimOptions {
  readonly devices?: Partial<DevicesOptions>
  readonly enrolment?: Partial<EnrolmentOptions>
  readonly auth?: Partial<AuthOptions>
  readonly http?: Partial<HttpServerOptions>
}

/** Store and registry without sockets. */
export async function openRegistry(options: RimOptions = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'roost-rim-'))
  const store = await openStore({ dir, log: silentLog })
  const now = options.devices?.now ?? Date.now
  const monotonic = options.devices?.monotonic ?? (() => performance.now())
  const devices = await createDevices({ store, log: silentLog, now, monotonic, ...options.devices })
  const claims = createClaims({ credentials: store.credentials, now })
  const rateLimit = createRateLimit({ now: monotonic })
  const enrolment = createEnrolment({
    devices,
    claims,
    credentials: store.credentials,
    rateLimit,
    mode: 'approve',
    log: silentLog,
    now,
    monotonic,
    ...options.enrolment,
  })
  return {
    dir,
    store,
    devices,
    claims,
    rateLimit,
    enrolment,
    async close() {
      devices.close()
      await store.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export type Rim = Awaited<ReturnType<typeof openRim>>

/** The network rim on free ports, with a real store and the features above it left out. */
export async function openRim(options: RimOptions = {}) {
  const registry = await openRegistry(options)
  const certificates = await openCertificates({ dir: join(registry.dir, 'tls'), log: silentLog })
  const auth = await openAuth({ accounts: registry.store.accounts, ...options.auth })
  const http = await createHttpServer({
    ...registry,
    host: undefined,
    port: 0,
    loopbackPort: 0,
    certificates,
    auth,
    log: silentLog,
    version: '0.0.0-test',
    consoleDir: pathToFileURL(join(registry.dir, 'console/')),
    tempDir: join(registry.dir, 'uploads'),
    agent: () => ({ id: 'home', name: 'Home', language: 'en' }),
    onSession: (socket) => socket.onMessage((data) => socket.send(data)),
    onTools: (socket) => socket.onMessage((data) => socket.send(data)),
    onRpc: (socket) => socket.send('hello'),
    onTelemetry: async () => ({ accepted: 1, rejected: [] }),
    onImage: async (upload) => ({ name: upload.name }),
    outside: { admit: () => ({ refusal: 'mcp-token-unknown' }), handle: async () => undefined },
    ...options.http,
  })

  const base = { tls: `https://localhost:${http.ports.https}`, loopback: `http://127.0.0.1:${http.ports.loopback}` }
  return {
    ...registry,
    certificates,
    auth,
    http,
    base,
    /** One request over either listener; the connection is not kept. */
    ask: (kind: 'tls' | 'loopback', path: string, more: AskOptions = {}) =>
      ask(`${base[kind]}${path}`, { ca: certificates.caPem, ...more }),
    provision: (body: object, headers: Record<string, string> = {}, kind: 'tls' | 'loopback' = 'tls') =>
      ask(`${base[kind]}/provision`, {
        ca: certificates.caPem,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ board: 'bench', fw: { name: 'test', version: '1' }, ...body }),
      }),
    socket(kind: 'tls' | 'loopback', path: string, more: SocketOptions = {}) {
      const url = `${base[kind].replace('http', 'ws')}${path}`
      const tls = { ca: certificates.caPem, servername: 'localhost' }
      return new WebSocket(url, more.protocols ?? [], {
        ...tls,
        perMessageDeflate: true,
        headers: more.headers ?? {},
      })
    },
    /** A raw connection, for bytes that no client library would send. */
    raw(kind: 'tls' | 'loopback') {
      return kind === 'tls'
        ? tlsConnect({ port: http.ports.https, host: 'localhost', ca: certificates.caPem })
        : netConnect(http.ports.loopback, '127.0.0.1')
    },
    async close() {
      certificates.close()
      await http.close()
      await registry.close()
    },
  }
}

export interface SocketOptions {
  readonly headers?: Record<string, string>
  readonly protocols?: string[]
}

export interface AskOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
  readonly ca?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  json(): Record<string, unknown>
}

export function ask(url: string, { method = 'GET', headers = {}, body, ca }: AskOptions): Promise<Answer> {
  const asked = Promise.withResolvers<Answer>()
  const start = url.startsWith('https:') ? httpsRequest : httpRequest
  // The name of the handshake stays ours when a test sends another Host.
  const tls = ca === undefined ? {} : { ca, servername: 'localhost' }
  const request = start(url, { method, headers, agent: false, ...tls }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', asked.reject)
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      asked.resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text,
        json: () => JSON.parse(text) as Record<string, unknown>,
      })
    })
  })
  request.on('error', asked.reject)
  request.end(body)
  return asked.promise
}

export const deviceHeaders = (token: string, id: string, version = '1') => ({
  Authorization: `Bearer ${token}`,
  'Device-Id': id,
  'Protocol-Version': version,
})

export const deviceProtocols = (token: string, id: string, version = '1') => {
  const part = (name: string, value: string) => `iotta.${name}.${Buffer.from(value).toString('base64url')}`
  return [
    'iotta.v1',
    part('authorization', `Bearer ${token}`),
    part('device-id', id),
    part('protocol-version', version),
  ]
}

/** What became of an upgrade: the open socket, or the refusal with its body. */
export async function upgradeResult(
  socket: WebSocket,
): Promise<
  | { readonly open: true; readonly protocol: string; readonly extensions: string }
  | { readonly open: false; readonly status: number; readonly code: unknown; readonly headers: Answer['headers'] }
> {
  const result = Promise.withResolvers<Awaited<ReturnType<typeof upgradeResult>>>()
  socket.once('open', () => result.resolve({ open: true, protocol: socket.protocol, extensions: socket.extensions }))
  socket.once('unexpected-response', (_request, response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { error: { code: string } }
      result.resolve({
        open: false,
        status: response.statusCode ?? 0,
        code: body.error.code,
        headers: response.headers,
      })
    })
  })
  socket.on('error', (error) => result.reject(error))
  return result.promise
}

export function closeCode(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => socket.once('close', resolve))
}

export function nextMessage(socket: WebSocket): Promise<string> {
  return new Promise((resolve) => socket.once('message', (data) => resolve((data as Buffer).toString('utf8'))))
}
