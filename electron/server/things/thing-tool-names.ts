import { isAppError } from '../../base/app-error.ts'
import type { ThingModel, ThingVersion } from '../../contract/thing.ts'
import type { ToolContent } from '../../contract/tool-registry.ts'
import { toolRef, type ToolVersion } from '../../contract/tool.ts'
import { prefixedToolName, type ThingTool, toolsOf } from './thing-tools.ts'

/** The registry as Things need it. */
export interface ThingToolShelf {
  /** The content as the next published version when it is new. Rejects tool-name-taken for a name of another kind. */
  adopt(content: ToolContent, as: { name: string; origin: 'thing'; owner: string }): Promise<ToolVersion>
  version(ref: { name: string; version: number }): ToolVersion | undefined
  /** Only these devices get the version; none: all do. */
  setCanary(ref: { name: string; version: number }, devices: readonly string[]): Promise<void>
  /** A tool of another kind has this name. */
  isTaken(name: string): boolean
}

export type ToolNames = ReturnType<typeof createToolNames>

/** Which tool each member of a Thing became. */
export function createToolNames(shelf: ThingToolShelf, all: () => readonly ThingVersion[]) {
  /** A name stays with the Thing that had it first, in versions of long ago too. */
  function owners(): Map<string, string> {
    const owned = all().flatMap(({ name, tools }) => Object.values(tools).map((ref) => [nameOf(ref), name] as const))
    return new Map(owned.reverse())
  }

  function keptName(thing: string, member: string): string | undefined {
    const before = all().findLast((version) => version.name === thing && version.tools[member] !== undefined)
    const ref = before?.tools[member]
    return ref === undefined ? undefined : nameOf(ref)
  }

  async function adoptOne(thing: string, tool: ThingTool, owned: ReadonlyMap<string, string>): Promise<ToolVersion> {
    const as = (name: string) => ({ name, origin: 'thing' as const, owner: thing })
    const kept = keptName(thing, tool.member)
    if (kept !== undefined) return shelf.adopt(tool.content, as(kept))
    const long = prefixedToolName(thing, tool.name)
    if ((owned.get(tool.name) ?? thing) !== thing) return shelf.adopt(tool.content, as(long))
    try {
      return await shelf.adopt(tool.content, as(tool.name))
    } catch (error) {
      if (!isAppError(error, 'tool-name-taken')) throw error
      return shelf.adopt(tool.content, as(long))
    }
  }

  return {
    /** The names that a publish would give, for a draft that is tried. */
    preview(thing: string, model: ThingModel): (ThingTool & { readonly given: string })[] {
      const owned = owners()
      return toolsOf(model).map((tool) => {
        const isFree = (owned.get(tool.name) ?? thing) === thing && !shelf.isTaken(tool.name)
        const given = keptName(thing, tool.member) ?? (isFree ? tool.name : prefixedToolName(thing, tool.name))
        return { ...tool, given }
      })
    },
    /**
     * Gives the tools that came with this version of the Thing to its canaries alone; those of earlier versions stay
     * for all.
     */
    async setCanary(version: ThingVersion, devices: readonly string[]): Promise<void> {
      const older = all().filter((other) => other.name === version.name && other.version < version.version)
      const common = new Set(older.flatMap(({ tools }) => Object.values(tools)))
      for (const ref of Object.values(version.tools)) if (!common.has(ref)) await shelf.setCanary(partsOf(ref), devices)
    },
    /**
     * What only canaries had goes when a version for all comes without it, and so does what is newer than the content
     * that a rollback gives again; that one is for all from now on. A board that names its tools gets what devices have.
     */
    async withdraw(next: ThingVersion): Promise<void> {
      const older = all().filter(({ name }) => name === next.name)
      for (const ref of passedOver(older, next)) await shelf.setCanary(partsOf(ref), [nobody])
      for (const ref of givenAgain(older, next)) await shelf.setCanary(partsOf(ref), [])
    },
    /** `name@version` by member. A name that another one owns is given with the Thing's own before it, and kept. */
    async adopt(thing: string, model: ThingModel): Promise<Record<string, string>> {
      const owned = owners()
      const refs: Record<string, string> = {}
      for (const tool of toolsOf(model)) refs[tool.member] = toolRef(await adoptOne(thing, tool, owned))
      return refs
    },
  }
}

function passedOver(older: readonly ThingVersion[], next: ThingVersion): string[] {
  const given = Object.values(next.tools)
  const forAll = new Set(older.flatMap(({ canary, tools }) => (canary.length === 0 ? Object.values(tools) : [])))
  const refs = new Set(older.flatMap(({ tools }) => Object.values(tools)))
  return [...refs].filter(
    (ref) => !given.includes(ref) && (!forAll.has(ref) || given.some((one) => isBefore(one, ref))),
  )
}

/** Those of `next` that were held back before. */
function givenAgain(older: readonly ThingVersion[], next: ThingVersion): string[] {
  return Object.values(next.tools).filter((ref) => {
    const since = older.findIndex(({ tools }) => Object.values(tools).includes(ref))
    if (since < 0) return false
    const wasTrial = (older[since]?.canary.length ?? 0) > 0
    return wasTrial || older.slice(since).some(({ tools }) => Object.values(tools).some((one) => isBefore(one, ref)))
  })
}

/** An earlier version of the same tool. */
function isBefore(one: string, other: string): boolean {
  return nameOf(one) === nameOf(other) && partsOf(one).version < partsOf(other).version
}

/** No device has an empty id. */
const nobody = ''

export function nameOf(ref: string): string {
  const at = ref.lastIndexOf('@')
  return at < 0 ? ref : ref.slice(0, at)
}

export function partsOf(ref: string): { name: string; version: number } {
  return { name: nameOf(ref), version: Number(ref.slice(ref.lastIndexOf('@') + 1)) }
}
