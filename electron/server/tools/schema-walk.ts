import type { JsonSchema } from '../../contract/tool.ts'

export function asSchema(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {}
}

export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

export function propertiesOf(schema: JsonSchema): Map<string, JsonSchema> {
  return new Map(Object.entries(asSchema(schema['properties'])).map(([name, property]) => [name, asSchema(property)]))
}

/** A step of a JSON Pointer. */
export function pointerStep(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Every schema in a schema, references not followed: an editor points at what is written. */
export function* schemasIn(schema: JsonSchema, path: string, depth = 0): Generator<SchemaAt> {
  yield { schema, path, depth }
  if (depth > 24) return
  for (const key of ['properties', '$defs', 'patternProperties'] as const) {
    for (const [name, inner] of Object.entries(asSchema(schema[key]))) {
      yield* schemasIn(asSchema(inner), `${path}/${key}${pointerStep(name)}`, depth + 1)
    }
  }
  for (const key of ['items', 'additionalProperties', 'not'] as const) {
    if (Object.keys(asSchema(schema[key])).length > 0)
      yield* schemasIn(asSchema(schema[key]), `${path}/${key}`, depth + 1)
  }
  for (const key of ['oneOf', 'anyOf', 'allOf', 'prefixItems'] as const) {
    const branches: unknown[] = Array.isArray(schema[key]) ? schema[key] : []
    for (const [index, inner] of branches.entries()) {
      yield* schemasIn(asSchema(inner), `${path}/${key}/${index}`, depth + 1)
    }
  }
}

export interface SchemaAt {
  readonly schema: JsonSchema
  readonly path: string
  readonly depth: number
}
