/**
 * A form from a JSON Schema, as a value. The JSON stays the only truth: the form edits it in place by path, so what the
 * form cannot show (unknown keys, strange schemas) is kept, and has a JSON box of its own instead of vanishing.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type Path = readonly (string | number)[]
type Schema = Readonly<Record<string, unknown>>

export interface Limits {
  readonly min?: number
  readonly max?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly step?: number
  readonly pattern?: string
}

interface Common {
  readonly label: string
  readonly description: string
  readonly required: boolean
  readonly limits: Limits
  readonly fallback: Json | undefined
}

export type Field = Common &
  (
    | { readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'json' }
    | { readonly kind: 'enum'; readonly options: readonly Json[] }
    | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Field>> }
    | { readonly kind: 'array'; readonly item: Field }
    | { readonly kind: 'variant'; readonly options: readonly Field[] }
  )

const MAX_DEPTH = 8

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown) => (typeof value === 'string' ? value : '')
const finite = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)

/** Follows local references only; a remote or a dead one gives the JSON box. */
function resolve(schema: Schema, root: Schema, hops = 0): Schema {
  const ref = schema.$ref
  if (typeof ref !== 'string' || hops > MAX_DEPTH) return schema
  let target: unknown = root
  for (const part of ref
    .replace(/^#\/?/, '')
    .split('/')
    .filter((one) => one !== '')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    target = isSchema(target) && Object.hasOwn(target, key) ? target[key] : undefined
  }
  if (!ref.startsWith('#') || !isSchema(target)) return schema
  const { $ref: _followed, ...beside } = schema
  return resolve({ ...target, ...beside }, root, hops + 1)
}

function limitsOf(schema: Schema): Limits {
  const pairs = {
    min: finite(schema.minimum) ?? finite(schema.exclusiveMinimum) ?? finite(schema.minItems),
    max: finite(schema.maximum) ?? finite(schema.exclusiveMaximum) ?? finite(schema.maxItems),
    minLength: finite(schema.minLength),
    maxLength: finite(schema.maxLength),
    step: finite(schema.multipleOf),
    pattern: typeof schema.pattern === 'string' ? schema.pattern : undefined,
  }
  return Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== undefined))
}

interface Place {
  readonly label: string
  readonly required: boolean
  readonly depth: number
}

function fieldOf(raw: Schema, root: Schema, place: Place): Field {
  const schema = resolve(raw, root)
  const common: Common = {
    label: text(schema.title) || place.label,
    description: text(schema.description),
    required: place.required,
    limits: limitsOf(schema),
    fallback: schema.default as Json | undefined,
  }
  const child = (inner: unknown, label: string, required = true) =>
    fieldOf(isSchema(inner) ? inner : {}, root, { label, required, depth: place.depth + 1 })
  if (place.depth > MAX_DEPTH) return { ...common, kind: 'json' }
  if (Array.isArray(schema.enum)) return { ...common, kind: 'enum', options: schema.enum as Json[] }
  if ('const' in schema) return { ...common, kind: 'enum', options: [schema.const as Json] }
  const variants = schema.oneOf ?? schema.anyOf
  // Properties beside oneOf belong to every variant: the JSON box says more than a wrong form.
  if (Array.isArray(variants) && variants.length > 0 && !('properties' in schema))
    return {
      ...common,
      kind: 'variant',
      options: variants.map((one, index) => child(one, `${index + 1}`, place.required)),
    }
  switch (schema.type) {
    case 'string':
      return { ...common, kind: 'text' }
    case 'number':
      return { ...common, kind: 'number' }
    case 'integer':
      return { ...common, kind: 'integer' }
    case 'boolean':
      return { ...common, kind: 'boolean' }
    case 'array':
      return isSchema(schema.items)
        ? { ...common, kind: 'array', item: child(schema.items, '') }
        : { ...common, kind: 'json' }
    case 'object': {
      if (!isSchema(schema.properties) || Array.isArray(variants) || Array.isArray(schema.allOf))
        return { ...common, kind: 'json' }
      const needed = Array.isArray(schema.required) ? schema.required : []
      const fields = Object.entries(schema.properties).map(([key, inner]) => [
        key,
        child(inner, key, needed.includes(key)),
      ])
      return { ...common, kind: 'object', fields: Object.fromEntries(fields) as Record<string, Field> }
    }
    default:
      return { ...common, kind: 'json' }
  }
}

/** The form of a tool's argument schema. A schema without properties is an object without fields. */
export function formOf(schema: Schema): Field {
  const typed =
    'type' in schema || '$ref' in schema || 'oneOf' in schema || 'anyOf' in schema
      ? schema
      : { ...schema, type: 'object' }
  const whole = typed.type === 'object' && !('properties' in typed) ? { ...typed, properties: {} } : typed
  return fieldOf(whole, schema, { label: '', required: true, depth: 0 })
}

/** What a fresh form holds: defaults and required parts; optional parts without a default stay away. */
export function initialValue(field: Field): Json {
  if (field.fallback !== undefined) return field.fallback
  switch (field.kind) {
    case 'text':
      return ''
    case 'number':
    case 'integer':
      return field.limits.min ?? 0
    case 'boolean':
      return false
    case 'enum':
      return field.options[0] ?? null
    case 'array':
      return []
    case 'variant':
      return field.options[0] ? initialValue(field.options[0]) : null
    case 'json':
      return {}
    case 'object': {
      const kept = Object.entries(field.fields).filter(([, inner]) => inner.required || inner.fallback !== undefined)
      return Object.fromEntries(kept.map(([key, inner]) => [key, initialValue(inner)]))
    }
  }
}

export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((at, key) => {
    if (typeof at !== 'object' || at === null) return undefined
    return Object.hasOwn(at, key) ? (at as Record<string | number, Json>)[key] : undefined
  }, value)
}

/** A copy with one place changed; everything else, known to the form or not, stays as it was. `undefined` removes. */
export function withValue(value: Json | undefined, path: Path, next: Json | undefined): Json | undefined {
  const [key, ...rest] = path
  if (key === undefined) return next
  const inner = withValue(valueAt(value, [key]), rest, next)
  if (typeof key === 'number') {
    const items = Array.isArray(value) ? [...(value as Json[])] : []
    if (inner === undefined) items.splice(key, 1)
    else items[key] = inner
    return items
  }
  const object =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...(value as Record<string, Json>) } : {}
  const { [key]: _gone, ...others } = object
  if (inner === undefined) return others
  return key in object ? { ...object, [key]: inner } : { ...others, [key]: inner }
}

const sameJson = (left: Json | undefined, right: Json | undefined) => JSON.stringify(left) === JSON.stringify(right)

/** Whether a value has the shape of a field; picks the variant that is shown. */
export function fits(field: Field, value: Json | undefined): boolean {
  if (value === undefined) return !field.required
  switch (field.kind) {
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isInteger(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'enum':
      return field.options.some((option) => sameJson(option, value))
    case 'array':
      return Array.isArray(value) && (value as Json[]).every((item) => fits(field.item, item))
    case 'variant':
      return field.options.some((option) => fits(option, value))
    case 'json':
      return true
    case 'object':
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
      return Object.entries(field.fields).every(([key, inner]) => fits(inner, valueAt(value, [key])))
  }
}

export type FieldProblem = 'missing' | 'wrong-type' | 'too-small' | 'too-large' | 'too-short' | 'too-long' | 'pattern'

/** The first thing wrong with this value at this field (not its children), or null. The server has the last word. */
export function problemOf(field: Field, value: Json | undefined): FieldProblem | null {
  if (value === undefined) return field.required ? 'missing' : null
  const { limits } = field
  if (typeof value === 'number' && (field.kind === 'number' || field.kind === 'integer')) {
    if (field.kind === 'integer' && !Number.isInteger(value)) return 'wrong-type'
    if (limits.min !== undefined && value < limits.min) return 'too-small'
    if (limits.max !== undefined && value > limits.max) return 'too-large'
    return null
  }
  if (typeof value === 'string' && field.kind === 'text') {
    if (limits.minLength !== undefined && value.length < limits.minLength) return 'too-short'
    if (limits.maxLength !== undefined && value.length > limits.maxLength) return 'too-long'
    return limits.pattern !== undefined && !matches(limits.pattern, value) ? 'pattern' : null
  }
  return field.kind === 'object' || field.kind === 'array' || fits(field, value) ? null : 'wrong-type'
}

// A pattern in another dialect must not break the form: the server judges it.
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    return true
  }
}
