import type { McpServer } from '../../electron/contract/mcp.ts'
import type { DeviceTool } from '../../electron/contract/tool.ts'
import { contentOfVersion } from './tool-content.ts'

// Tools that a board or an outside server told, as the text that the import reads.

const brought = ['declared', 'listed', 'thing', 'uart'] as const

/** What the board itself brought: what is built in, or another server's, is not its own. */
export function textOfBoard(offers: readonly DeviceTool[]): string {
  const own = offers.filter((offer) => brought.some((source) => source === offer.source))
  const tools = own.flatMap(({ name, tool }) => (tool ? [{ name, ...contentOfVersion(tool) }] : []))
  return JSON.stringify({ tools })
}

/** By the names that the server gives them. One without schemas, as an older server of ours tells it, is left out. */
export function textOfServer({ tools }: Pick<McpServer, 'tools'>): string {
  const read = tools.flatMap(({ name, description, schemas }) => {
    const parts = schemas === undefined ? null : (JSON.parse(schemas) as Record<string, unknown>)
    return parts === null ? [] : [{ ...parts, name, description }]
  })
  return JSON.stringify({ tools: read })
}
