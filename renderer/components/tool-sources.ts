import type { McpServer } from '../../electron/contract/mcp.ts'
import type { DeviceTool } from '../../electron/contract/tool.ts'
import { contentOfVersion } from './tool-content.ts'

/** What a connected MCP server offers, as the text that `tools.readImport` takes. Only what a person can see in it. */
export function textOfServer(server: Pick<McpServer, 'tools'>): string {
  const tools = server.tools.flatMap(({ toolName, description, schemas }) => {
    if (schemas === undefined) return []
    const { danger, arguments: args, result } = JSON.parse(schemas) as Record<string, unknown>
    return [{ name: toolName, description, danger, arguments: args, ...(result ? { result } : {}) }]
  })
  return JSON.stringify({ tools })
}

/** What the firmware of a board brought itself; a tool without a description of its own cannot be taken. */
export function textOfBoard(tools: readonly DeviceTool[]): string {
  const own = tools.filter(({ source }) => source === 'declared' || source === 'listed')
  return JSON.stringify({ tools: own.flatMap(({ name, tool }) => (tool ? [{ name, ...contentOfVersion(tool) }] : [])) })
}
