import type { ThingEvent, ThingMethod, ThingModel, ThingParam, ThingProperty } from '../../electron/contract/thing.ts'

// Edit commands on a Thing as pure functions: each gives a new model and leaves what it does not name as it was.

export type MemberKind = 'properties' | 'methods' | 'events'
export type Member = ThingProperty | ThingMethod | ThingEvent
export type ValueType = ThingParam['type']

const nameForm = /^[a-z][a-z0-9_]{0,39}$/

/** Names are identifiers that every target accepts (contract/thing.ts, ThingIdent). */
export const isName = (name: string): boolean => nameForm.test(name)

/** A name of the right form that nobody in `taken` has: `speed`, `speed_2`, … */
export function freeName(base: string, taken: readonly string[]): string {
  const start = base
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '_')
    .replaceAll(/^[^a-z]+|_+$/g, '')
    .slice(0, 36)
  const stem = start === '' ? 'item' : start
  if (!taken.includes(stem)) return stem
  for (let count = 2; ; count++) if (!taken.includes(`${stem}_${count}`)) return `${stem}_${count}`
}

/** Properties and methods become tools and share their names; events have their own. */
export function takenNames(model: ThingModel, kind: MemberKind): string[] {
  const members: readonly { name: string }[] =
    kind === 'events' ? model.events : [...model.properties, ...model.methods]
  return members.map(({ name }) => name)
}

const noNames = () => ({ en: [], zh: [] })

export function emptyParam(name: string): ThingParam {
  return { name, description: '', names: noNames(), type: 'integer', minimum: 0, maximum: 100, valueNames: {} }
}

export function addMember(model: ThingModel, kind: MemberKind): ThingModel {
  const taken = takenNames(model, kind)
  const described = { description: '', names: noNames() }
  if (kind === 'properties') {
    const name = freeName('property', taken)
    const fresh: ThingProperty = {
      name,
      ...described,
      type: 'boolean',
      valueNames: {},
      access: 'read-write',
      initial: null,
    }
    return { ...model, properties: [...model.properties, fresh] }
  }
  if (kind === 'methods') {
    const fresh: ThingMethod = {
      name: freeName('method', taken),
      ...described,
      params: [],
      danger: 'physical',
      sets: {},
    }
    return { ...model, methods: [...model.methods, fresh] }
  }
  const fresh: ThingEvent = { name: freeName('event', taken), ...described, params: [], announce: null }
  return { ...model, events: [...model.events, fresh] }
}

export function withItem<T>(items: readonly T[], index: number, next: T): T[] {
  return items.map((item, at) => (at === index ? next : item))
}

export function withoutItem<T>(items: readonly T[], index: number): T[] {
  return items.filter((_, at) => at !== index)
}

/** `to` is the place after the move; a place outside of the list changes nothing. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const item = items[from]
  if (item === undefined || to < 0 || to >= items.length) return [...items]
  const rest = withoutItem(items, from)
  return [...rest.slice(0, to), item, ...rest.slice(to)]
}

/** A member takes its switches and what other members say about it along when its name changes. */
export function putMember(model: ThingModel, place: { kind: MemberKind; index: number }, next: Member): ThingModel {
  const before = model[place.kind][place.index]
  // `kind` and the shape of `next` belong together: each editor hands back what it was given.
  const put = { ...model, [place.kind]: withItem<Member>(model[place.kind], place.index, next) }
  if (!before || before.name === next.name || place.kind === 'events') return put
  return renamed(put, { kind: place.kind, from: before.name, to: next.name })
}

function renamed(model: ThingModel, change: { kind: MemberKind; from: string; to: string }): ThingModel {
  const { from, to } = change
  const keys = change.kind === 'methods' ? ['call'] : ['get', 'set']
  const hidden = model.hidden.map((key) =>
    keys.some((verb) => key === `${verb}:${from}`) ? key.replace(from, to) : key,
  )
  if (change.kind === 'methods') return { ...model, hidden }
  const methods = model.methods.map((method) => ({
    ...method,
    sets: Object.fromEntries(Object.entries(method.sets).map(([name, source]) => [name === from ? to : name, source])),
  }))
  return { ...model, hidden, methods }
}

export function removeMember(model: ThingModel, place: { kind: MemberKind; index: number }): ThingModel {
  const gone = model[place.kind][place.index]
  if (!gone) return model
  const keys = [`get:${gone.name}`, `set:${gone.name}`, `call:${gone.name}`]
  const rest = { ...model, [place.kind]: withoutItem<Member>(model[place.kind], place.index) }
  if (place.kind === 'events') return rest
  return {
    ...rest,
    hidden: rest.hidden.filter((key) => !keys.includes(key)),
    methods: rest.methods.map((method) => ({
      ...method,
      sets: Object.fromEntries(Object.entries(method.sets).filter(([name]) => name !== gone.name)),
    })),
  }
}

export function moveMember(model: ThingModel, kind: MemberKind, step: { from: number; to: number }): ThingModel {
  return { ...model, [kind]: moved<Member>(model[kind], step.from, step.to) }
}

export function duplicateMember(model: ThingModel, place: { kind: MemberKind; index: number }): ThingModel {
  const items: readonly Member[] = model[place.kind]
  const source = items[place.index]
  if (!source) return model
  const copy = { ...source, name: freeName(source.name.replace(/_\d+$/, ''), takenNames(model, place.kind)) }
  return {
    ...model,
    [place.kind]: [...items.slice(0, place.index + 1), copy, ...items.slice(place.index + 1)],
  }
}

/** What a value of another type cannot keep goes: a switch has no range, a number no list. */
export function retyped<T extends ThingParam>(param: T, type: ValueType): T {
  const { minimum: _min, maximum: _max, step: _step, unit, values: _values, ...rest } = param
  const common = { ...rest, type, valueNames: {}, ...('initial' in rest ? { initial: null } : {}) }
  const numeric = type === 'integer' || type === 'number'
  const kept = numeric
    ? { minimum: param.minimum ?? 0, maximum: param.maximum ?? 100, ...(unit === undefined ? {} : { unit }) }
    : {}
  const step = numeric && param.step !== undefined && (type === 'number' || Number.isInteger(param.step))
  // The parts of `T` beyond ThingParam are in `rest`.
  return { ...common, ...kept, ...(step ? { step: param.step } : {}) } as unknown as T
}

/** Sets or takes away an optional part; `undefined` must not stay as a key, or two equal models would differ. */
export function withPart<T extends object, K extends keyof T>(whole: T, key: K, value: T[K] | undefined): T {
  if (value !== undefined) return { ...whole, [key]: value }
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key)) as T
}

export function toggleHidden(model: ThingModel, key: string): ThingModel {
  const hidden = model.hidden.includes(key) ? model.hidden.filter((one) => one !== key) : [...model.hidden, key]
  return { ...model, hidden }
}

export type ModelProblem = 'name-form' | 'name-taken' | 'range' | 'empty-list' | 'double-value' | 'title' | 'initial'

/** What keeps a model from being saved, by path: `properties/0/name`. */
export function problemsOf(model: ThingModel): ReadonlyMap<string, ModelProblem> {
  const found = new Map<string, ModelProblem>()
  if (model.title.en.trim() === '' && model.title.zh.trim() === '') found.set('title', 'title')
  const kinds = ['properties', 'methods', 'events'] as const
  for (const kind of kinds) {
    const taken = takenNames(model, kind)
    const members: readonly Member[] = model[kind]
    for (const [index, member] of members.entries()) {
      const path = `${kind}/${index}`
      nameProblem(member.name, taken, (problem) => found.set(`${path}/name`, problem))
      if (kind === 'properties') paramProblems(member as ThingProperty, path, found)
      if (!('params' in member)) continue
      const names = member.params.map(({ name }) => name)
      for (const [at, param] of member.params.entries()) {
        nameProblem(param.name, names, (problem) => found.set(`${path}/params/${at}/name`, problem))
        paramProblems(param, `${path}/params/${at}`, found)
      }
    }
  }
  return found
}

function nameProblem(name: string, taken: readonly string[], tell: (problem: ModelProblem) => void) {
  if (!isName(name)) tell('name-form')
  else if (taken.filter((other) => other === name).length > 1) tell('name-taken')
}

function paramProblems(param: ThingParam, path: string, found: Map<string, ModelProblem>) {
  const { minimum, maximum, values } = param
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) found.set(`${path}/range`, 'range')
  if (values && (values.length === 0 || values.some((value) => value.trim() === '')))
    found.set(`${path}/values`, 'empty-list')
  else if (values && new Set(values).size < values.length) found.set(`${path}/values`, 'double-value')
}
