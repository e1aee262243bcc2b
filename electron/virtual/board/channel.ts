import { WebSocket } from 'ws'
import { pause } from '../../base/deadline.ts'
import { afterClose, type Backoff } from './backoff.ts'
import type { BoardServer } from './provisioning.ts'

export interface ChannelOptions {
  readonly server: BoardServer
  readonly deviceId: string
  /** Asked before each try: a token may have been renewed meanwhile. */
  credentials(): { url: string; token: string }
  readonly backoff: Backoff
  onOpen(): void
  onMessage(data: string | Uint8Array): void
  onClosed(close: ChannelClose): void
  /** The token is no good any more: resolves once a new one is there, or false to stop. */
  renew(): Promise<boolean>
}

export interface ChannelClose {
  /** Close code, or the HTTP status of a refused upgrade. */
  readonly code: number
  readonly reason: string
}

export interface Channel {
  send(data: string | Uint8Array): void
  readonly open: boolean
  close(): Promise<void>
}

const goneAfterMs = 45_000

interface Inner {
  readonly options: ChannelOptions
  readonly stopping: AbortController
  socket: WebSocket | undefined
}

/** One of the two WebSockets of a board: reconnects by the rules of iotta-protocol §1.3 until it is closed. */
export function openChannel(options: ChannelOptions): Channel {
  const it: Inner = { options, stopping: new AbortController(), socket: undefined }
  const finished = keepOpen(it)
  return {
    send(data) {
      if (it.socket?.readyState === WebSocket.OPEN) it.socket.send(data)
    },
    get open() {
      return it.socket?.readyState === WebSocket.OPEN
    },
    async close() {
      it.stopping.abort()
      const last = it.socket
      last?.close(1000)
      setTimeout(() => last?.terminate(), 1000).unref()
      await finished
    },
  }
}

async function keepOpen(it: Inner): Promise<void> {
  const { options, stopping } = it
  while (!stopping.signal.aborted) {
    const started = performance.now()
    const end = await connectOnce(it)
    options.onClosed({ code: end.code, reason: end.reason })
    // A connection that held a minute was a good one (§1.3).
    if (performance.now() - started > 60_000) options.backoff.reset()
    const advice = end.code === 401 ? { provision: true, atLeastMs: 0 } : afterClose(end.code)
    await pause(options.backoff.next(Math.max(advice.atLeastMs, end.retryMs)), stopping.signal)
    if (advice.provision && !(await options.renew())) return
  }
}

interface Ending extends ChannelClose {
  readonly retryMs: number
}

function connectOnce(it: Inner): Promise<Ending> {
  const { server, deviceId } = it.options
  const { url, token } = it.options.credentials()
  const connection = new WebSocket(url, {
    perMessageDeflate: false,
    handshakeTimeout: 10_000,
    maxPayload: 256 * 1024,
    headers: { authorization: `Bearer ${token}`, 'device-id': deviceId, 'protocol-version': '1' },
    ...(server.ca === undefined ? {} : { ca: server.ca }),
  })
  it.socket = connection
  return new Promise((resolve) => {
    const watchdog = watch(connection)
    let failure: Ending = { code: 1006, reason: '', retryMs: 0 }
    connection.on('unexpected-response', (request, response) => {
      const retryMs = 1000 * Number(response.headers['retry-after'] ?? 0) || 0
      failure = { code: response.statusCode ?? 0, reason: 'upgrade refused', retryMs }
      response.resume()
      request.destroy()
    })
    connection.on('error', (error) => {
      if (failure.reason === '') failure = { ...failure, reason: error.message }
    })
    connection.on('open', () => it.options.onOpen())
    connection.on('message', (data: Buffer, binary) => {
      it.options.onMessage(binary ? new Uint8Array(data) : data.toString('utf8'))
    })
    connection.on('close', (code, reason) => {
      watchdog.stop()
      if (it.socket === connection) it.socket = undefined
      resolve(code === 1006 ? failure : { code, reason: reason.toString('utf8'), retryMs: 0 })
    })
  })
}

/** A server that is silent for 45 s is gone (§1.3): it pings every 20 s. */
function watch(connection: WebSocket) {
  let timer: NodeJS.Timeout | undefined
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => connection.terminate(), goneAfterMs)
  }
  for (const sign of ['open', 'ping', 'message'] as const) connection.on(sign, alive)
  return { stop: () => clearTimeout(timer) }
}
