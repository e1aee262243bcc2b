import { constants, getPriority, setPriority } from 'node:os'
import type { EntryName } from './entries.ts'

/** What nobody listens to while it works: a conversation comes first (architecture.md §1). */
const patient: ReadonlySet<EntryName> = new Set(['flasher'])

/** About a third of the share of others: at 10, which Windows needs, a loaded Linux starves it into its deadlines. */
const patience = process.platform === 'win32' ? constants.priority.PRIORITY_BELOW_NORMAL : 5

/** The process steps back behind those of the conversation when the cores are all busy; idle cores serve it as ever. */
export function stepBack(entry: EntryName, pid: number | undefined): void {
  if (!patient.has(entry) || pid === undefined) return
  try {
    setPriority(pid, Math.min(19, getPriority() + patience))
  } catch {
    // It ended already, or the system does not allow it: then all are equal.
  }
}
