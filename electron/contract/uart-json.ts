/** JSON as the linter needs it: each value with the place (in characters of the text) where it starts. */
export type JsonNode =
  | { readonly kind: 'object'; readonly at: number; readonly members: readonly JsonMember[] }
  | { readonly kind: 'array'; readonly at: number; readonly items: readonly JsonNode[] }
  | { readonly kind: 'value'; readonly at: number; readonly value: string | number | boolean | null }

export interface JsonMember {
  readonly key: string
  readonly keyAt: number
  readonly value: JsonNode
}

export interface JsonScan {
  /** Null: it is no JSON, and `brokenAt` says where. */
  readonly root: JsonNode | null
  readonly brokenAt: number | null
  /** Where white space stands between values, which JSON allows and this protocol does not (uart-mcp.md §1). */
  readonly spaces: readonly number[]
  /** The first space within a text. */
  readonly textSpace: number | null
}

const deepest = 16
const mostSpaces = 8
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const words: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** Never throws. JSON.parse tells neither places nor double keys. */
export function scanJson(text: string): JsonScan {
  const cursor = createCursor(text)
  const root = readValue(cursor, 0)
  cursor.skip()
  const broken = root === null || cursor.at() < text.length
  return {
    root: broken ? null : root,
    brokenAt: broken ? cursor.at() : null,
    spaces: cursor.spaces,
    textSpace: cursor.textSpace(),
  }
}

interface Cursor {
  at(): number
  /** Over white space. */
  skip(): void
  /** Over this character, after white space; false when another one stands there. */
  take(char: string): boolean
  peek(): string | undefined
  /** The text that begins here; null when it is none. */
  string(): string | null
  /** A number, true, false or null; undefined when it is none. */
  word(): number | boolean | null | undefined
  readonly spaces: readonly number[]
  textSpace(): number | null
}

function createCursor(text: string): Cursor {
  const spaces: number[] = []
  let at = 0
  let textSpace: number | null = null

  function skip(): void {
    while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) {
      if (spaces.length < mostSpaces) spaces.push(at)
      at += 1
    }
  }

  return {
    at: () => at,
    skip,
    take(char) {
      skip()
      if (text[at] !== char) return false
      at += 1
      return true
    },
    peek: () => text[at],
    string() {
      const start = at
      for (let end = start + 1; end < text.length; end += 1) {
        const char = text[end]
        if (char === ' ') textSpace ??= end
        if (char === '\\') end += 1
        else if (char === '"') {
          const value = unescaped(text.slice(start, end + 1))
          if (value !== null) at = end + 1
          return value
        }
      }
      at = text.length
      return null
    },
    word() {
      const [word, meaning] = [...words].find(([name]) => text.startsWith(name, at)) ?? []
      number.lastIndex = at
      const found = word ?? number.exec(text)?.[0]
      if (found === undefined) return undefined
      at += found.length
      return word === undefined ? Number(found) : meaning
    },
    spaces,
    textSpace: () => textSpace,
  }
}

function readValue(cursor: Cursor, depth: number): JsonNode | null {
  cursor.skip()
  const at = cursor.at()
  if (depth > deepest) return null
  if (cursor.take('{')) return readMembers(cursor, at, depth)
  if (cursor.take('[')) return readItems(cursor, at, depth)
  const value = cursor.peek() === '"' ? (cursor.string() ?? undefined) : cursor.word()
  return value === undefined ? null : { kind: 'value', at, value }
}

function readMembers(cursor: Cursor, at: number, depth: number): JsonNode | null {
  const members: JsonMember[] = []
  if (cursor.take('}')) return { kind: 'object', at, members }
  do {
    cursor.skip()
    const keyAt = cursor.at()
    const key = cursor.peek() === '"' ? cursor.string() : null
    const value = key !== null && cursor.take(':') ? readValue(cursor, depth + 1) : null
    if (key === null || value === null) return null
    members.push({ key, keyAt, value })
  } while (cursor.take(','))
  return cursor.take('}') ? { kind: 'object', at, members } : null
}

function readItems(cursor: Cursor, at: number, depth: number): JsonNode | null {
  const items: JsonNode[] = []
  if (cursor.take(']')) return { kind: 'array', at, items }
  do {
    const item = readValue(cursor, depth + 1)
    if (item === null) return null
    items.push(item)
  } while (cursor.take(','))
  return cursor.take(']') ? { kind: 'array', at, items } : null
}

function unescaped(quoted: string): string | null {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return null
  }
}

/** The member of an object; undefined for other values and where there is none. */
export function memberOf(node: JsonNode | undefined, key: string): JsonMember | undefined {
  return node?.kind === 'object' ? node.members.find((member) => member.key === key) : undefined
}

/** The value as plain data. Of a key that stands twice the last counts, as with JSON.parse. */
export function plainValue(node: JsonNode): unknown {
  if (node.kind === 'value') return node.value
  if (node.kind === 'array') return node.items.map(plainValue)
  return Object.fromEntries(node.members.map(({ key, value }) => [key, plainValue(value)]))
}
