import { randomUUID } from 'node:crypto'
import { AppError } from '../../../base/app-error.ts'
import { createLiveFeed, type LiveItems } from '../../../base/live-feed.ts'
import type { McpServer, McpServerInput } from '../../../contract/mcp.ts'
import type { ProviderCall, ToolOffer, ToolProvider } from '../tool-provider.ts'
import { createExternalServer, type ExternalServer, type OutsideWorld } from './external-server.ts'
import { splitSecrets } from './secret-values.ts'

export type ExternalServersOptions = OutsideWorld

export interface ExternalServers {
  /** The tools of every connected server, on every device. */
  readonly provider: ToolProvider
  list(): McpServer[]
  /** The list, first as it is, then at each change. */
  watch(signal?: AbortSignal): LiveItems<McpServer[]>
  /** Rejects mcp-name-taken, mcp-secret-missing, mcp-too-many, mcp-server-unknown. */
  put(server: McpServerInput, id?: string): Promise<{ id: string }>
  remove(id: string): Promise<void>
  /** At once and with fresh patience, also after it was given up. */
  restart(id: string): Promise<void>
  /** Rejects mcp-consent-stale when the tool is not the one that was looked at. */
  consent(order: { id: string; tool: string; hash: string }): Promise<void>
  close(): Promise<void>
}

const maxServers = 32

/** The outside MCP servers whose tools the house may use: kept, started, watched, and offered once a person agreed. */
export async function createExternalServers(options: ExternalServersOptions): Promise<ExternalServers> {
  const { store } = options
  const servers = new Map<string, ExternalServer>()
  const feed = createLiveFeed<McpServer[]>()
  const listeners = new Set<(deviceId: string | undefined) => void>()
  const list = () => [...servers.values()].map((server) => server.view()).sort((a, b) => (a.name < b.name ? -1 : 1))

  function found(id: string): ExternalServer {
    const server = servers.get(id)
    if (!server) throw new AppError('mcp-server-unknown', `There is no MCP server ${id}`)
    return server
  }

  async function start(row: Parameters<typeof createExternalServer>[0]['row']): Promise<void> {
    const server = await createExternalServer({
      ...options,
      row,
      onChange: () => feed.publish(list()),
      onOffers: () => listeners.forEach((listener) => listener(undefined)),
    })
    servers.set(row.id, server)
    server.start()
  }

  async function put(input: McpServerInput, id: string = randomUUID()): Promise<{ id: string }> {
    const known = (await store.all()).find((row) => row.id === id)
    if (!known && servers.size >= maxServers) throw new AppError('mcp-too-many', `There are ${maxServers} MCP servers`)
    const same = [...servers.values()].find((other) => other.id !== id && other.view().name === input.name)
    if (same) throw new AppError('mcp-name-taken', `An MCP server is called "${input.name}"`)
    const row = { id, ...splitSecrets(input, known?.secrets ?? {}) }
    await store.put(row)
    await servers.get(id)?.stop()
    await start(row)
    feed.publish(list())
    return { id }
  }

  for (const row of await store.all()) await start(row)
  return {
    provider: createProvider(servers, listeners),
    list,
    watch: (signal) => feed.subscribe(signal, { snapshot: list, key: () => 'list' }),
    put,
    async remove(id) {
      const server = found(id)
      await server.stop()
      servers.delete(id)
      await store.remove(id)
      listeners.forEach((listener) => listener(undefined))
      feed.publish(list())
    },
    async restart(id) {
      const server = found(id)
      await server.stop()
      server.start()
    },
    consent: ({ id, tool, hash }) => found(id).consent(tool, hash),
    async close() {
      feed.close()
      await Promise.all([...servers.values()].map((server) => server.stop()))
    },
  }
}

/** An outside tool belongs to no board, so each device has them all; policies say who may call which. */
function createProvider(
  servers: ReadonlyMap<string, ExternalServer>,
  listeners: Set<(deviceId: string | undefined) => void>,
): ToolProvider {
  return {
    id: 'mcp',
    offers: async (): Promise<readonly ToolOffer[]> => [...servers.values()].flatMap((server) => server.offers()),
    async call({ tool, arguments: args, signal, timeoutMs }: ProviderCall) {
      const owner = [...servers.values()].find((server) => server.owns(tool.name))
      if (!owner) throw new AppError('tool-unreachable', `No MCP server offers "${tool.name}" any more`)
      return owner.call(tool.name, { arguments: args, signal, timeoutMs })
    },
    onChange: (listener) => void listeners.add(listener),
  }
}
