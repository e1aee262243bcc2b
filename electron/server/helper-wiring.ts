import { join } from 'node:path'
import { isAppError } from '../base/app-error.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Device } from '../contract/device.ts'
import type { Caller } from '../contract/tool-registry.ts'
import type { TurnRecorder } from './agent/turn-recorder.ts'
import type { Devices } from './devices/devices.ts'
import type { Sessions } from './session/sessions.ts'
import type { Store } from './store/store.ts'
import type { BuiltinPorts, SoundEnd } from './tools/builtin/builtin-tool.ts'
import { type Builtin, openBuiltin } from './tools/builtin/open-builtin.ts'
import { systemZone } from './tools/builtin/wall-time.ts'
import type { ToolHost } from './tools/tool-host.ts'
import type { ToolRegistry } from './tools/tool-registry.ts'

export interface HelperWiring {
  readonly config: { readonly dataDir: string }
  readonly store: Store
  readonly devices: Pick<Devices, 'control' | 'list'>
  readonly sessions: Sessions
  readonly tools: ToolHost
  readonly registry: ToolRegistry
  readonly turns: Pick<TurnRecorder, 'running'>
  readonly clock: Clock
  readonly wall: () => number
  readonly log: Log
}

/** The built-in tools, joined to the boards' sessions and to the tool host. */
export async function openHelpers(parts: HelperWiring): Promise<Builtin> {
  const { registry, tools, store } = parts
  const builtin = await openBuiltin({
    ...parts,
    ports: portsOf(parts),
    picturesDir: join(parts.config.dataDir, 'pictures'),
    registry: {
      adopt: (content, as) => registry.adopt(content, as),
      published: (name) => registry.published(name),
      startOff: (name) => registry.shelf.setSettings({ ...registry.shelf.settings(name), enabled: false }),
    },
    store,
  })
  tools.register(builtin.provider)
  return builtin
}

/** An outside program reaches through a tool what it reaches by itself (`deviceIds` empty: all). */
async function reachable({ devices, store }: HelperWiring, caller: Caller): Promise<readonly Device[]> {
  if (caller.kind !== 'client') return devices.list()
  const row = (await store.apiClients.all()).find(({ client }) => client.id === caller.id)
  if (!row) return []
  const { deviceIds } = row.client
  return devices.list().filter(({ id }) => deviceIds.length === 0 || deviceIds.includes(id))
}

function portsOf(parts: HelperWiring): BuiltinPorts {
  const { sessions, devices, tools, turns, wall } = parts
  const isPresent = (deviceId: string): boolean => {
    const phase = sessions.of(deviceId)?.phase
    return phase !== undefined && phase !== 'connecting'
  }
  return {
    wall,
    zone: systemZone,
    random: Math.random,
    boards: async (caller) => (await reachable(parts, caller)).map(({ id, name }) => ({ id, name })),
    isPresent,
    announce(deviceId, text, announced) {
      if (!isPresent(deviceId)) return 'offline'
      try {
        sessions.openTurn(deviceId, { source: 'announcement', text, announced })
        return 'told'
      } catch (error) {
        // It left just now, or eight turns wait already.
        return isAppError(error, 'iotta-busy') ? 'busy' : 'offline'
      }
    },
    async playSound(deviceId, { title, pcm, sampleRate, signal }) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      sessions.openTurn(deviceId, {
        source: 'announcement',
        text: title,
        announced: {
          kind: 'music',
          by: { kind: 'board', name: devices.list().find(({ id }) => id === deviceId)?.name ?? '' },
        },
        sound: { pcm, sampleRate, signal, onEnd: resolve },
      })
      const complete = await promise
      const end: SoundEnd = sessions.of(deviceId)?.phase === 'listening' ? 'interrupted' : 'stopped'
      return complete ? 'played' : end
    },
    identify: (deviceId) => devices.control(deviceId, 'identify'),
    callTool: (request) => tools.callTool(request),
    languageOf: (turnId) => turns.running().find(({ id }) => id === turnId)?.language ?? 'en',
  }
}
