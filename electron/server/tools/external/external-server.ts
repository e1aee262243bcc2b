import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { AppError, isAppError } from '../../../base/app-error.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import type { McpServer } from '../../../contract/mcp.ts'
import type { ToolVersion } from '../../../contract/tool.ts'
import type { ToolContent } from '../../../contract/tool-registry.ts'
import type { McpConsentRow, McpServerRow, McpServerStore } from '../../store/mcp-server-store.ts'
import type { SchemaChecker } from '../json-schema.ts'
import type { ToolOffer } from '../tool-provider.ts'
import { createChildTransport, type LinkTransport } from './child-transport.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import type { RemoteTool } from './remote-tools.ts'
import { createMask } from './secret-values.ts'
import type { RemoteCall } from './remote-client.ts'
import { createServerLink, type LinkView } from './server-link.ts'

/** What an outside server needs of the registry: its tools become versions like any other. */
export interface ToolAdopter {
  adopt(content: ToolContent, by: { name: string; origin: 'mcp'; owner: string }): Promise<ToolVersion>
}

/** What each outside server is given. */
export interface OutsideWorld {
  readonly store: McpServerStore
  readonly registry: ToolAdopter
  readonly checker: SchemaChecker
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  /** PATH, HOME and the like: all that a child inherits. */
  readonly environment: Readonly<Record<string, string>>
  readonly offline: boolean
}

export interface ExternalServer {
  readonly id: string
  view(): McpServer
  start(): void
  stop(): Promise<void>
  offers(): ToolOffer[]
  owns(toolName: string): boolean
  call(toolName: string, request: Omit<RemoteCall, 'name'>): Promise<Readonly<Record<string, unknown>>>
  consent(tool: string, hash: string): Promise<void>
}

interface Options extends OutsideWorld {
  readonly row: McpServerRow
  readonly onChange: () => void
  readonly onOffers: () => void
}

/** One outside server with its consents: a tool is offered while its hash is the one that a person said yes to. */
export async function createExternalServer(options: Options): Promise<ExternalServer> {
  const { row, clock } = options
  const { name } = row.server
  const log = options.log.child('mcp', { server: name })
  const mask = createMask(row.secrets)
  const desk = await openConsents(options, log)
  const link = createServerLink({
    ...options,
    name,
    mask,
    open: (onLine) => openTransport(options, onLine),
    async onTools(tools) {
      for (const tool of tools) await desk.take(tool)
      options.onOffers()
    },
    onChange: options.onChange,
  })
  /** What may be called now: agreed to, and taken over in that very form. */
  const usable = () =>
    link.now().tools.flatMap((tool) => {
      const version = desk.versionOf(tool)
      return version ? [{ tool, version }] : []
    })

  return {
    id: row.id,
    view: () => describe(row, link.now(), desk.consents),
    start() {
      if (row.server.enabled) link.enable()
    },
    async stop() {
      await link.disable()
      options.onOffers()
    },
    offers: () => {
      const offer = { reachable: link.now().state.at === 'ready', source: 'mcp', provider: name } as const
      return usable().map(({ version }) => ({ ...offer, name: version.name, tool: version }))
    },
    owns: (toolName) => usable().some(({ version }) => version.name === toolName),
    async call(toolName, request) {
      const found = usable().find(({ version }) => version.name === toolName)
      if (!found) throw new AppError('tool-unreachable', `"${name}" offers no "${toolName}" that was agreed to`)
      return link.call({ ...request, name: found.tool.name }).catch((error: unknown) => {
        throw isAppError(error) ? new AppError(error.code, mask(error.message)) : error
      })
    },
    async consent(toolName, hash) {
      const tool = link.now().tools.find((one) => one.name === toolName)
      if (tool?.hash !== hash) throw new AppError('mcp-consent-stale', `"${toolName}" is not what it was`)
      await desk.agree(tool, clock.now())
      options.onOffers()
      options.onChange()
    },
  }
}

/** Who said yes to what, and the versions that the registry made of it. */
async function openConsents({ row, store, registry }: Options, log: Log) {
  const consents = new Map((await store.consents(row.id)).map((consent) => [consent.tool, consent]))
  const taken = new Map<string, { hash: string; version: ToolVersion }>()
  const isAgreed = (tool: RemoteTool) => consents.get(tool.name)?.hash === tool.hash

  async function take(tool: RemoteTool): Promise<void> {
    if (!isAgreed(tool) || taken.get(tool.name)?.hash === tool.hash) return
    try {
      const version = await registry.adopt(tool.content, { name: tool.toolName, origin: 'mcp', owner: row.id })
      taken.set(tool.name, { hash: tool.hash, version })
    } catch (error) {
      taken.delete(tool.name)
      log.warn('tool not taken', { tool: tool.toolName, error })
    }
  }

  return {
    consents,
    take,
    versionOf(tool: RemoteTool): ToolVersion | undefined {
      const known = taken.get(tool.name)
      return isAgreed(tool) && known?.hash === tool.hash ? known.version : undefined
    },
    async agree(tool: RemoteTool, givenAt: number): Promise<void> {
      const text = JSON.stringify({ description: tool.content.description, schemas: schemasOf(tool) })
      const consent: McpConsentRow = { serverId: row.id, tool: tool.name, hash: tool.hash, text, givenAt }
      await store.putConsent(consent)
      consents.set(tool.name, consent)
      log.info('agreed to a tool', { tool: tool.toolName, hash: tool.hash })
      await take(tool)
    },
  }
}

function openTransport({ row, environment, offline }: Options, onLine: (line: string) => void): LinkTransport {
  const { transport } = row.server
  if (transport.kind === 'stdio') {
    return createChildTransport({ ...transport, env: { ...environment, ...row.secrets } }, onLine)
  }
  const http = new StreamableHTTPClientTransport(new URL(transport.url), {
    requestInit: { headers: { ...row.secrets } },
    fetch: createGuardedFetch({ url: transport.url, offline }),
  })
  // The SDK's class declares its callbacks without `undefined`, its interface with it.
  return Object.assign(http as unknown as LinkTransport, { failure: () => undefined })
}

function describe(row: McpServerRow, link: LinkView, consents: ReadonlyMap<string, McpConsentRow>): McpServer {
  const { server } = row
  const { state } = link
  const trouble = state.at === 'waiting' || state.at === 'failed' ? state.trouble : null
  return {
    id: row.id,
    name: server.name,
    kind: server.transport.kind,
    where: whereOf(server.transport),
    program: programOf(server.transport),
    secretNames: Object.keys(row.secrets),
    enabled: server.enabled,
    state: state.at,
    errorCode: trouble?.code ?? null,
    errorMessage: trouble ? createMask(row.secrets)(trouble.message) : null,
    retryAt: state.at === 'waiting' ? state.retryAt : null,
    restarts: link.restarts,
    tools: link.tools.map((tool) => describeTool(tool, consents.get(tool.name))),
    log: [...link.lines],
  }
}

function describeTool(tool: RemoteTool, consent: McpConsentRow | undefined): McpServer['tools'][number] {
  const shown = {
    name: tool.name,
    toolName: tool.toolName,
    description: tool.content.description,
    schemas: schemasOf(tool),
    hash: tool.hash,
  }
  if (!consent) return { ...shown, consent: 'new', before: null, schemasBefore: null }
  if (consent.hash === tool.hash) return { ...shown, consent: 'given', before: null, schemasBefore: null }
  // Written by consent().
  const before = JSON.parse(consent.text) as { description: string; schemas: string }
  return { ...shown, consent: 'changed', before: before.description, schemasBefore: before.schemas }
}

/** What else a model would read: the schemas have descriptions of their own. */
function schemasOf({ content }: RemoteTool): string {
  const { arguments: args, result, danger } = content
  return JSON.stringify({ danger, arguments: args, ...(result ? { result } : {}) }, null, 2)
}

function programOf(transport: McpServerRow['server']['transport']): McpServer['program'] {
  if (transport.kind !== 'stdio') return null
  const { command, args, directory } = transport
  return { command, args, directory }
}

/** Without what a URL may hide: user, password, query. */
function whereOf(transport: McpServerRow['server']['transport']): string {
  if (transport.kind === 'stdio') return [transport.command, ...transport.args].join(' ')
  const { origin, pathname } = new URL(transport.url)
  return origin + pathname
}
