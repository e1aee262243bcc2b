import { randomBytes } from 'node:crypto'
import manifest from '../../package.json' with { type: 'json' }
import { systemClock } from '../base/clock.ts'
import type { Disposer } from '../base/disposer.ts'
import type { Launcher } from '../base/launcher.ts'
import type { Log } from '../base/log.ts'
import type { ToolAudit } from '../contract/tool-registry.ts'
import type { ServerOverview, ServerWarning } from '../contract/server-info.ts'
import { closeInterruptedTurns } from './agent/interrupted-turns.ts'
import { createTurnRecorder } from './agent/turn-recorder.ts'
import type { ServerConfig } from './config.ts'
import { createDevices } from './devices/devices.ts'
import { openAuth } from './http/auth.ts'
import { openModelDesk } from './model-wiring.ts'
import { openStore } from './store/open-store.ts'
import type { Store } from './store/store.ts'
import { createRecorder } from './telemetry/recorder.ts'
import { createRetention, dayMs } from './telemetry/retention.ts'
import { createDeviceTools } from './tools/device-tools.ts'
import { createSchemaChecker, type SchemaChecker } from './tools/json-schema.ts'
import { createToolCatalog } from './tools/tool-catalog.ts'
import { createToolDrafts } from './tools/tool-drafts.ts'
import { createToolHost } from './tools/tool-host.ts'
import { createToolPolicies } from './tools/tool-policies.ts'
import { createToolPublishing } from './tools/tool-publishing.ts'
import { createToolRegistry, publishesByItself, type ToolRegistry } from './tools/tool-registry.ts'
import { agentName, startVoice } from './voice.ts'

export interface ServerSurroundings {
  readonly log: Log
  readonly launcher: Launcher
  /** Makes the owner account before anything listens; nothing happens when there is one. */
  readonly owner?: { readonly name: string; readonly password: string } | undefined
  /** The clock on the wall, which people set: what alarms go by. Default: that of the computer. */
  readonly wall?: () => number
}

export type ServerParts = Awaited<ReturnType<typeof openParts>>

/** What does not need a listener yet: store, devices, tools, voice. */
export async function openParts(config: ServerConfig, around: ServerSurroundings, disposer: Disposer) {
  const { log, launcher, wall = Date.now } = around
  const startedAt = Date.now()
  const trouble = createTroubleLamp()
  const store = await openStore({
    dir: config.dataDir,
    log,
    limits: config.historyMaxPages > 0 ? { historyMaxPages: config.historyMaxPages } : {},
    onTrouble: ({ code, dropped }) => trouble.tell(code === null ? undefined : { code, detail: String(dropped) }),
  })
  disposer.add(() => store.close())
  const lastStop = ((await store.meta.get('lastStop')) ?? 'first-start') as ServerOverview['lastStop']
  const secrets = { run: randomBytes(32).toString('base64url'), desktop: randomBytes(32).toString('base64url') }
  const auth = await openAuth({ accounts: store.accounts, runSecret: secrets.run, desktopSecret: secrets.desktop })
  if (around.owner && !auth.hasOwner()) await auth.createOwner(around.owner.name, around.owner.password)

  const known = await openDevices(store, log, disposer)
  await closeInterruptedTurns(store.turns, log.child('turns'))
  const turns = createTurnRecorder({ store: store.turns, clock: systemClock, log })
  disposer.add(() => turns.settled())
  keepTurnsFor(config.historyDays, { store, log, disposer })
  const recorder = createRecorder({ store, now: Date.now, log })
  disposer.add(() => recorder.close())
  const model = await openModelDesk({ config, store, clock: systemClock, wall, log })
  const voice = await startVoice({
    config,
    launcher,
    tools: known.tools,
    recorder: turns,
    clock: systemClock,
    model,
    log,
  })
  disposer.addAside(() => voice.close())
  return {
    config,
    log,
    launcher,
    wall,
    startedAt,
    store,
    lastStop,
    secrets,
    auth,
    ...known,
    turns,
    recorder,
    model,
    voice,
    troubles: trouble.list,
  }
}

/** Same clockwork as for telemetry; 0 days = for ever. */
function keepTurnsFor(days: number, parts: { store: Store; log: Log; disposer: Disposer }): void {
  if (days === 0) return
  const log = parts.log.child('turns')
  const retention = createRetention({ store: parts.store.turns, now: Date.now, log, retainMs: days * dayMs })
  parts.disposer.add(() => retention.close())
}

/** Who is known, and what they can do. */
async function openDevices(store: Store, log: Log, disposer: Disposer) {
  const devices = await createDevices({ store, log })
  disposer.add(() => devices.close())
  const checker = createSchemaChecker()
  const registry = await createToolRegistry({
    store: store.tools,
    edits: store.toolEdits,
    checker,
    clock: systemClock,
    log,
  })
  const boardTools = createDeviceTools({
    registry,
    store: store.tools,
    clock: systemClock,
    log,
    version: manifest.version,
    publishes: (deviceId) => {
      const device = devices.row(deviceId)
      return device !== undefined && publishesByItself(device)
    },
  })
  const heard = new Set<(entry: ToolAudit) => void>()
  const editing = await openToolEditing(store, { registry, checker, log })
  // Things, serial ports, built-ins and MCP servers join it with `tools.register`.
  const tools = createToolHost({
    registry,
    checker,
    clock: systemClock,
    log,
    providers: [boardTools],
    rules: editing.policies,
    audit(entry) {
      for (const listener of heard) listener(entry)
      store.toolCalls.put(entry).catch((error: unknown) => log.warn('call not kept', { error }))
    },
    deviceName: (deviceId) => devices.row(deviceId)?.name ?? deviceId,
  })
  /** Every call, whoever made it. */
  const onCall = (listener: (entry: ToolAudit) => void) => void heard.add(listener)
  return { devices, checker, registry, tools, boardTools, onCall, clock: systemClock, ...editing }
}

interface RegistryParts {
  readonly registry: ToolRegistry
  readonly checker: SchemaChecker
  readonly log: Log
}

/** What people do with tools: drafts, versions, rules. */
async function openToolEditing(store: Store, { registry, checker, log }: RegistryParts) {
  const clock = systemClock
  const newId = () => crypto.randomUUID()
  const toolDrafts = await createToolDrafts({ registry, store: store.toolEdits, clock, newId })
  const policies = await createToolPolicies({ store: store.toolPolicies, agentOf: () => agentName.id })
  // Who may call what changed: whatever shows or offers tools looks again.
  policies.onChange(() => registry.shelf.changed())
  return {
    toolDrafts,
    policies,
    toolPublishing: createToolPublishing({ registry, drafts: toolDrafts, checker, clock }),
    toolCatalog: createToolCatalog({ registry, drafts: toolDrafts, calls: store.toolCalls, clock, log }),
  }
}

/** How long a trouble that is over is still shown: a small row that still fits into a full disk is no all-clear. */
const troubleShownMs = 60_000

function createTroubleLamp() {
  let last: { warning: ServerWarning; until: number } | undefined
  return {
    tell(warning: ServerWarning | undefined) {
      if (warning) last = { warning, until: Number.POSITIVE_INFINITY }
      else if (last) last = { ...last, until: Math.min(last.until, performance.now() + troubleShownMs) }
    },
    list: (): ServerWarning[] => (last && performance.now() < last.until ? [last.warning] : []),
  }
}
