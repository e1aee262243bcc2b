import type { ThingModel } from '../../electron/contract/thing.ts'

// Three-way view of one Thing: what they changed, what I changed, and what both did (ux.md G26).

/** One place of a model. Members are found by name, so a moved or inserted one is not a change of its neighbours. */
export interface MergePart {
  /** `title`, `properties/temperature`, … */
  readonly path: string
  readonly base: unknown
  readonly mine: unknown
  readonly theirs: unknown
  readonly state: 'mine' | 'theirs' | 'both'
}

const lists = ['properties', 'methods', 'events'] as const
const singles = ['title', 'description', 'names', 'template', 'wiring', 'hidden'] as const
const same = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)

function partsOf(model: ThingModel): Map<string, unknown> {
  const parts = new Map<string, unknown>(singles.map((key) => [key, model[key]]))
  for (const list of lists) for (const member of model[list]) parts.set(`${list}/${member.name}`, member)
  return parts
}

/** Places where somebody changed something. A place that both changed alike is no conflict. */
export function mergeParts(base: ThingModel, mine: ThingModel, theirs: ThingModel): MergePart[] {
  const [old, own, other] = [partsOf(base), partsOf(mine), partsOf(theirs)]
  const paths = new Set([...old.keys(), ...other.keys(), ...own.keys()])
  return [...paths].flatMap((path): MergePart[] => {
    const part = { path, base: old.get(path), mine: own.get(path), theirs: other.get(path) }
    if (same(part.mine, part.theirs)) return []
    if (same(part.base, part.theirs)) return [{ ...part, state: 'mine' }]
    return [{ ...part, state: same(part.base, part.mine) ? 'theirs' : 'both' }]
  })
}

/**
 * Their model with my changes put in. `choices`: for each place that both changed, whose text wins; a place without a
 * choice takes mine, so nothing I wrote is lost by pressing on.
 */
export function merged(
  theirs: ThingModel,
  parts: readonly MergePart[],
  choices: Readonly<Record<string, 'mine' | 'theirs'>>,
): ThingModel {
  const wins = parts.filter(({ path, state }) => state === 'mine' || (state === 'both' && choices[path] !== 'theirs'))
  return wins.reduce((model, part) => placed(model, part.path, part.mine), theirs)
}

function placed(model: ThingModel, path: string, value: unknown): ThingModel {
  const [list, name] = path.split('/')
  const key = lists.find((one) => one === list)
  if (!key || name === undefined) return { ...model, [path]: value }
  const members: readonly { name: string }[] = model[key]
  const rest = members.filter((member) => member.name !== name)
  if (value === undefined) return { ...model, [key]: rest }
  const at = members.findIndex((member) => member.name === name)
  const place = at < 0 ? members.length : at
  return { ...model, [key]: [...rest.slice(0, place), value, ...rest.slice(place)] }
}
