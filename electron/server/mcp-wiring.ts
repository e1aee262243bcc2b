import type { Clock } from '../base/clock.ts'
import type { Disposer } from '../base/disposer.ts'
import type { Log } from '../base/log.ts'
import type { Device } from '../contract/device.ts'
import type { McpClient } from '../contract/mcp.ts'
import type { ThingLive } from '../contract/thing.ts'
import type { ToolCall } from '../contract/tool.ts'
import { inheritedEnvironment, type ServerConfig } from './config.ts'
import type { Devices } from './devices/devices.ts'
import { sameSecret } from './devices/secret.ts'
import type { OutsideDoor } from './http/mcp-route.ts'
import type { Store } from './store/store.ts'
import type { ThingRuntime } from './things/thing-runtime.ts'
import { createExternalServers, type ExternalServers } from './tools/external/external-servers.ts'
import { type ApiClients, openApiClients } from './tools/gateway/api-clients.ts'
import { createGateway, type Gateway } from './tools/gateway/gateway.ts'
import type { GatewayChange, GatewaySource, Remit } from './tools/gateway/gateway-source.ts'
import { createHouseResources, stateUri } from './tools/gateway/house-resources.ts'
import { createHouseTools, type House } from './tools/gateway/house-source.ts'
import type { SchemaChecker } from './tools/json-schema.ts'
import type { ToolHost } from './tools/tool-host.ts'
import type { ToolRegistry } from './tools/tool-registry.ts'

interface Parts {
  readonly config: ServerConfig
  readonly store: Store
  readonly devices: Devices
  readonly registry: ToolRegistry
  readonly checker: SchemaChecker
  readonly tools: ToolHost
  readonly things: Pick<ThingRuntime, 'snapshot' | 'watch'>
  readonly clock: Clock
  readonly log: Log
  readonly secrets: { readonly run: string }
  readonly version: string
}

export interface Mcp {
  readonly external: ExternalServers
  readonly clients: ApiClients
  readonly gateway: Gateway
  readonly outside: OutsideDoor
}

/** Whoever can read run.json on this machine: it may look at everything, and change nothing, without a token. */
const localId = 'local'
const recentTurns = 20

/** Joins the two roads of MCP with the house: servers that it uses, programs that use it. */
export async function openMcp(parts: Parts, disposer: Disposer): Promise<Mcp> {
  const { config, store, tools, log } = parts
  const environment = inheritedEnvironment()
  const external = await createExternalServers({
    ...parts,
    store: store.mcpServers,
    environment,
    offline: config.offline,
  })
  disposer.add(() => external.close())
  tools.register(external.provider)

  const clients = await openApiClients({
    store: store.apiClients,
    now: Date.now,
    log,
    toolNames: () => parts.registry.shelf.names(),
  })
  disposer.add(() => clients.close())
  const gateway = createGateway({
    remitOf: (id) => (id === localId ? localRemit : remitOf(clients.current(id))),
    noteCall(id) {
      if (id !== localId) clients.noteCall(id)
    },
    log,
    version: parts.version,
  })
  disposer.add(() => gateway.close())
  clients.onChange((id) => gateway.clientChanged(id))
  const left = new AbortController()
  disposer.add(() => left.abort())
  gateway.register(createHouseSource(parts, left.signal))
  return { external, clients, gateway, outside: openDoor(parts, { clients, gateway }) }
}

function openDoor({ secrets }: Parts, { clients, gateway }: Pick<Mcp, 'clients' | 'gateway'>): OutsideDoor {
  return {
    admit(token, listener) {
      if (listener === 'loopback' && sameSecret(token, secrets.run)) return { clientId: localId }
      const admission = clients.admit(token, 'mcp')
      return 'client' in admission ? { clientId: admission.client.id } : admission
    },
    handle: (order) => gateway.handle(order),
  }
}

const localRemit: Remit = {
  clientId: localId,
  readOnly: true,
  transcripts: false,
  allows: () => true,
  sees: () => true,
}

function remitOf(client: McpClient | undefined): Remit | undefined {
  if (!client) return undefined
  const { id, readOnly, transcripts, allowed, deviceIds } = client
  return {
    clientId: id,
    readOnly,
    transcripts,
    allows: (name) => allowed.includes(name),
    sees: (deviceId) => deviceIds.length === 0 || deviceIds.includes(deviceId),
  }
}

function createHouseSource(parts: Parts, signal: AbortSignal): GatewaySource {
  const { devices, tools, things, store } = parts
  const listed = () => devices.list().filter(({ blocked }) => !blocked)
  const house: House = {
    devices: listed,
    vocabulary: (deviceId) => tools.vocabulary(deviceId),
    call: (request) => tools.callTool(request),
    consented: (id, signal) => waitForYes(tools.consents.outcome(id), signal),
  }
  const resources = createHouseResources({
    devices: listed,
    async state(deviceId) {
      const device = devices.get(deviceId)
      return device && { ...stateOf(device), things: things.snapshot(deviceId).map(thingOf) }
    },
    async recentTurns() {
      const page = await store.turns.list({ limit: recentTurns })
      return page.turns.map(({ deviceId, startedAt, status, language, userText, replyText, calls }) => {
        const called = calls.map(({ ref, outcome }) => ({ ref, outcome }))
        return { deviceId, at: new Date(startedAt).toISOString(), status, language, userText, replyText, calls: called }
      })
    },
  })
  return { ...createHouseTools(house), ...resources, onChange: (listener) => followHouse(parts, signal, listener) }
}

/** What an outside program may know of a device: no address, no counters. */
function stateOf(device: Device): object {
  const { id, name, board, firmware, state, presence, toolChannel, virtual, lastSeenAt, rssiDbm, replyMs } = device
  const { online } = presence
  return { id, name, board, firmware, state, online, toolChannel, virtual, lastSeenAt, rssiDbm, replyMs }
}

/** Values with their age, and no trace of calls. */
function thingOf({ binding, reachable, readings }: ThingLive): object {
  const values = Object.entries(readings).map(([name, { value, at }]) => [
    name,
    { value, at: at === null ? null : new Date(at).toISOString() },
  ])
  return { thing: binding.thing, reachable, values: Object.fromEntries(values) as object }
}

function followHouse(
  { devices, tools, things, log }: Parts,
  signal: AbortSignal,
  tell: (change: GatewayChange) => void,
): void {
  let known = ''
  tools.onChange(() => tell({ kind: 'tools' }))
  devices.onChange((id) => {
    tell({ kind: 'resource', uri: stateUri(id) })
    tell({ kind: 'resource', uri: 'roost://devices' })
    const now = JSON.stringify(devices.list().map(({ id: one, name, blocked }) => [one, name, blocked]))
    if (now === known) return
    known = now
    tell({ kind: 'resources' })
    tell({ kind: 'tools' })
  })
  followValues(things, signal, tell).catch((error: unknown) => log.warn('values of Things are not followed', { error }))
}

/** A Thing whose values are others than before is news of its device. */
async function followValues(
  things: Pick<ThingRuntime, 'watch'>,
  signal: AbortSignal,
  tell: (change: GatewayChange) => void,
): Promise<void> {
  let before = new Map<string, string>()
  for await (const all of things.watch(undefined, signal)) {
    const now = new Map<string, string>()
    for (const thing of all) {
      const { deviceId } = thing.binding
      now.set(deviceId, `${now.get(deviceId) ?? ''}${JSON.stringify(thingOf(thing))}`)
    }
    for (const deviceId of new Set([...before.keys(), ...now.keys()]))
      if (before.get(deviceId) !== now.get(deviceId)) tell({ kind: 'resource', uri: stateUri(deviceId) })
    before = now
  }
}

/** Undefined also when the client no longer waits. */
async function waitForYes(done: Promise<ToolCall | null>, signal: AbortSignal): Promise<ToolCall | undefined> {
  const left = Promise.withResolvers<null>()
  const leave = () => left.resolve(null)
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  const first = await Promise.race([done, left.promise])
  signal.removeEventListener('abort', leave)
  return first ?? undefined
}
