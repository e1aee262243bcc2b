import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import type { ContractRouterClient } from '@orpc/contract'
import { WebSocket as LastingSocket } from 'partysocket'
import type { contract } from '../../electron/contract/rpc.ts'
import { readAuthState } from './auth.ts'

export type Api = ContractRouterClient<typeof contract>

/** `lost` tries again by itself; `signed-out` waits for a person. */
export type Link = 'idle' | 'connecting' | 'open' | 'lost' | 'signed-out'

const SESSION_ENDED = 4401
const FIRST_DELAY_MS = 500
const LAST_DELAY_MS = 5_000
const GROWTH = 1.5

function lastingSocket(url: string) {
  return new LastingSocket(url, [], {
    startClosed: true,
    minReconnectionDelay: FIRST_DELAY_MS,
    maxReconnectionDelay: LAST_DELAY_MS,
    reconnectionDelayGrowFactor: GROWTH,
    connectionTimeout: 6_000,
    maxEnqueuedMessages: 0,
  })
}

type LinkSocket = Pick<WebSocket, 'addEventListener' | 'removeEventListener' | 'send' | 'readyState'>

/**
 * The one socket of the page. RPCLink neither reconnects nor queues, so the socket below it is one that comes back, and
 * whoever watches something subscribes again on the next `open` (recipes-desktop-serial.md §9).
 */
export function createConnection(url: string) {
  let link: Link = 'idle'
  let nextTryAt: number | null = null
  const listeners = new Set<(link: Link) => void>()
  const socket = lastingSocket(url)
  // partysocket re-sends nothing (queue 0) and answers to the four members that the link uses.
  const api: Api = createORPCClient(new RPCLink({ websocket: socket as unknown as LinkSocket }))

  function become(next: Link) {
    if (next === link) return
    link = next
    for (const listener of listeners) listener(next)
  }

  // A refused upgrade looks like any other failure to a page, so one HTTP question tells "signed out" from "away".
  async function stopIfSignedOut() {
    const state = await readAuthState().catch(() => null)
    if (!state || state.account) return
    socket.close()
    become('signed-out')
  }

  socket.addEventListener('open', () => become('open'))
  socket.addEventListener('close', (event) => {
    if (link === 'idle' || link === 'signed-out') return
    if (event.code === SESSION_ENDED) {
      socket.close()
      become('signed-out')
      return
    }
    nextTryAt = performance.now() + Math.min(LAST_DELAY_MS, FIRST_DELAY_MS * GROWTH ** socket.retryCount)
    become('lost')
    void stopIfSignedOut()
  })

  return {
    api,
    link: () => link,
    /** performance.now() of the next try while `lost`. */
    nextTryAt: () => nextTryAt,
    onChange(listener: (link: Link) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    open() {
      if (link === 'open' || link === 'connecting') return
      become('connecting')
      socket.reconnect()
    },
    /** Skips the waiting time of the next try. */
    retryNow() {
      if (link === 'lost') socket.reconnect()
    },
    close() {
      become('idle')
      socket.close()
    },
  }
}

export type Connection = ReturnType<typeof createConnection>
