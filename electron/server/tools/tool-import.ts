import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import { AppError, isAppError } from '../../base/app-error.ts'
import { isDeeperThan } from '../../base/json-depth.ts'
import { type ImportCandidate, ToolContent } from '../../contract/tool-registry.ts'
import { JsonSchema, ToolName } from '../../contract/tool.ts'
import type { SchemaChecker } from './json-schema.ts'
import { modelName } from './model-names.ts'
import { type ReadTool, readOpenApi } from './openapi-import.ts'
import { emptyContent } from './tool-drafts.ts'
import { contentOf, type ToolRegistry } from './tool-registry.ts'

const maxTools = 2000
const maxDepth = 64

/** Of a registry, what an import asks. */
interface KnownNames {
  readonly shelf: Pick<ToolRegistry['shelf'], 'named'>
}

/** Our own export: a `ToolContent` with its name. */
const OwnTool = ToolContent.partial().extend({ name: z.string(), arguments: JsonSchema, danger: z.string() })
const McpTool = z.object({
  name: z.string(),
  description: z.string().optional(),
  inputSchema: JsonSchema,
  outputSchema: JsonSchema.optional(),
  annotations: z
    .object({
      destructiveHint: z.boolean().optional(),
      readOnlyHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
    })
    .optional(),
})
/** As model vendors write functions. */
const FunctionTool = z.object({
  name: z.string(),
  description: z.string().optional(),
  parameters: JsonSchema,
})

/**
 * Tools in a text: one of ours or a list of them, MCP `tools/list`, functions as models take them, OpenAPI 3 in JSON or
 * YAML. What cannot be taken has its reason. Throws tool-import-unreadable when there is nothing to take.
 */
export function readImport(
  text: string,
  parts: { readonly registry: KnownNames; readonly checker: SchemaChecker },
): ImportCandidate[] {
  const read = toolsIn(documentOf(text))
  if (read.length === 0) throw new AppError('tool-import-unreadable', 'No tool was found in the text')
  return read.slice(0, maxTools).map((tool) => judge(tool, parts))
}

function documentOf(text: string): unknown {
  const trimmed = text.trim()
  const isJson = trimmed.startsWith('{') || trimmed.startsWith('[')
  try {
    if (isJson && isDeeperThan(trimmed, maxDepth)) throw new Error('it is nested too deeply')
    if (!isJson && isNestedYaml(trimmed)) throw new Error('it is nested too deeply')
    // Aliases are refused: a few lines of them would grow without end.
    return isJson ? JSON.parse(trimmed) : parseYaml(trimmed, { maxAliasCount: 0, schema: 'core', logLevel: 'error' })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, 200) : 'not readable'
    throw new AppError('tool-import-unreadable', `The text is neither JSON nor YAML: ${reason}`, { cause })
  }
}

/** Before the library: its time grows with the square of the depth. Brackets count in quotes too, so as to miss none. */
function isNestedYaml(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1)
    if (depth > maxDepth) return true
  }
  return new RegExp(`^ *(?:[-?] +){${maxDepth}}`, 'm').test(text)
}

function toolsIn(document: unknown): ReadTool[] {
  if (Array.isArray(document)) return document.flatMap(toolsIn)
  if (typeof document !== 'object' || document === null) return []
  const fields = document as Readonly<Record<string, unknown>>
  if ('openapi' in fields || 'swagger' in fields) return readOpenApi(fields)
  // A JSON-RPC answer, a `tools/list` result, our own export.
  if (fields['result'] && !('name' in fields)) return toolsIn(fields['result'])
  if (Array.isArray(fields['tools'])) return fields['tools'].flatMap(toolsIn)
  if (fields['function']) return toolsIn(fields['function'])
  return oneTool(fields)
}

function oneTool(fields: Readonly<Record<string, unknown>>): ReadTool[] {
  const own = OwnTool.safeParse(fields).data
  if (own) return [{ name: own.name, content: { ...emptyContent, ...own } }]
  const mcp = McpTool.safeParse(fields).data
  if (mcp) {
    const hints = mcp.annotations
    const danger = hints?.destructiveHint ? 'destructive' : hints?.readOnlyHint ? 'read' : 'physical'
    const { $schema: _dialect, ...args } = mcp.inputSchema
    return [
      {
        name: mcp.name,
        content: {
          ...emptyContent,
          description: mcp.description ?? '',
          arguments: args,
          result: mcp.outputSchema ?? null,
          danger,
          idempotent: hints?.idempotentHint === true,
        },
      },
    ]
  }
  const model = FunctionTool.safeParse(fields).data
  if (model) {
    const { name, description = '', parameters } = model
    return [{ name, content: { ...emptyContent, description, arguments: parameters } }]
  }
  return []
}

function judge(
  { name, content }: ReadTool,
  { registry, checker }: { registry: KnownNames; checker: SchemaChecker },
): ImportCandidate {
  const known = registry.shelf.named(name).length > 0
  const refused = (problem: string): ImportCandidate => ({ name: name.slice(0, 200), content: null, problem, known })
  if (!ToolName.safeParse(name).success) {
    return { ...refused('tool-bad-schema'), name: modelName(name), known: false }
  }
  const parsed = ToolContent.safeParse(trimmed(content))
  if (!parsed.success) return refused('tool-bad-schema')
  try {
    checker.inspect(parsed.data.arguments)
    if (parsed.data.result) checker.inspect(parsed.data.result)
  } catch (error) {
    if (!isAppError(error)) throw error
    return refused(error.code)
  }
  return { name, content: parsed.data, problem: null, known }
}

function trimmed(content: unknown): unknown {
  const fields = content as Readonly<Record<string, unknown>>
  const description = typeof fields['description'] === 'string' ? fields['description'].slice(0, 2000) : ''
  return { ...fields, description }
}

/** The newest published version of each, as `readImport` takes it. Unknown names are left out. */
export function exportTools(names: readonly string[], registry: ToolRegistry): string {
  const tools = names.flatMap((name) => {
    const version = registry.published(name)
    return version ? [{ name, version: version.version, ...contentOf(version) }] : []
  })
  return `${JSON.stringify({ format: 'roost-tools-1', tools }, null, 2)}\n`
}
