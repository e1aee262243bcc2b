import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

interface Kept {
  readonly id: string
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly bytes: number
}

const mostEvents = 200
const mostBytes = 1024 * 1024

/** The last events of one session, so that a client that lost its connection during a call gets the answer after all. */
export function createEventLog(): EventStore {
  const kept: Kept[] = []
  let bytes = 0
  let next = 1

  return {
    async storeEvent(stream, message) {
      const id = String(next++)
      const size = JSON.stringify(message).length
      kept.push({ id, stream, message, bytes: size })
      bytes += size
      while (kept.length > mostEvents || bytes > mostBytes) bytes -= kept.shift()?.bytes ?? bytes
      return id
    },
    async getStreamIdForEventId(id) {
      return kept.find((event) => event.id === id)?.stream
    },
    async replayEventsAfter(lastId, { send }) {
      const last = kept.find((event) => event.id === lastId)
      if (!last) throw new Error('The event is no longer kept')
      const missed = kept.filter((event) => event.stream === last.stream && Number(event.id) > Number(lastId))
      // A priming event has no message in it.
      for (const { id, message } of missed) if ('jsonrpc' in message) await send(id, message)
      return last.stream
    },
  }
}
