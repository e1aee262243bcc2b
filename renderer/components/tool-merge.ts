import type { ToolContent } from '../../electron/contract/tool-registry.ts'

/**
 * Three texts of one tool side by side (ux.md C6, G26). What only one side changed is taken from that side; what both
 * changed waits for a person. Nothing is decided by time.
 */
export interface MergePart {
  /** `description`, `danger` …, or `arguments/<name>` for one parameter. */
  readonly path: string
  readonly base: unknown
  readonly mine: unknown
  readonly theirs: unknown
  readonly changed: 'mine' | 'theirs' | 'both'
}

export type MergeChoice = 'mine' | 'theirs'

interface Parameter {
  readonly schema: unknown
  readonly required: boolean
}
type Parts = Readonly<Record<string, unknown>>

const plain = ['description', 'danger', 'idempotent', 'timeoutMs', 'result', 'speech'] as const
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const same = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)
const PARAMETER = 'arguments/'
const AROUND = 'arguments'

function partsOf(content: ToolContent | null): Parts {
  if (!content) return {}
  const { properties, required, ...around } = content.arguments
  const needed = Array.isArray(required) ? (required as unknown[]) : []
  const parameters = isObject(properties)
    ? Object.entries(properties).map(([name, schema]) => {
        const parameter: Parameter = { schema, required: needed.includes(name) }
        return [PARAMETER + name, parameter] as const
      })
    : []
  return {
    ...Object.fromEntries(plain.map((key) => [key, content[key]])),
    [AROUND]: around,
    ...Object.fromEntries(parameters),
  }
}

/** The places that differ between mine and theirs. `base` null: both began from nothing. */
export function mergeParts(base: ToolContent | null, mine: ToolContent, theirs: ToolContent): readonly MergePart[] {
  const [old, left, right] = [partsOf(base), partsOf(mine), partsOf(theirs)]
  const paths = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return paths
    .filter((path) => !same(left[path], right[path]))
    .map((path) => ({
      path,
      base: old[path],
      mine: left[path],
      theirs: right[path],
      changed: same(old[path], right[path]) ? 'mine' : same(old[path], left[path]) ? 'theirs' : 'both',
    }))
}

/** Starts from mine and takes over what was chosen from theirs. */
export function mergedContent(
  mine: ToolContent,
  theirs: ToolContent,
  choices: ReadonlyMap<string, MergeChoice>,
): ToolContent {
  const [left, right] = [partsOf(mine), partsOf(theirs)]
  const paths = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  const picked = new Map(
    paths.map((path) => [path, (choices.get(path) ?? 'mine') === 'mine' ? left[path] : right[path]] as const),
  )
  const parameters = [...picked].flatMap(([path, value]) =>
    path.startsWith(PARAMETER) && value !== undefined
      ? [{ name: path.slice(PARAMETER.length), parameter: value as Parameter }]
      : [],
  )
  const required = parameters.filter((one) => one.parameter.required).map((one) => one.name)
  const around = picked.get(AROUND) as Record<string, unknown>
  const fields = Object.fromEntries(plain.map((key) => [key, picked.get(key)])) as Omit<ToolContent, 'arguments'>
  const hadProperties = 'properties' in mine.arguments || 'properties' in theirs.arguments
  return {
    ...fields,
    arguments: {
      ...around,
      ...(required.length > 0 ? { required } : {}),
      ...(hadProperties
        ? { properties: Object.fromEntries(parameters.map((one) => [one.name, one.parameter.schema])) }
        : {}),
    },
  }
}
