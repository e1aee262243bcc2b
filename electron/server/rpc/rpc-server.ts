import { RPCHandler } from '@orpc/server/websocket'
import type { RawData, WebSocket } from 'ws'
import type { Log } from '../../base/log.ts'
import { AppError } from '../../base/app-error.ts'
import { pause } from '../../base/deadline.ts'
import { type RpcFeatures, createRpcRouter, toWire } from './handlers.ts'
import type { Account } from '../../contract/server-info.ts'
import { createOutlet } from './outlet.ts'
import { createTrafficLimit } from './traffic-limit.ts'

export interface RpcServer {
  /** Takes an authenticated console socket; its size limit is the listener's. */
  readonly connect: (socket: WebSocket, caller: { readonly account: Account }) => void
}

const callsAtOnce = 256

interface Context {
  readonly account: Account
  readonly calls: { open: number }
}

/** The console's typed calls over `/rpc`. A peer that floods, or never reads, is let go. */
export function createRpcServer({ features, log }: { features: RpcFeatures; log: Log }): RpcServer {
  const handler = new RPCHandler<Context>(createRpcRouter(features, log), {
    clientInterceptors: [
      async (call) => {
        const { path, context } = call
        try {
          if (context.calls.open > callsAtOnce) throw new AppError('server-overloaded', 'Too many calls at once')
          return await call.next()
        } catch (error) {
          throw toWire(error, path.join('.'), log)
        }
      },
    ],
  })

  return {
    connect(socket, { account }) {
      const limit = createTrafficLimit(() => performance.now())
      const calls = { open: 0 }
      const outlet = createOutlet(socket, end)

      function end(reason: string): void {
        if (socket.readyState !== socket.OPEN) return
        log.warn('console socket closed', { reason })
        socket.close(1008, reason)
        // A peer that does not read would never answer the close frame.
        void pause(1_000).then(() => socket.terminate())
      }
      const nonsense = () => limit.garbage() || end('too many frames that are no calls')

      socket.on('message', (data, isBinary) => {
        if (!limit.message()) end('too many messages')
        if (socket.readyState !== socket.OPEN) return
        if (isBinary) {
          nonsense()
          return
        }
        calls.open += 1
        handler
          .message(outlet, textOf(data), { context: { account, calls } })
          // A frame that is no call. Its text stays out of the log.
          .catch(nonsense)
          .finally(() => (calls.open -= 1))
      })
      socket.on('close', () => handler.close(outlet))
    },
  }
}

function textOf(data: RawData): string {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? Buffer.from(data) : data
  return bytes.toString('utf8')
}
