import { AppError } from '../../electron/base/app-error.ts'
import { createLiveFeed } from '../../electron/base/live-feed.ts'
import type { McpClient, McpServer } from '../../electron/contract/mcp.ts'
import type { DeviceClass, ToolPolicy } from '../../electron/contract/tool-policy.ts'
import type { ConsentRequest } from '../../electron/contract/tool-registry.ts'
import type { RpcFeatures } from '../../electron/server/rpc/handlers.ts'
import type { WorldName } from './console-world.ts'

// Test support: consents, policies and MCP as the scripted server of the console tests plays them.

export interface AccessKnobs {
  /** A destructive call waits for so many ms. */
  askConsent(waitMs?: number): void
  consents(): readonly ConsentRequest[]
  policies(): readonly ToolPolicy[]
  servers(): readonly McpServer[]
  clients(): readonly McpClient[]
}

const done = { ok: true } as const
const DAY = 86_400_000

function serversOf(world: WorldName): McpServer[] {
  if (world === 'empty') return []
  const files: McpServer = {
    id: 'files',
    name: 'files',
    kind: 'stdio',
    where: 'npx -y @modelcontextprotocol/server-filesystem /home/owner/notes',
    program: {
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/owner/notes'],
      directory: null,
    },
    secretNames: ['FILES_TOKEN'],
    enabled: true,
    state: 'ready',
    errorCode: null,
    errorMessage: null,
    retryAt: null,
    restarts: 0,
    tools: [
      {
        name: 'search',
        toolName: 'mcp_files_search',
        description: 'Searches the files of this computer.',
        hash: 'a'.repeat(64),
        consent: 'given',
        before: null,
      },
      {
        name: 'read',
        toolName: 'mcp_files_read',
        description: 'Reads one file and sends its text.',
        hash: 'b'.repeat(64),
        consent: 'changed',
        before: 'Reads one file.',
      },
      {
        name: 'write',
        toolName: 'mcp_files_write',
        description: 'Writes text into a file.',
        hash: 'c'.repeat(64),
        consent: 'new',
        before: null,
      },
    ],
    log: ['Secure MCP Filesystem Server running on stdio', 'client connected'],
  }
  const weather: McpServer = {
    ...files,
    id: 'weather',
    name: 'weather',
    kind: 'http',
    where: 'https://weather.example/mcp',
    program: null,
    secretNames: ['Authorization'],
    tools: [],
    log: [],
    restarts: 0,
  }
  if (world === 'busy') return [files, weather]
  return [
    {
      ...files,
      state: 'waiting',
      errorCode: 'mcp-stopped',
      errorMessage: 'exit code 1',
      retryAt: Date.now() + 30_000,
      restarts: 4,
      log: ['Error: ENOENT /home/owner/notes'],
    },
    { ...weather, state: 'failed', errorCode: 'mcp-unreachable', errorMessage: 'connect ECONNREFUSED' },
  ]
}

function clientsOf(world: WorldName): McpClient[] {
  if (world === 'empty') return []
  const claude: McpClient = {
    id: 'claude',
    name: 'Claude Desktop',
    purpose: 'mcp',
    readOnly: true,
    allowed: ['read_temperature', 'set_lamp'],
    deviceIds: [],
    transcripts: false,
    createdAt: Date.now() - 20 * DAY,
    expiresAt: Date.now() + 70 * DAY,
    lastUsedAt: Date.now() - 90_000,
    revokedAt: null,
    calls: 341,
  }
  return [
    claude,
    {
      ...claude,
      id: 'ha',
      name: 'Home Assistant',
      readOnly: false,
      allowed: ['set_lamp'],
      lastUsedAt: null,
      calls: 0,
      expiresAt: Date.now() - DAY,
    },
    { ...claude, id: 'old', name: 'Old editor', revokedAt: Date.now() - 3 * DAY },
  ]
}

export function createAccessScript(world: WorldName) {
  let consents: ConsentRequest[] = []
  let servers = serversOf(world)
  let clients = clientsOf(world)
  const listed = (scope: ToolPolicy['scope'], id: string, allowed: string[]): ToolPolicy => ({
    scope,
    id,
    mode: 'listed',
    allowed,
    pins: {},
  })
  let policies: ToolPolicy[] =
    world === 'empty'
      ? []
      : [
          { ...listed('agent', 'default', []), mode: 'all', pins: { set_lamp: 2 } },
          listed('class', 'c1', ['set_lamp', 'read_temperature']),
          listed('device', 'virtual-1', []),
        ]
  let classes: DeviceClass[] =
    world === 'empty'
      ? []
      : [
          { id: 'c1', name: '3B 科学课', deviceIds: ['7c:df:a1:00:00:00', '7c:df:a1:00:00:01'], active: true },
          { id: 'c2', name: 'Robotics club', deviceIds: ['7c:df:a1:00:00:01'], active: false },
        ]
  const consentFeed = createLiveFeed<ConsentRequest[]>()
  const serverFeed = createLiveFeed<McpServer[]>()
  const publishConsents = () => consentFeed.publish(consents)
  const publishServers = () => serverFeed.publish(servers)
  const changeServer = (id: string, change: Partial<McpServer>) => {
    servers = servers.map((one) => (one.id === id ? { ...one, ...change } : one))
    publishServers()
  }

  const features: Pick<RpcFeatures, 'consents' | 'policies' | 'mcp'> = {
    consents: {
      watch: (_input, { signal }) => consentFeed.subscribe(signal, { snapshot: () => consents }),
      answer({ id, yes }) {
        const asked = consents.find((one) => one.id === id)
        if (asked?.state !== 'waiting') throw new AppError('tool-consent-over', 'answered or expired')
        consents = consents.map((one) =>
          one.id === id ? { ...one, state: yes ? 'used' : 'refused', answeredBy: 'owner' } : one,
        )
        publishConsents()
        return yes
          ? {
              ref: asked.ref,
              arguments: asked.arguments,
              outcome: 'ok',
              result: { erased: 12 },
              startedAt: Date.now() - 40,
              endedAt: Date.now(),
            }
          : null
      },
    },
    policies: {
      list: () => policies,
      put(policy) {
        policies = [...policies.filter((one) => one.scope !== policy.scope || one.id !== policy.id), policy]
        return done
      },
      remove({ scope, id }) {
        policies = policies.filter((one) => one.scope !== scope || one.id !== id)
        return done
      },
      classes: () => classes,
      putClass(order) {
        const known = classes.find((one) => one.id === order.id)
        classes = [...classes.filter((one) => one.id !== order.id), { ...order, active: known?.active ?? false }]
        return done
      },
      removeClass({ id }) {
        classes = classes.filter((one) => one.id !== id)
        return done
      },
      activate({ id, active }) {
        const here = classes.find((one) => one.id === id)!
        const shares = (other: DeviceClass) => other.deviceIds.some((device) => here.deviceIds.includes(device))
        classes = classes.map((one) =>
          one.id === id ? { ...one, active } : active && shares(one) ? { ...one, active: false } : one,
        )
        return done
      },
    },
    mcp: {
      watchServers: (_input, { signal }) => serverFeed.subscribe(signal, { snapshot: () => servers }),
      putServer({ id, server }) {
        if (id === undefined && servers.some((one) => one.name === server.name))
          throw new AppError('mcp-name-taken', `${server.name} exists`)
        const { transport } = server
        const made: McpServer = {
          id: id ?? server.name,
          name: server.name,
          kind: transport.kind,
          where: transport.kind === 'stdio' ? [transport.command, ...transport.args].join(' ') : transport.url,
          program:
            transport.kind === 'stdio'
              ? { command: transport.command, args: transport.args, directory: transport.directory }
              : null,
          secretNames: Object.keys(transport.kind === 'stdio' ? transport.env : transport.headers),
          enabled: server.enabled,
          state: server.enabled ? 'starting' : 'off',
          errorCode: null,
          errorMessage: null,
          retryAt: null,
          restarts: 0,
          tools: servers.find((one) => one.id === id)?.tools ?? [],
          log: [],
        }
        servers = [...servers.filter((one) => one.id !== made.id), made]
        publishServers()
        return { id: made.id }
      },
      removeServer({ id }) {
        servers = servers.filter((one) => one.id !== id)
        publishServers()
        return done
      },
      restartServer: ({ id }) => (
        changeServer(id, { state: 'ready', errorCode: null, errorMessage: null, retryAt: null }),
        done
      ),
      consent({ id, tool, hash }) {
        const server = servers.find((one) => one.id === id)!
        if (!server.tools.some((one) => one.name === tool && one.hash === hash))
          throw new AppError('mcp-consent-stale', 'changed')
        changeServer(id, {
          tools: server.tools.map((one) => (one.name === tool ? { ...one, consent: 'given', before: null } : one)),
        })
        return done
      },
      clients: () => clients,
      makeClient({ days, ...order }) {
        const client: McpClient = {
          ...order,
          id: `client-${clients.length}`,
          createdAt: Date.now(),
          expiresAt: Date.now() + days * DAY,
          lastUsedAt: null,
          revokedAt: null,
          calls: 0,
        }
        clients = [client, ...clients]
        return { client, token: 'rst_4fN0zY7u1kQm9hVxP2aTbW6cJd8eLgRs' }
      },
      updateClient(order) {
        clients = clients.map((one) => (one.id === order.id ? { ...one, ...order } : one))
        return done
      },
      revokeClient({ id }) {
        clients = clients.map((one) => (one.id === id ? { ...one, revokedAt: Date.now() } : one))
        return done
      },
    },
  }

  const knobs: AccessKnobs = {
    askConsent(waitMs = 60_000) {
      consents = [
        ...consents,
        {
          id: `consent-${consents.length}`,
          deviceId: 'virtual-1',
          deviceName: 'Virtual board',
          ref: 'erase_recordings@1',
          arguments: { older_than_days: 0, folder: '/recordings' },
          caller: { kind: 'turn', id: 'turn-0' },
          askedAt: Date.now(),
          expiresAt: Date.now() + waitMs,
          state: 'waiting',
          answeredBy: null,
        },
      ]
      publishConsents()
    },
    consents: () => consents,
    policies: () => policies,
    servers: () => servers,
    clients: () => clients,
  }
  const close = () => [consentFeed, serverFeed].forEach((feed) => feed.close())
  return { features, knobs, close }
}
