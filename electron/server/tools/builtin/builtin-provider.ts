import { AppError, isAppError } from '../../../base/app-error.ts'
import type { Log } from '../../../base/log.ts'
import type { ToolContent } from '../../../contract/tool-registry.ts'
import type { ToolVersion } from '../../../contract/tool.ts'
import type { ToolProvider } from '../tool-provider.ts'
import type { BuiltinPorts, BuiltinTool, OfferedBuiltin } from './builtin-tool.ts'

/** What of the registry the built-ins need. */
export interface BuiltinRegistry {
  adopt(content: ToolContent, as: { name: string; origin: 'builtin'; owner: string }): Promise<ToolVersion>
  /** The newest published version of a name, of whatever origin. */
  published(name: string): ToolVersion | undefined
  /** Switches a tool off that has never been here before. */
  startOff(name: string): Promise<void>
}

export interface BuiltinProvider extends ToolProvider {
  /** What is offered on the device changed: an alarm rings there, music plays. */
  changed(deviceId: string): void
}

/** The tools that need no board at all, offered on every device. A name that a person or a board holds stays theirs. */
export async function createBuiltinProvider(options: {
  readonly tools: readonly BuiltinTool[]
  readonly registry: BuiltinRegistry
  readonly ports: Pick<BuiltinPorts, 'languageOf'>
  readonly log: Log
}): Promise<BuiltinProvider> {
  const log = options.log.child('builtin')
  const listeners = new Set<(deviceId: string | undefined) => void>()
  const known = new Map<string, OfferedBuiltin>()
  for (const tool of options.tools) {
    const version = await adopt(tool, options.registry, log)
    if (version) known.set(tool.name, { tool, version })
  }
  return {
    id: 'builtin',
    async offers(deviceId) {
      const offered = [...known.values()].filter(({ tool }) => tool.isOffered?.(deviceId) ?? true)
      return offered.map(({ tool, version }) => ({
        name: tool.name,
        // The object of the adoption: the matcher compiles each version once.
        tool: version,
        reachable: true,
        source: 'builtin',
        provider: null,
      }))
    },
    async call({ deviceId, tool, arguments: args, signal, turnId, caller }) {
      const found = known.get(tool.name)
      if (!found) throw new AppError('tool-unknown', `There is no built-in tool ${tool.name}`)
      const asked = caller ?? { kind: 'turn', id: turnId ?? '' }
      return found.tool.run(args, { deviceId, signal, caller: asked, language: options.ports.languageOf(turnId) })
    },
    onChange: (listener) => void listeners.add(listener),
    changed: (deviceId) => listeners.forEach((listener) => listener(deviceId)),
  }
}

async function adopt(tool: BuiltinTool, registry: BuiltinRegistry, log: Log): Promise<ToolVersion | undefined> {
  const isNew = registry.published(tool.name) === undefined
  try {
    const version = await registry.adopt(tool.content, { name: tool.name, origin: 'builtin', owner: 'roost' })
    if (isNew && tool.startsOff) await registry.startOff(tool.name)
    return version
  } catch (error) {
    if (!isAppError(error, 'tool-name-taken')) throw error
    log.warn('a built-in tool is left out: its name is taken', { name: tool.name })
    return undefined
  }
}
