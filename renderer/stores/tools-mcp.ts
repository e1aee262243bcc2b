import { defineStore } from 'pinia'
import type { McpClient, McpServer, McpServerInput } from '../../electron/contract/mcp.ts'
import { api, subscribe } from '../client/client.ts'

export type ClientOrder = Pick<McpClient, 'name' | 'readOnly' | 'allowed' | 'deviceIds' | 'transcripts'> & {
  readonly days: number
}
export type ClientRights = Pick<McpClient, 'id' | 'readOnly' | 'allowed' | 'deviceIds' | 'transcripts'>

/** Both directions of MCP: servers whose tools the house uses, and programs that use the house's. */
export const useMcpStore = defineStore('mcp', () => ({
  watchServers: (take: (servers: readonly McpServer[]) => void) =>
    subscribe((signal) => api.mcp.watchServers(undefined, { signal }), take),
  putServer: (server: McpServerInput, id?: string) => api.mcp.putServer(id === undefined ? { server } : { id, server }),
  removeServer: (id: string) => api.mcp.removeServer({ id }),
  restartServer: (id: string) => api.mcp.restartServer({ id }),
  consent: (id: string, tool: string, hash: string) => api.mcp.consent({ id, tool, hash }),
  clients: () => api.mcp.clients(),
  makeClient: (order: ClientOrder) => api.mcp.makeClient({ ...order, purpose: 'mcp' }),
  updateClient: (rights: ClientRights) => api.mcp.updateClient(rights),
  revokeClient: (id: string) => api.mcp.revokeClient({ id }),
}))
