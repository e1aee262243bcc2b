import { createHash } from 'node:crypto'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ListToolsResultSchema, type Tool } from '@modelcontextprotocol/sdk/types.js'
import type { JsonSchema } from '../../../contract/tool.ts'
import type { ToolContent } from '../../../contract/tool-registry.ts'
import type { SchemaChecker } from '../json-schema.ts'

/** One tool of an outside server, as a person is shown it and as a model would be: nothing invisible is left in it. */
export interface RemoteTool {
  /** As its server calls it. */
  readonly name: string
  /** `mcp_<server>_<tool>`: letters, digits, `_` and `-`, 64 at most, so that every model takes it. */
  readonly toolName: string
  /** SHA-256 of `content`'s description, schemas and danger: what a person says yes to. */
  readonly hash: string
  readonly content: ToolContent
}

export interface RemoteList {
  readonly tools: readonly RemoteTool[]
  /** Sentences for the server's log: what was left out, and why. */
  readonly notes: readonly string[]
}

export const maxTools = 200
const maxPages = 50
const maxNameLength = 64
const callTimeoutMs = 30_000

/** Pages through `tools/list`. The SDK's listTools would compile each schema, whose cost nobody has bounded yet. */
export async function listRemoteTools(
  client: Client,
  options: { server: string; checker: SchemaChecker; timeoutMs: number },
): Promise<RemoteList> {
  const found: Tool[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages && found.length <= maxTools; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, {
      timeout: options.timeoutMs,
    })
    found.push(...answer.tools)
    cursor = answer.nextCursor
    if (cursor === undefined) break
  }
  return judgeTools(found, options)
}

/** What can be used of a list; pure, so that hostile lists are tried without a server. */
export function judgeTools(
  found: readonly Tool[],
  { server, checker }: { server: string; checker: SchemaChecker },
): RemoteList {
  const notes = found.length > maxTools ? [`It offers more than ${maxTools} tools; the others are left out.`] : []
  const names = new Set<string>()
  const taken = new Set<string>()
  const tools: RemoteTool[] = []
  for (const tool of found.slice(0, maxTools)) {
    if (names.has(tool.name)) continue
    names.add(tool.name)
    const content = contentOf(tool)
    const problem = problemOf(tool, content, checker)
    if (problem === undefined) {
      const toolName = registryName(server, tool.name, taken)
      taken.add(toolName)
      tools.push({ name: tool.name, toolName, hash: hashOf(content), content })
    } else notes.push(`"${visible(tool.name).slice(0, 64)}" is left out: ${problem}`)
  }
  return { tools, notes }
}

/** How harmless it is, a server does not say of itself: unknown is `physical` (reliability.md C 43). */
function contentOf(tool: Tool): ToolContent {
  return {
    description: visible(tool.description ?? tool.title ?? '').slice(0, 2000),
    arguments: cleaned(tool.inputSchema) as JsonSchema,
    result: tool.outputSchema ? (cleaned(tool.outputSchema) as JsonSchema) : null,
    danger: tool.annotations?.destructiveHint === true ? 'destructive' : 'physical',
    idempotent: false,
    timeoutMs: callTimeoutMs,
    speech: { target: { en: [], zh: [] }, parameters: {}, values: {}, reply: {} },
  }
}

function problemOf(tool: Tool, content: ToolContent, checker: SchemaChecker): string | undefined {
  if (tool.name === '' || tool.name.length > 256) return 'its name is empty or longer than 256 characters'
  if (tool.execution?.taskSupport === 'required') return 'it runs as a task only'
  try {
    checker.inspect(content.arguments)
    if (content.result) checker.inspect(content.result)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** A name that had to be bent gets a piece of its hash, so that two never become one. */
export function registryName(server: string, name: string, taken: ReadonlySet<string> = new Set()): string {
  const plain = `mcp_${server}_${name.replace(/[^A-Za-z0-9_-]/g, '_')}`
  if (plain.length <= maxNameLength && !taken.has(plain)) return plain
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${plain.slice(0, maxNameLength - mark.length - 1)}_${mark}`
}

function hashOf({ description, arguments: args, result, danger }: ToolContent): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted([description, args, result, danger])))
    .digest('hex')
}

/** Keys in one order: the same schema written in another order is the same schema. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

/** Words that people see, at any depth; what a schema compares with (enum, const, pattern) stays as it is. */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'string' && (key === 'description' || key === 'title' || key === '$comment')
        ? visible(inner)
        : cleaned(inner),
    ]),
  )
}

/** Without control, format and unassigned characters: text that no person sees must reach no model (T11). */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]/gu, (char) =>
    char === '\n' || char === '\t' ? char : '',
  )
}
