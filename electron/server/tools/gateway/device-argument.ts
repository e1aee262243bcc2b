import type { JsonSchema } from '../../../contract/tool.ts'

export interface NamedDevice {
  readonly id: string
  readonly name: string
}

/**
 * How a client names a device: its name, with the id where two are called alike. One tool with a `device` argument, and
 * not one tool a device: thirty boards with five tools each are five tools for a model, and the enum is a plain one,
 * which Claude Desktop, Home Assistant and strict function calling all read.
 */
export function deviceLabels(devices: readonly NamedDevice[]): Map<string, string> {
  const counts = new Map<string, number>()
  for (const { name } of devices) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(devices.map(({ id, name }) => [id, counts.get(name) === 1 ? name : `${name} (${id})`]))
}

/** The name of the extra argument: `device`, or one that the tool itself does not use. */
export function deviceArgument(schema: JsonSchema): string {
  const properties = (schema['properties'] ?? {}) as JsonSchema
  let name = 'device'
  while (Object.hasOwn(properties, name)) name = `on_${name}`
  return name
}

/** The tool's own schema with the device in it. It may be left out where there is only one. */
export function withDevice(schema: JsonSchema, labels: readonly string[]): JsonSchema & { type: 'object' } {
  const name = deviceArgument(schema)
  const required = (schema['required'] ?? []) as string[]
  const [first] = labels
  const only = labels.length === 1 && first !== undefined
  const device = {
    type: 'string',
    enum: [...labels],
    description: 'Which device of the house',
    ...(only ? { default: first } : {}),
  }
  const widened = typeof schema['maxProperties'] === 'number' ? { maxProperties: schema['maxProperties'] + 1 } : {}
  return {
    ...schema,
    ...widened,
    type: 'object',
    properties: { [name]: device, ...((schema['properties'] ?? {}) as JsonSchema) },
    required: only ? required : [name, ...required],
  }
}

/** The id of the device that a label, a name or an id means; the only one when none is named. */
export function chosenDevice(asked: unknown, labels: ReadonlyMap<string, string>): string | undefined {
  const entries = [...labels]
  if (asked === undefined) return entries.length === 1 ? entries[0]?.[0] : undefined
  if (typeof asked !== 'string') return undefined
  const exact = entries.find(([id, label]) => label === asked || id === asked)
  return (exact ?? entries.find(([, label]) => label.toLowerCase() === asked.trim().toLowerCase()))?.[0]
}
