import type { IconName } from './icon-paths.ts'
import type { SchemaKind } from './schema-model.ts'

/** Kinds that a person may choose, the usual ones first. */
export const offeredKinds = [
  'boolean',
  'integer',
  'number',
  'string',
  'enum',
  'object',
  'array',
  'oneOf',
  'anyOf',
  'const',
  'ref',
  'null',
] as const satisfies readonly SchemaKind[]

export const kindIcons: Readonly<Record<SchemaKind, IconName>> = {
  boolean: 'check',
  integer: 'sample',
  number: 'telemetry',
  string: 'log',
  enum: 'table',
  object: 'grid',
  array: 'jobs',
  oneOf: 'more',
  anyOf: 'more',
  const: 'lock',
  ref: 'right',
  null: 'close',
  other: 'tool',
}

/** Formats that JSON Schema 2020-12 names and a voice can fill. */
export const formats = ['date', 'time', 'date-time', 'duration', 'email', 'uri', 'uuid', 'ipv4', 'hostname'] as const
