import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../electron/base/clock.ts'
import { createLog } from '../../electron/base/log.ts'
import type { McpServer, McpServerInput } from '../../electron/contract/mcp.ts'
import type { ToolVersion } from '../../electron/contract/tool.ts'
import type { McpConsentRow, McpServerRow, McpServerStore } from '../../electron/server/store/mcp-server-store.ts'
import {
  createExternalServers,
  type ExternalServersOptions,
} from '../../electron/server/tools/external/external-servers.ts'
import { createSchemaChecker } from '../../electron/server/tools/json-schema.ts'

const program = fileURLToPath(new URL('./mcp-fixture-server.ts', import.meta.url))

/** How the console would add the fixture server in one of its modes. */
export function fixtureServer(mode: string, env: Record<string, string | null> = {}, name = 'fixture'): McpServerInput {
  return {
    name,
    enabled: true,
    transport: { kind: 'stdio', command: process.execPath, args: [program, mode], env, directory: null },
  }
}

function memoryStore(): McpServerStore {
  const rows = new Map<string, McpServerRow>()
  const consents = new Map<string, McpConsentRow>()
  return {
    all: async () => [...rows.values()],
    put: async (row) => void rows.set(row.id, row),
    remove: async (id) => void rows.delete(id),
    consents: async (id) => [...consents.values()].filter((row) => row.serverId === id),
    putConsent: async (row) => void consents.set(`${row.serverId} ${row.tool}`, row),
  }
}

/** The outside servers with a registry that takes all, and real children. */
export async function startExternal(more: Partial<ExternalServersOptions> = {}) {
  const adopted: ToolVersion[] = []
  const logs: string[] = []
  const servers = await createExternalServers({
    store: memoryStore(),
    registry: {
      async adopt(content, { name, origin }) {
        const version = adopted.filter((tool) => tool.name === name).length + 1
        const tool: ToolVersion = { ...content, name, origin, version, status: 'published', createdAt: 0 }
        adopted.push(tool)
        return tool
      },
    },
    checker: createSchemaChecker(),
    clock: systemClock,
    log: createLog({ level: 'debug', target: { write: (line) => void logs.push(line) } }),
    version: '1',
    environment: { PATH: '/usr/bin:/bin' },
    offline: false,
    ...more,
  })
  onTestFinished(() => servers.close())

  /** Waits for a state of the only server that passes. */
  async function until(passes: (server: McpServer) => boolean): Promise<McpServer> {
    for await (const [server] of servers.watch(AbortSignal.timeout(30_000))) if (server && passes(server)) return server
    throw new Error(`waited in vain: ${JSON.stringify(servers.list())}`)
  }

  async function agree(name: string): Promise<void> {
    const [server] = servers.list()
    const tool = server?.tools.find((one) => one.name === name)
    if (!server || !tool) throw new Error(`no tool ${name}`)
    await servers.consent({ id: server.id, tool: name, hash: tool.hash })
  }

  async function call(
    name: string,
    args: Record<string, unknown> = {},
    more: { signal?: AbortSignal; ms?: number } = {},
  ) {
    const offer = (await servers.provider.offers('board')).find((one) => one.name === `mcp_fixture_${name}`)
    if (!offer?.tool) throw new Error(`${name} is not offered`)
    return servers.provider.call({
      deviceId: 'board',
      tool: offer.tool,
      arguments: args,
      signal: more.signal ?? new AbortController().signal,
      timeoutMs: more.ms ?? 10_000,
      turnId: null,
    })
  }

  return { servers, adopted, logs, until, agree, call, isReady: (server: McpServer) => server.state === 'ready' }
}
