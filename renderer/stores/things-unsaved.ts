import type { ThingModel } from '../../electron/contract/thing.ts'

const KEY = 'roost.unsaved-thing.'

/** What was typed and not yet taken by the server: kept in the browser, so that no closed tab loses it (ux.md G27). */
export interface Unsaved {
  readonly revision: number | null
  readonly model: ThingModel
}

export function keepUnsaved(name: string, unsaved: Unsaved): void {
  try {
    localStorage.setItem(KEY + name, JSON.stringify(unsaved))
  } catch {
    // A page without storage has only its memory and the server.
  }
}

export function dropUnsaved(name: string): void {
  localStorage.removeItem(KEY + name)
}

/** Null when there is nothing, or nothing readable. */
export function readUnsaved(name: string): Unsaved | null {
  try {
    const found = JSON.parse(localStorage.getItem(KEY + name) ?? 'null') as Unsaved | null
    return found && Array.isArray(found.model.properties) && Array.isArray(found.model.methods) ? found : null
  } catch {
    return null
  }
}
