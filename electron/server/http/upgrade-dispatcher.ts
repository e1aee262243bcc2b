import type { IncomingMessage } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { DeviceSocket } from '../../base/device-socket.ts'
import type { Log } from '../../base/log.ts'
import type { Devices } from '../devices/devices.ts'
import type { RateLimit } from '../devices/rate-limit.ts'
import type { DeviceRow } from '../store/store.ts'
import { plainAddress } from './addresses.ts'
import type { Auth, Caller } from './auth.ts'
import { type UpgradeRequest, admitConsole, admitDevice } from './admission.ts'
import { createBoardChannels } from './board-channels.ts'
import { closeSocket } from './board-socket.ts'
import { createConsoleChannels } from './console-channels.ts'
import { createKeepAlive } from './keep-alive.ts'
import type { ListenerKind, UpgradeListener } from './listeners.ts'
import { type Refusal, iottaRefusal, refuseUpgrade } from './refusal.ts'
import { routes } from './routes.ts'
import type { Site } from './site.ts'

export interface UpgradeOptions {
  readonly devices: Devices
  readonly rateLimit: RateLimit
  readonly auth: Auth
  readonly site: Site
  readonly log: Log
  /** May a second session of a device replace the first (4409), or is it refused (409)? */
  readonly secondSession: 'replace' | 'refuse'
  readonly onSession: (socket: DeviceSocket, device: DeviceRow) => void
  readonly onTools: (socket: DeviceSocket, device: DeviceRow) => void
  readonly onRpc: (socket: WebSocket, caller: Caller) => void
}

export interface UpgradeDispatcher {
  listener(kind: ListenerKind): UpgradeListener
  /** Every open socket ends with 1001. */
  close(): void
}

const wire = { noServer: true, perMessageDeflate: false, maxFragments: 64, maxBufferedChunks: 1024 } as const
const boardPayload = 64 * 1024
const rpcPayload = 1024 * 1024

/** The one door for WebSockets. Nothing is accepted that is not named here; every refusal comes before the 101. */
export function createUpgradeDispatcher(options: UpgradeOptions): UpgradeDispatcher {
  const { auth, devices, log, secondSession } = options
  const keepAlive = createKeepAlive()
  const handshake = createHandshake(log)
  const boards = createBoardChannels(devices, log)
  const consoles = createConsoleChannels(auth)

  async function openBoard(upgrade: UpgradeRequest, endpoint: 'session' | 'tools'): Promise<Refusal | undefined> {
    const { kind: listener, address } = upgrade
    const admission = await admitDevice(upgrade, options)
    if ('refusal' in admission) return admission.refusal
    const { device, tokenHash } = admission
    if (endpoint === 'session' && secondSession === 'refuse' && boards.has(endpoint, device.id)) {
      return iottaRefusal('second_session')
    }
    handshake('board', upgrade, (socket) => {
      keepAlive.watch(socket)
      const board = boards.add({ socket, listener, address, endpoint, deviceId: device.id, tokenHash })
      if (endpoint === 'session') options.onSession(board, device)
      else options.onTools(board, device)
    })
    return undefined
  }

  async function openConsole(upgrade: UpgradeRequest): Promise<Refusal | undefined> {
    const admission = await admitConsole(upgrade, options)
    if ('refusal' in admission) return admission.refusal
    handshake('console', upgrade, (socket) => {
      keepAlive.watch(socket)
      consoles.add(socket, admission.caller)
      options.onRpc(socket, admission.caller)
    })
    return undefined
  }

  async function dispatch(upgrade: UpgradeRequest): Promise<Refusal | undefined> {
    const path = pathOf(upgrade.request)
    if (path === routes.session.path) return shapeRefusal(upgrade.request) ?? openBoard(upgrade, 'session')
    if (path === routes.tools.path) return shapeRefusal(upgrade.request) ?? openBoard(upgrade, 'tools')
    if (path === routes.rpc.path) return shapeRefusal(upgrade.request) ?? openConsole(upgrade)
    return { status: 404, code: 'server-not-found', message: 'There is no such WebSocket.' }
  }

  return {
    listener: (kind) => (request, socket, head) => {
      const address = plainAddress(request.socket.remoteAddress ?? '')
      socket.on('error', () => socket.destroy())
      const failed = (error: unknown): Refusal => {
        log.error('upgrade failed', { error })
        return { status: 500, code: 'server-internal', message: 'Something failed inside the server.' }
      }
      void dispatch({ kind, address, request, socket, head })
        .catch(failed)
        .then((refusal) => refusal && refuseUpgrade(socket, refusal))
    },
    close() {
      keepAlive.close()
      boards.closeAll(1001, 'server going away')
      consoles.closeAll(1001, 'server going away')
    },
  }
}

function createHandshake(log: Log) {
  const servers = {
    board: new WebSocketServer({
      ...wire,
      maxPayload: boardPayload,
      handleProtocols: (offered) => (offered.has('iotta.v1') ? 'iotta.v1' : false),
    }),
    console: new WebSocketServer({ ...wire, maxPayload: rpcPayload, handleProtocols: () => false }),
  }
  return function handshake(
    kind: keyof typeof servers,
    { request, socket, head }: UpgradeRequest,
    use: (ws: WebSocket) => void,
  ): void {
    servers[kind].handleUpgrade(request, socket, head, (ws) => {
      // ws closes with the right code by itself (1007, 1009, …); without a listener the event would be thrown.
      ws.on('error', (error) => log.debug('socket failed', { error }))
      try {
        use(ws)
      } catch (error) {
        log.error('socket was not taken', { error })
        closeSocket(ws, 1011, 'server fault')
      }
    })
  }
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? ''
}

/** What RFC 6455 §4.2.1 asks of a client; ws would answer in plain text. */
function shapeRefusal({ method, headers }: IncomingMessage): Refusal | undefined {
  const isWebSocket = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
  if (!isWebSocket) return iottaRefusal('bad_request', { message: 'This is no WebSocket upgrade.' })
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')) {
    return iottaRefusal('bad_request', { message: 'Sec-WebSocket-Key is missing or malformed.' })
  }
  if (headers['sec-websocket-version'] !== '13') {
    return iottaRefusal('bad_request', {
      message: 'Sec-WebSocket-Version must be 13.',
      headers: { 'Sec-WebSocket-Version': '13' },
    })
  }
  return undefined
}
