/** Longest function name that every model takes. */
const longest = 64

/** A name of `[A-Za-z0-9_-]{1,64}`: every model and every MCP client accepts it. */
export function modelName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, longest)
  return plain === '' ? 'tool' : plain
}

/** Tool name → the name that a model sees, unique in this list; the first of two alike keeps its plain one. */
export function modelNames(names: readonly string[]): Map<string, string> {
  const taken = new Set<string>()
  const given = new Map<string, string>()
  for (const name of names) {
    if (given.has(name)) continue
    const plain = modelName(name)
    let unique = plain
    for (let count = 2; taken.has(unique); count++) {
      const end = `_${count}`
      unique = plain.slice(0, longest - end.length) + end
    }
    taken.add(unique)
    given.set(name, unique)
  }
  return given
}
