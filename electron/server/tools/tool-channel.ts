import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { DeviceSocket } from '../../base/device-socket.ts'
import type { Log } from '../../base/log.ts'
import { createRateGuard } from '../../base/rate-guard.ts'
import { createPendingCalls, type ResultFields } from './pending-calls.ts'
import { type FromBoard, maxTextBytes, parseFromBoard } from './rpc-message.ts'

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
        return settled(calls.settle(message.id, message.result), message.id)
      case 'error':
        return settled(calls.settle(message.id, boardError(message)), message.id)
      case 'request':
        // A full MCP server may ping; nothing else is offered to boards.
        if (message.method === 'ping') return send({ id: message.id, result: {} })
        return send({ id: message.id, error: { code: -32601, message: 'Method not found' } })
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

  function settled(known: boolean, id: unknown): void {
    if (known) return
    options.onDropped()
    log.info('late or unknown answer dropped', { id })
  }

  function send(message: object): void {
    socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }

  function end(code: number): void {
    if (closed) return
    closed = true
    calls.failAll(new AppError('tool-disconnected', 'The board closed its tool channel during the call'))
    options.onClosed(code)
  }

  socket.onMessage((data) => {
    if (closed) return
    if (typeof data === 'string') handle(parseFromBoard(data))
    else socket.close(1003, 'text only')
  })
  // Later: a socket that is closed already calls back at once, and our owner does not know us yet.
  queueMicrotask(() => socket.onClose(end))
  return {
    async request(method, params, { timeoutMs, signal }) {
      checkRoom({ closed, waiting: calls.size, bufferedBytes: socket.bufferedAmount, signal })
      // Measured with the longest id, so that nothing is registered for a message that is not sent.
      if (Buffer.byteLength(JSON.stringify(params)) + 256 > maxTextBytes) {
        throw new AppError('tool-bad-arguments', 'The arguments have more than 64 KiB')
      }
      return calls.run(
        {
          send: (id) => send({ id, method, params }),
          // The board may stop what it is doing (iotta-protocol.md §4).
          cancel(id, reason) {
            // Only what a caller may cancel: `initialize` never is.
            if (!closed && signal) send({ method: 'notifications/cancelled', params: { requestId: id, reason } })
          },
        },
        { timeoutMs, signal },
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
}): void {
  if (channel.closed) throw new AppError('tool-disconnected', 'The tool channel of the board is closed')
  if (channel.signal?.aborted) throw new AppError('tool-cancelled', 'The call was cancelled before it was sent')
  if (channel.waiting >= maxInFlight) {
    throw new AppError('tool-too-many', `${maxInFlight} calls wait for this board`)
  }
  if (channel.bufferedBytes > maxBufferedBytes) {
    throw new AppError('tool-too-many', 'The board does not read its calls')
  }
}

function boardError({ code, message }: { code: number; message: string }): AppError {
  return new AppError('tool-failed', message.slice(0, 300) || `The board reported error ${code}`, { details: { code } })
}
