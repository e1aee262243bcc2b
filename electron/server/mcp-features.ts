import type { Mcp } from './mcp-wiring.ts'
import type { RpcFeatures } from './rpc/handlers.ts'

const ok = { ok: true } as const

/** The rows of contract/rpc-mcp.ts. */
export function createMcpFeatures({ external, clients }: Pick<Mcp, 'external' | 'clients'>): Pick<RpcFeatures, 'mcp'> {
  return {
    mcp: {
      watchServers: (_input, { signal }) => external.watch(signal),
      putServer: ({ id, server }) => external.put(server, id),
      removeServer: async ({ id }) => {
        await external.remove(id)
        return ok
      },
      restartServer: async ({ id }) => {
        await external.restart(id)
        return ok
      },
      consent: async (order) => {
        await external.consent(order)
        return ok
      },
      clients: () => clients.list(),
      makeClient: (order) => clients.make(order),
      updateClient: async (change) => {
        await clients.update(change)
        return ok
      },
      revokeClient: async ({ id }) => {
        await clients.revoke(id)
        return ok
      },
    },
  }
}
