import { AppError } from '../../base/app-error.ts'

const mostNear = 3

/**
 * An allow-list with a name of no tool allows less than it says: a slip of the pen is told at once. Throws
 * tool-names-unknown with every such name and those that are written like it.
 */
export function refuseUnknownTools(wanted: readonly string[], known: Iterable<string>): void {
  const names = new Set(known)
  const wrong = [...new Set(wanted)].filter((name) => !names.has(name)).slice(0, 10)
  if (wrong.length === 0) return
  const told = wrong.map((name) => {
    const near = nearest(name, [...names])
    return near.length === 0 ? `"${name}"` : `"${name}" (perhaps ${near.join(', ')})`
  })
  throw new AppError('tool-names-unknown', `No tool is called ${told.join(', ')}`)
}

function nearest(name: string, names: readonly string[]): string[] {
  const plain = flat(name)
  return names
    .map((other) => ({ other, steps: flat(other).includes(plain) ? 1 : distance(plain, flat(other)) }))
    .filter(({ steps }) => steps <= Math.max(2, Math.floor(plain.length / 4)))
    .sort((a, b) => a.steps - b.steps || a.other.localeCompare(b.other))
    .slice(0, mostNear)
    .map(({ other }) => other)
}

const flat = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Letters to add, drop or change; names have 64 at most. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [at, letter] of Array.from(from).entries()) {
    const next = [at + 1]
    for (const [column, other] of Array.from(to).entries()) {
      const kept = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(kept, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
