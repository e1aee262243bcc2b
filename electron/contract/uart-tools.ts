import { type JsonNode, memberOf, plainValue } from './uart-json.ts'
import type { Judge } from './uart-rules.ts'
import type { McuTool } from './uart-wire.ts'

// The speaker and the light of the board itself (uart-mcp.md §4).
const reservedNames = new Set(['setvolume', 'setenabled', 'volume', 'enabled', 'speaker', '扬声器'])
const reservedDescriptions = new Set(['扬声器', 'speaker', '控制是否打开灯光', 'whether to turn the light on'])
const reservedProperties = new Set(['volume', 'enabled', 'setvolume', 'setenabled'])
const reservedWords = ['扬声器', '控制是否打开灯光', 'SetVolume', 'SetEnabled']

export function isReservedTool(tool: { readonly name: string; readonly description: string }): boolean {
  return reservedNames.has(tool.name.toLowerCase()) || reservedDescriptions.has(tool.description.trim().toLowerCase())
}

/** Names of tools and of properties are unique in the whole set (uart-mcp.md §2). */
interface Seen {
  readonly tools: Set<string>
  readonly properties: Set<string>
}

/** The tools of an `mcp-tool`; each broken rule is told, and the set is good when none of them was an error. */
export function readTools(nodes: readonly JsonNode[], judge: Judge): McuTool[] {
  const seen: Seen = { tools: new Set(), properties: new Set() }
  return nodes.flatMap((node) => readTool(node, seen, judge) ?? [])
}

function readTool(node: JsonNode, seen: Seen, judge: Judge): McuTool | undefined {
  const named = memberOf(node, 'name')?.value
  const name = textOf(named)
  if (name === undefined || name === '') {
    judge.error('uart-tool-name', named?.at ?? node.at, 'a tool has a "name" that is a text')
    return undefined
  }
  const at = named?.at ?? node.at
  if (seen.tools.has(name)) judge.error('uart-double-tool', at, `there are two tools called "${name}"`)
  seen.tools.add(name)
  const described = memberOf(node, 'description')?.value
  const description = textOf(described) ?? ''
  const tool = { name, description, properties: readProperties(node, seen, judge) }
  checkReserved(tool, { name: at, description: described?.at ?? node.at }, judge)
  return tool
}

function checkReserved(tool: McuTool, at: { name: number; description: number }, judge: Judge): void {
  const { name, description } = tool
  if (reservedNames.has(name.toLowerCase()))
    judge.error('uart-reserved-tool', at.name, `"${name}" is the board's own speaker or light`)
  else if (reservedDescriptions.has(description.trim().toLowerCase()))
    judge.error('uart-reserved-tool', at.description, `"${description}" describes the board's own speaker or light`)
  const word = reservedWords.find((reserved) => description !== reserved && description.includes(reserved))
  if (word !== undefined) judge.warn('uart-reserved-word', at.description, `"${word}" is a keyword of the board itself`)
}

function readProperties(node: JsonNode, seen: Seen, judge: Judge): McuTool['properties'] {
  const schema = memberOf(node, 'inputSchema')?.value
  const properties = memberOf(schema, 'properties')?.value
  if (properties === undefined) return {}
  if (properties.kind !== 'object') {
    judge.error('uart-bad-value', properties.at, '"properties" is an object')
    return {}
  }
  const found = properties.members.map(({ key, keyAt, value }) => {
    if (seen.properties.has(key)) judge.error('uart-double-property', keyAt, `there are two properties called "${key}"`)
    seen.properties.add(key)
    // The document's own example has a property of this name: no error (uart-mcp.md §4).
    if (reservedProperties.has(key.toLowerCase()))
      judge.warn('uart-reserved-property', keyAt, `"${key}" belongs to the board's own speaker or light`)
    return [
      key,
      {
        type: textOf(memberOf(value, 'type')?.value) ?? '',
        description: textOf(memberOf(value, 'description')?.value) ?? '',
      },
    ] as const
  })
  return Object.fromEntries(found)
}

function textOf(node: JsonNode | undefined): string | undefined {
  const value = node && plainValue(node)
  return typeof value === 'string' ? value : undefined
}
