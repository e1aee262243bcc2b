import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { DeviceSocket } from '../../base/device-socket.ts'
import type { Log } from '../../base/log.ts'
import { createRateGuard } from '../../base/rate-guard.ts'
import { createPendingCalls, type ResultFields } from './pending-calls.ts'
import { type FromBoard, maxTextBytes, parseFromBoard, type RpcId } from './rpc-message.ts'

/** iotta-protocol.md §4. */
export const maxInFlight = 16
const maxBufferedBytes = 256 * 1024

export interface RequestOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** One board's tool channel: JSON-RPC 2.0, the board is the server. */
export interface ToolChannel {
  /**
   * Resolves with the result object. Rejects tool-failed (the board said so), tool-bad-result (no object), tool-timeout,
   * tool-disconnected, tool-cancelled, tool-too-many (16 calls wait, or the board does not read), tool-bad-arguments
   * (more than 64 KiB).
   */
  request(method: string, params: object, options: RequestOptions): Promise<ResultFields>
  notify(method: string, params?: object): void
  /** Settles every call with tool-disconnected. Idempotent. */
  close(code: number): void
}

export interface ToolChannelOptions {
  readonly clock: Clock
  readonly log: Log
  readonly onNotification: (method: string) => void
  /** An answer that nobody waits for: late, doubled or invented. */
  readonly onDropped: () => void
  readonly onClosed: (code: number) => void
}

export function createToolChannel(socket: DeviceSocket, options: ToolChannelOptions): ToolChannel {
  const { clock, log } = options
  const calls = createPendingCalls(clock)
  const broken = createRateGuard({ limit: 20, windowMs: 60_000 })
  let closed = false

  function handle(message: FromBoard): void {
    switch (message.type) {
      case 'result':
        return settle(message.id, message.result)
      case 'error':
        return settle(message.id, boardError(message))
      case 'request':
        return send(answerTo(message))
      case 'notification':
        return options.onNotification(message.method)
      case 'too-large':
        return socket.close(1009, 'more than 64 KiB or nested too deeply')
      case 'broken':
        log.warn('broken message on the tool channel', { detail: message.detail })
        calls.settle(message.id, new AppError('tool-bad-result', 'The board did not answer with an object'))
        if (broken.count(clock.now())) socket.close(4422, 'messages break the schema')
        return
    }
  }

  function settle(id: RpcId | null, outcome: ResultFields | AppError): void {
    if (calls.settle(id, outcome)) return
    options.onDropped()
    log.info('late or unknown answer dropped', { id })
  }
  const send = (message: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }))

  /** The board may stop what it is doing (iotta-protocol.md §4). Only what a caller may cancel: `initialize` never is. */
  function cancel(id: number, reason: string): void {
    if (!closed) send({ method: 'notifications/cancelled', params: { requestId: id, reason } })
  }

  function end(code: number): void {
    if (closed) return
    closed = true
    calls.failAll(new AppError('tool-disconnected', 'The board closed its tool channel during the call'))
    options.onClosed(code)
  }

  socket.onMessage((data) => {
    if (typeof data !== 'string') socket.close(1003, 'text only')
    else if (!closed) handle(parseFromBoard(data))
  })
  // Later: a socket that is closed already calls back at once, and our owner does not know us yet.
  queueMicrotask(() => socket.onClose(end))
  return {
    async request(method, params, limits) {
      const { signal } = limits
      checkRoom({ closed, waiting: calls.size, bufferedBytes: socket.bufferedAmount, signal, params })
      return calls.run(
        { send: (id) => send({ id, method, params }), cancel: signal ? cancel : () => undefined },
        limits,
      )
    },
    notify: (method, params) => send({ method, ...(params && { params }) }),
    close(code) {
      socket.close(code)
      end(code)
    },
  }
}

function checkRoom(channel: {
  closed: boolean
  waiting: number
  bufferedBytes: number
  signal: AbortSignal | undefined
  params: object
}): void {
  if (channel.closed) throw new AppError('tool-disconnected', 'The tool channel of the board is closed')
  if (channel.signal?.aborted) throw new AppError('tool-cancelled', 'The call was cancelled before it was sent')
  if (channel.waiting >= maxInFlight) {
    throw new AppError('tool-too-many', `${maxInFlight} calls wait for this board`)
  }
  if (channel.bufferedBytes > maxBufferedBytes) {
    throw new AppError('tool-too-many', 'The board does not read its calls')
  }
  checkSize(channel.params)
}

/** A full MCP server may ping; nothing else is offered to boards. */
function answerTo({ id, method }: { id: RpcId; method: string }): object {
  return method === 'ping' ? { id, result: {} } : { id, error: { code: -32601, message: 'Method not found' } }
}

/** Measured with the longest id, so that nothing is registered for a message that is not sent. */
function checkSize(params: object): void {
  if (Buffer.byteLength(JSON.stringify(params)) + 256 > maxTextBytes) {
    throw new AppError('tool-bad-arguments', 'The arguments have more than 64 KiB')
  }
}

function boardError({ code, message }: { code: number; message: string }): AppError {
  return new AppError('tool-failed', message.slice(0, 300) || `The board reported error ${code}`, { details: { code } })
}
