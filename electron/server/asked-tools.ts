import { AppError } from '../base/app-error.ts'
import type { ToolVersion } from '../contract/tool.ts'
import type { ToolDrafts } from './tools/tool-drafts.ts'
import type { ToolRegistry } from './tools/tool-registry.ts'

// What "ask the matcher" and "ask the model" are about (ux.md C6): one tool, a draft too, among others.

export function everybodysTools(registry: ToolRegistry): ToolVersion[] {
  return [...registry.shelf.names()].flatMap((name) => registry.published(name) ?? [])
}

/** The draft as a version that is not published, else the version that is for this device. Throws tool-unknown. */
export function chosenTool(
  { toolDrafts, registry }: { readonly toolDrafts: ToolDrafts; readonly registry: ToolRegistry },
  { name, draftId, deviceId }: { name: string; draftId: string | undefined; deviceId: string | undefined },
): ToolVersion {
  const { shelf } = registry
  if (draftId !== undefined) {
    const draft = toolDrafts.need(draftId)
    const version = (shelf.named(draft.name)[0]?.version ?? 0) + 1
    const rest = { status: 'draft', createdAt: draft.updatedAt, origin: 'person' } as const
    return { ...draft.content, name: draft.name, version, ...rest }
  }
  const found = shelf.versionFor(name, { deviceId }) ?? shelf.named(name)[0]
  if (!found) throw new AppError('tool-unknown', `There is no tool "${name}"`)
  return found
}
