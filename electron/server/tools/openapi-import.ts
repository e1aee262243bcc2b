import { z } from 'zod'
import { type JsonSchema, JsonSchema as Schema } from '../../contract/tool.ts'
import { asSchema, pointerStep } from './schema-walk.ts'
import { emptyContent } from './tool-drafts.ts'

/** A tool as read, before it is judged. */
export interface ReadTool {
  readonly name: string
  readonly content: unknown
}

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const
type Method = (typeof methods)[number]
const dangerOf = { get: 'read', put: 'physical', post: 'physical', patch: 'physical', delete: 'destructive' } as const
const isIdempotent: readonly Method[] = ['get', 'put', 'delete']

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['query', 'path', 'header', 'cookie']),
  description: z.string().optional(),
  required: z.boolean().optional(),
  schema: Schema.optional(),
})
const Operation = z.object({
  operationId: z.string().optional(),
  summary: z.string().optional(),
  description: z.string().optional(),
  parameters: z.array(z.unknown()).optional(),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.unknown()).optional(),
})

/** Each operation of an OpenAPI 3 document becomes a tool; what its schemas refer to goes along as `$defs`. */
export function readOpenApi(document: Readonly<Record<string, unknown>>): ReadTool[] {
  return Object.entries(asSchema(document['paths'])).flatMap(([path, item]) => {
    const shared = asSchema(item)['parameters']
    return methods.flatMap((method) => {
      const operation = Operation.safeParse(asSchema(item)[method]).data
      if (!operation) return []
      const all = [...(Array.isArray(shared) ? (shared as unknown[]) : []), ...(operation.parameters ?? [])]
      return [readOperation({ path, method, operation: { ...operation, parameters: all } }, document)]
    })
  })
}

interface Found {
  readonly path: string
  readonly method: Method
  readonly operation: z.infer<typeof Operation>
}

function readOperation({ path, method, operation }: Found, document: JsonSchema): ReadTool {
  const name = (operation.operationId ?? `${method}_${path}`)
    .replace(/[^A-Za-z0-9.-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 64)
  const text = [operation.summary, operation.description].filter(Boolean).join('\n')
  const result = responseSchema(operation, document)
  return {
    name,
    content: {
      ...emptyContent,
      description: text === '' ? `${method.toUpperCase()} ${path}` : text,
      arguments: withDefinitions(argumentsOf(operation, document), document),
      result: result?.['type'] === 'object' ? withDefinitions(result, document) : null,
      danger: dangerOf[method],
      idempotent: isIdempotent.includes(method),
    },
  }
}

function argumentsOf(operation: Found['operation'], document: JsonSchema): JsonSchema {
  const parameters = (operation.parameters ?? []).flatMap(
    (raw) => Parameter.safeParse(resolved(raw, document)).data ?? [],
  )
  // Cookies and headers are the caller's, not the model's.
  const said = parameters.filter((parameter) => parameter.in === 'query' || parameter.in === 'path')
  const body = bodySchema(operation, document)
  const inner = asSchema(body?.['properties'])
  const isFlat = body !== undefined && body['type'] === 'object' && Object.keys(inner).every((name) => !taken(name))
  const properties: Record<string, unknown> = {}
  for (const { name, schema, description } of said) {
    properties[name] = { ...schema, ...(description !== undefined && { description }) }
  }
  if (isFlat) Object.assign(properties, inner)
  else if (body) properties['body'] = body
  const required = said
    .filter((parameter) => parameter.required === true || parameter.in === 'path')
    .map(({ name }) => name)
  const fromBody = isFlat && Array.isArray(body['required']) ? (body['required'] as unknown[]) : []
  return { type: 'object', properties, required: [...required, ...fromBody], additionalProperties: false }

  function taken(name: string): boolean {
    return said.some((parameter) => parameter.name === name)
  }
}

function bodySchema(operation: Found['operation'], document: JsonSchema): JsonSchema | undefined {
  return jsonContent(resolved(operation.requestBody, document), document)
}

function responseSchema(operation: Found['operation'], document: JsonSchema): JsonSchema | undefined {
  const [, good] = Object.entries(operation.responses ?? {}).find(([status]) => /^2\d\d$/.test(status)) ?? []
  return jsonContent(resolved(good, document), document)
}

function jsonContent(holder: JsonSchema, document: JsonSchema): JsonSchema | undefined {
  const content = Object.entries(asSchema(holder['content']))
  const [, json] = content.find(([type]) => /^application\/(?:[\w.+-]+\+)?json\b/.test(type)) ?? []
  const schema = asSchema(json)['schema']
  return schema === undefined ? undefined : resolved(schema, document)
}

/** One step of `$ref` inside the document; what leads out of it is nothing. */
function resolved(value: unknown, document: JsonSchema): JsonSchema {
  let found = asSchema(value)
  for (let step = 0; step < 8 && typeof found['$ref'] === 'string'; step++) found = pointed(found['$ref'], document)
  return found
}

function pointed(reference: string, document: JsonSchema): JsonSchema {
  if (!reference.startsWith('#/')) return {}
  const steps = reference.slice(2).split('/')
  return asSchema(
    steps.reduce<unknown>((node, step) => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      return Object.hasOwn(asSchema(node), name) ? asSchema(node)[name] : undefined
    }, document),
  )
}

const prefix = '#/components/schemas/'

/** The shared schemas that it needs, and those that they need, under `$defs`. */
function withDefinitions(schema: JsonSchema, document: JsonSchema): JsonSchema {
  const needed = new Map<string, unknown>()
  const moved = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(moved)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, key === '$ref' ? reference(value) : moved(value)]),
    )
  }
  const reference = (value: unknown): unknown => {
    if (typeof value !== 'string' || !value.startsWith(prefix)) return value
    const name = value.slice(prefix.length)
    if (!needed.has(name)) {
      // Before it is looked into: it may refer to itself.
      needed.set(name, {})
      needed.set(name, moved(pointed(value, document)))
    }
    return `#/$defs${pointerStep(name)}`
  }
  const made = moved(schema) as JsonSchema
  return needed.size === 0 ? made : { ...made, $defs: Object.fromEntries(needed) }
}
