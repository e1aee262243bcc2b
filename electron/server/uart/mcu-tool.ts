import type { ErrorCode } from '../../contract/errors.ts'
import type { ToolContent } from '../../contract/tool-registry.ts'
import { type JsonSchema, ToolName } from '../../contract/tool.ts'
import { answerLimitMs, type McuTool } from '../../contract/uart-wire.ts'
import { holdMs } from './board-machine.ts'

// What microcontroller programs call the types; the board does not interpret them (uart-mcp.md §2).
const types: Readonly<Record<string, string>> = {
  bool: 'boolean',
  boolean: 'boolean',
  int: 'integer',
  integer: 'integer',
  float: 'number',
  double: 'number',
  number: 'number',
  string: 'string',
  text: 'string',
}

/** Why a voice cannot call it; null when it can. */
export function toolProblem(tool: McuTool): ErrorCode | null {
  if (!ToolName.safeParse(tool.name).success) return 'uart-tool-name'
  return Object.values(tool.properties).some(({ type }) => types[type.toLowerCase()] === undefined)
    ? 'tool-bad-schema'
    : null
}

/** Another call, a late answer and the quiet after it may come before its own five seconds. */
const longestMs = 2 * answerLimitMs + holdMs

/** The tool as the registry keeps it. No argument is required: a call without any asks for the value. */
export function toolContent(tool: McuTool): ToolContent {
  return {
    description: tool.description.slice(0, 2000),
    arguments: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(tool.properties).map(propertySchema)),
      additionalProperties: false,
    },
    result: null,
    // What it does is its maker's word alone: unknown is `physical` (reliability.md C 43).
    danger: 'physical',
    idempotent: false,
    timeoutMs: longestMs,
    speech: { target: { en: [], zh: [] }, parameters: {}, values: {}, reply: {} },
  }
}

function propertySchema([name, { type, description }]: [string, McuTool['properties'][string]]): [string, JsonSchema] {
  return [name, { type: types[type.toLowerCase()] ?? 'string', ...(description === '' ? {} : { description }) }]
}

export type McuOutcome =
  | { readonly ok: true; readonly value: { readonly status: 'ok' } | { readonly value: boolean | number | string } }
  | { readonly ok: false }

/**
 * An answer is one text (uart-mcp.md §2): done or not of a control call, the value asked for of a query. `result`: what
 * the tool promises, where somebody else than the microcontroller described it.
 */
export function outcomeOf(
  result: JsonSchema | null,
  args: Readonly<Record<string, unknown>>,
  status: string,
): McuOutcome {
  const promised = propertiesOf(result)
  const isControl = 'status' in promised || (!('value' in promised) && Object.keys(args).length > 0)
  if (isControl && status === 'true') return { ok: true, value: { status: 'ok' } }
  // Only "true" is a yes to what promises to be done or not (uart-mcp.md §2); without a promise it may be a value.
  if (isControl && (status === 'false' || 'status' in promised)) return { ok: false }
  const asText = typeOf(promised['value']) === 'string'
  return { ok: true, value: { value: asText ? status : valueOf(status) } }
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const { properties } = Object(schema) as { properties?: unknown }
  return typeof properties === 'object' && properties !== null ? (properties as Record<string, unknown>) : {}
}

function typeOf(schema: unknown): unknown {
  return (Object(schema) as { type?: unknown }).type
}

function valueOf(status: string): boolean | number | string {
  if (status === 'true' || status === 'false') return status === 'true'
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/.test(status) ? Number(status) : status
}
