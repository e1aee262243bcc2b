import type { ThingModel, ThingPreview } from '../../../contract/thing.ts'
import { espMcpServer } from './esp-mcp-server.ts'
import { espThing } from './esp-thing.ts'
import { iottaC } from './iotta-c.ts'
import { legacyDescriptor } from './legacy-descriptor.ts'
import { mcpTools } from './mcp-tools.ts'
import { uartMcp } from './uart-mcp.ts'

/** All that a model becomes elsewhere, made anew from the same members, so that they never differ (ux.md G29). */
export function thingPreviews(name: string, model: ThingModel): ThingPreview[] {
  return [legacyDescriptor, mcpTools, espThing, espMcpServer, iottaC, uartMcp].map((make) => make(name, model))
}
