import type { ThingMethod, ThingModel, ThingParam, ThingProperty, ThingValue } from './thing.ts'

// What the members of a Thing mean, as pure functions: the simulator, the virtual board, the virtual microcontroller and
// the page all play a model with these, so a call has one trace wherever it goes.

/**
 * One callable member. `key`: `set:<property>`, `get:<property>` or `call:<method>`. `tool`: the name that its tool has
 * unless another one owned it already (ThingVersion.tools knows the real one). `params`: what a call must bring.
 */
export interface ThingMember {
  readonly key: string
  readonly kind: 'set' | 'get' | 'call'
  readonly tool: string
  readonly params: readonly ThingParam[]
  readonly property: ThingProperty | null
  readonly method: ThingMethod | null
}

/** Value of each property by name; null: not known yet. */
export type ThingState = Readonly<Record<string, ThingValue | null>>

export interface MemberCall {
  /** A member's key. */
  readonly member: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/**
 * `result`: `{status: 'ok'}` of a set and of a method, `{value}` of a get: one field of one name, because a serial
 * microcontroller answers with one text (uart-mcp.md §2). With an `error` nothing changed and `result` is null.
 */
export interface ThingStep {
  readonly state: ThingState
  readonly result: { readonly status: 'ok' } | { readonly value: ThingValue } | null
  /** Properties whose value is another one now. */
  readonly changed: readonly string[]
  readonly error: { readonly code: ThingRefusal; readonly message: string } | null
}

export type ThingRefusal = 'unknown-member' | 'missing-argument' | 'bad-argument' | 'no-value'

/** Setters, getters and methods, in the model's order. */
export function thingMembers(model: Pick<ThingModel, 'properties' | 'methods'>): ThingMember[] {
  const ofProperty = (property: ThingProperty): ThingMember[] => {
    const one = (kind: 'set' | 'get'): ThingMember => ({
      key: `${kind}:${property.name}`,
      kind,
      tool: `${kind}_${property.name}`,
      params: kind === 'set' ? [property] : [],
      property,
      method: null,
    })
    const kinds = { read: ['get'], write: ['set'], 'read-write': ['set', 'get'] } as const
    return kinds[property.access].map(one)
  }
  const ofMethod = (method: ThingMethod): ThingMember => ({
    key: `call:${method.name}`,
    kind: 'call',
    tool: method.name,
    params: method.params,
    property: null,
    method,
  })
  return [...model.properties.flatMap(ofProperty), ...model.methods.map(ofMethod)]
}

/** What a Thing is when it was just switched on: each property's `initial`, else the lowest value that it may have. */
export function initialState(model: Pick<ThingModel, 'properties'>): ThingState {
  return Object.fromEntries(
    model.properties.map((property) => [property.name, property.initial ?? restValue(property)]),
  )
}

function restValue(property: ThingProperty): ThingValue | null {
  // What nobody set and nothing measured is unknown.
  if (property.access === 'read') return null
  if (property.type === 'boolean') return false
  if (property.type === 'string') return property.values?.[0] ?? ''
  const { minimum, maximum } = property
  return minimum ?? (maximum === undefined ? 0 : Math.min(0, maximum))
}

/** Keeps what still fits of an older state, so that an edited model goes on where it was. */
export function carryState(model: Pick<ThingModel, 'properties'>, older: ThingState): ThingState {
  const fresh = initialState(model)
  return Object.fromEntries(
    model.properties.map((property) => {
      const value = older[property.name]
      const fits = value !== undefined && value !== null && valueFault(property, value) === undefined
      return [property.name, fits ? value : (fresh[property.name] ?? null)]
    }),
  )
}

const ok = { status: 'ok' } as const

/** Plays one call. A value outside of its range, list, step or type is refused, never bent to fit. */
export function applyCall(model: ThingModel, state: ThingState, call: MemberCall): ThingStep {
  const refused = (code: ThingRefusal, message: string): ThingStep => ({
    state,
    result: null,
    changed: [],
    error: { code, message },
  })
  const member = thingMembers(model).find(({ key }) => key === call.member)
  if (!member) return refused('unknown-member', `There is no ${call.member}`)
  const bad = argumentFault(member, call.arguments)
  if (bad) return refused(bad.code, bad.message)
  if (member.kind === 'get') {
    const value = state[member.property?.name ?? ''] ?? null
    if (value === null) return refused('no-value', `${member.property?.name ?? ''} has no value yet`)
    return { state, result: { value }, changed: [], error: null }
  }
  const written = writtenBy(member, call.arguments)
  const changed = Object.keys(written).filter((name) => state[name] !== written[name])
  return { state: { ...state, ...written }, result: ok, changed, error: null }
}

function writtenBy(member: ThingMember, args: MemberCall['arguments']): Record<string, ThingValue> {
  // Checked by argumentFault: every parameter is there and is a ThingValue.
  const given = (name: string) => args[name] as ThingValue
  if (member.property) return { [member.property.name]: given(member.property.name) }
  const sets = Object.entries(member.method?.sets ?? {})
  return Object.fromEntries(
    sets.map(([name, source]) => [name, 'param' in source ? given(source.param) : source.value] as const),
  )
}

/** Undefined when a call with these arguments may be made. Arguments that no parameter names are ignored. */
export function argumentFault(
  member: Pick<ThingMember, 'params'>,
  args: MemberCall['arguments'],
): { readonly code: 'missing-argument' | 'bad-argument'; readonly message: string } | undefined {
  for (const param of member.params) {
    const value = Object.hasOwn(args, param.name) ? args[param.name] : undefined
    if (value === undefined) return { code: 'missing-argument', message: `${param.name} is missing` }
    const fault = valueFault(param, value)
    if (fault !== undefined) return { code: 'bad-argument', message: `${param.name} ${fault}` }
  }
  return undefined
}

type Ranged = Pick<ThingParam, 'type' | 'minimum' | 'maximum' | 'step' | 'values'>

/** Why a value does not fit, in words that follow its name; undefined when it does. */
export function valueFault(param: Ranged, value: unknown): string | undefined {
  switch (param.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'string':
      if (typeof value !== 'string' || value.length > 500) return 'must be a text of at most 500 characters'
      return !param.values || param.values.includes(value) ? undefined : `must be one of ${param.values.join(', ')}`
    case 'integer':
    case 'number':
      return numberFault(param, value)
  }
}

function numberFault(param: Ranged, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number'
  if (param.type === 'integer' && !Number.isInteger(value)) return 'must be a whole number'
  if (param.minimum !== undefined && value < param.minimum) return `must be at least ${param.minimum}`
  if (param.maximum !== undefined && value > param.maximum) return `must be at most ${param.maximum}`
  if (param.step !== undefined && !isMultiple(value, param.step)) return `must be a multiple of ${param.step}`
  return undefined
}

/** Counted from 0, as JSON Schema's multipleOf does; 0.3 is a multiple of 0.1 although no double says so. */
export function isMultiple(value: number, step: number): boolean {
  const parts = value / step
  return Math.abs(parts - Math.round(parts)) < 1e-6
}

/** A value from a wire that has only text (uart-mcp.md §2) as the property's type; undefined when it does not fit. */
export function valueFromText(property: Ranged, text: string): ThingValue | undefined {
  const value = property.type === 'string' ? text : fromPlainText(property.type, text.trim())
  return value !== undefined && valueFault(property, value) === undefined ? value : undefined
}

function fromPlainText(type: 'boolean' | 'integer' | 'number', text: string): ThingValue | undefined {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  return /^-?\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined
}
