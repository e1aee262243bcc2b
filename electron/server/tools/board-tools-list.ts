import type { Log } from '../../base/log.ts'
import type { DeviceTool } from '../../contract/tool.ts'
import type { ToolStore } from '../store/store.ts'
import type { BoardAnswer } from './tool-handshake.ts'
import type { ToolOffer } from './tool-provider.ts'
import type { ToolRegistry } from './tool-registry.ts'

const maxNames = 512

type Source = DeviceTool['source']

/** What each board names, kept over restarts, so that a sentence is understood while its board is away. */
export interface BoardToolsList {
  names(deviceId: string): Promise<ReadonlyMap<string, Source>>
  offers(deviceId: string, reachable: boolean): Promise<ToolOffer[]>
  /** A board that answered nothing keeps what it named before. */
  learn(deviceId: string, answer: Pick<BoardAnswer, 'declared' | 'listed'>): Promise<void>
}

export function createBoardToolsList(options: {
  readonly store: ToolStore
  readonly registry: ToolRegistry
  readonly log: Log
}): BoardToolsList {
  const { store, registry, log } = options
  const known = new Map<string, Map<string, Source>>()

  async function names(deviceId: string): Promise<Map<string, Source>> {
    const cached = known.get(deviceId)
    if (cached) return cached
    const stored = await store.declared(deviceId).catch((error: unknown) => {
      log.warn('stored tools could not be read', { deviceId, error })
      return []
    })
    // What the board said meanwhile is newer.
    const loaded = known.get(deviceId) ?? new Map(stored.map((name): [string, Source] => [name, 'declared']))
    known.set(deviceId, loaded)
    return loaded
  }

  return {
    names,
    async offers(deviceId, reachable) {
      return [...(await names(deviceId))].map(([name, source]) => ({
        name,
        tool: registry.published(name) ?? registry.newest(name) ?? null,
        reachable,
        source,
        provider: null,
      }))
    },
    async learn(deviceId, { declared, listed }) {
      if (!declared && listed.length === 0) return
      const named = new Map<string, Source>([
        ...(declared ?? []).map((name): [string, Source] => [name, 'declared']),
        ...listed.map(({ name }): [string, Source] => [name, 'listed']),
      ])
      // The question itself is no tool.
      named.delete('declare_capabilities')
      const kept = new Map([...named].filter(([name]) => name.length <= 64).slice(0, maxNames))
      known.set(deviceId, kept)
      await store.setDeclared(deviceId, [...kept.keys()]).catch((error: unknown) => {
        log.warn('tools of a board could not be stored', { deviceId, error })
      })
    },
  }
}
