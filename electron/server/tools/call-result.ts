import { z } from 'zod'

type Fields = Readonly<Record<string, unknown>>

const Text = z.object({ type: z.literal('text'), text: z.string() })
const McpResult = z
  .object({
    content: z.array(z.object({ type: z.string() }).loose()).optional(),
    structuredContent: z.record(z.string(), z.unknown()).optional(),
    isError: z.boolean().optional(),
  })
  .refine((value) => Object.keys(value).length > 0)

export type Unwrapped = { readonly ok: true; readonly value: Fields } | { readonly ok: false; readonly message: string }

/**
 * Both shapes of a result (iotta-protocol.md §4): the tool's own object, or an MCP CallToolResult, whose value is its
 * `structuredContent`, else its text as JSON, else `{ text }`.
 */
export function unwrapResult(raw: Fields): Unwrapped {
  const mcp = McpResult.safeParse(raw).data
  if (!mcp) return { ok: true, value: raw }
  const text = (mcp.content ?? []).flatMap((part) => Text.safeParse(part).data?.text ?? []).join('\n')
  if (mcp.isError) return { ok: false, message: text.slice(0, 300) || 'The board reported an error' }
  if (mcp.structuredContent) return { ok: true, value: mcp.structuredContent }
  // `isError: false` beside the tool's own fields is no MCP result.
  if (!mcp.content) return { ok: true, value: raw }
  return { ok: true, value: asObject(text) ?? { text } }
}

function asObject(text: string): Fields | undefined {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
