import { constants, getPriority, setPriority } from 'node:os'
import type { EntryName } from './entries.ts'

/** What nobody listens to while it works: a conversation comes first (architecture.md §1). */
const patient: ReadonlySet<EntryName> = new Set(['flasher', 'chip'])

/** The process steps back behind those of the conversation when the cores are all busy; idle cores serve it as ever. */
export function stepBack(entry: EntryName, pid: number | undefined): void {
  if (!patient.has(entry) || pid === undefined) return
  try {
    setPriority(pid, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
  } catch {
    // It ended already, or the system does not allow it: then all are equal.
  }
}
