import { ORPCError, createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import type { ContractRouterClient } from '@orpc/contract'
import { WebSocket } from 'ws'
import { AppError } from '../../base/app-error.ts'
import { isErrorCode } from '../../contract/errors.ts'
import type { contract } from '../../contract/rpc.ts'

export type RpcClient = ContractRouterClient<typeof contract>

export interface RpcConnection {
  readonly client: RpcClient
  close(): void
}

export interface ConnectOptions {
  /** `http://…` or `https://…` of the server, without path. */
  readonly url: string
  /** A run secret or an API token. */
  readonly token: string
  /** PEM of the server's CA, for https. */
  readonly ca?: string | undefined
}

const openWithinMs = 10_000

/**
 * The console's calls from a shell. Throws 'server-not-running' when nobody answers, 'console-sign-in-needed' and the
 * other refusals of the door by their codes. Errors of calls: see `fromWire`.
 */
export async function connectRpc({ url, token, ca }: ConnectOptions): Promise<RpcConnection> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws').replace(/\/$/, '')}/rpc`, {
    headers: { Authorization: `Bearer ${token}` },
    handshakeTimeout: openWithinMs,
    perMessageDeflate: false,
    ...(ca === undefined ? {} : { ca }),
  })
  await opened(socket, url)
  socket.on('error', () => socket.terminate())
  const link = new RPCLink({ websocket: socket as unknown as globalThis.WebSocket })
  return { client: createORPCClient<RpcClient>(link), close: () => socket.close() }
}

/** Anything that a call of `RpcClient` rejects with, as the AppError that the server threw. */
export function fromWire(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof ORPCError) {
    const wire = error.data as { code?: unknown; message?: unknown } | undefined
    if (typeof wire?.code === 'string' && isErrorCode(wire.code)) {
      return new AppError(wire.code, String(wire.message), { cause: error })
    }
    return new AppError('server-internal', error.message, { cause: error })
  }
  // The library names its own queue when the socket drops.
  return new AppError('console-connection-lost', 'The connection to the server was lost', { cause: error })
}

async function opened(socket: WebSocket, url: string): Promise<void> {
  const open = Promise.withResolvers<undefined>()
  socket.once('open', () => open.resolve(undefined))
  socket.once('unexpected-response', (_request, response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => open.reject(refusalOf(Buffer.concat(chunks).toString('utf8'), response.statusCode ?? 0)))
  })
  socket.once('error', (cause) =>
    open.reject(new AppError('server-not-running', `No server answers at ${url}: ${cause.message}`, { cause })),
  )
  await open.promise
}

function refusalOf(body: string, status: number): AppError {
  try {
    const { error } = JSON.parse(body) as { error: { code: string; message: string } }
    return new AppError(isErrorCode(error.code) ? error.code : 'server-bad-request', error.message)
  } catch (cause) {
    return new AppError('server-not-running', `The server answered ${status} in another language`, { cause })
  }
}
