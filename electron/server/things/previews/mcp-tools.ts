import { type ThingMember, thingMembers } from '../../../contract/thing-engine.ts'
import type { ThingModel, ThingParam, ThingPreview, ThingProblem } from '../../../contract/thing.ts'
import { factsOf } from '../thing-tools.ts'
import { eventLosses, isFraction, loss, valuesOf, wordsOf } from './target-text.ts'

/** A longer tool can never be listed (xiaozhi-protocol.md §4.3). */
const longestTool = 7_959

/** `tools/list` of a stock board: its properties have a type and a whole range, no words, lists, steps or fractions. */
export function mcpTools(name: string, model: ThingModel): ThingPreview {
  const tools = thingMembers(model).map((member) => toolOf(name, member))
  const tooLong = tools.filter((tool) => JSON.stringify(tool).length > longestTool)
  return {
    kind: 'mcp-tools',
    files: [{ name: `${name}.tools.json`, language: 'json', text: `${JSON.stringify({ tools }, null, 2)}\n` }],
    losses: [
      ...tooLong.map((tool): ThingProblem => ({ ...loss('tool-too-long', tool.name), severity: 'error' })),
      ...mcpLosses(model),
    ],
  }
}

export function mcpName(thing: string, member: ThingMember): string {
  return `self.${thing}.${member.tool}`
}

/** What the properties cannot hold stands here. */
export function mcpDescription(member: ThingMember): string {
  if (member.kind === 'get' && member.property) return `Reads: ${wordsOf(member.property)}`
  if (member.kind === 'set' && member.property) return `Sets: ${wordsOf(member.property)}`
  const own = member.method?.description || (member.method?.name.replaceAll('_', ' ') ?? '')
  const params = member.params.map((param) => `${param.name}: ${wordsOf(param)}`)
  return params.length === 0 ? own : `${own}. ${params.join('; ')}`
}

export function hasWholeRange({ type, minimum, maximum }: ThingParam): boolean {
  return (type === 'integer' || type === 'number') && minimum !== undefined && maximum !== undefined
}

/** Integers only: the range that whole numbers have within it. */
export function wholeRange({ minimum, maximum }: ThingParam): { minimum: number; maximum: number } {
  return { minimum: Math.ceil(minimum ?? 0), maximum: Math.floor(maximum ?? 0) }
}

function toolOf(thing: string, member: ThingMember) {
  const typed = (param: ThingParam) => ({
    type: param.type === 'number' ? 'integer' : param.type,
    ...(hasWholeRange(param) ? wholeRange(param) : {}),
  })
  const required = member.params.map((param) => param.name)
  return {
    name: mcpName(thing, member),
    description: mcpDescription(member),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(member.params.map((param) => [param.name, typed(param)])),
      ...(required.length === 0 ? {} : { required }),
    },
  }
}

export function mcpLosses(model: ThingModel): ThingProblem[] {
  return [
    ...valuesOf(model).flatMap(({ param, path }) => {
      const { values, unit, step, minimum, maximum } = param
      const inWords = values !== undefined || unit !== undefined || step !== undefined
      const half = (minimum === undefined) !== (maximum === undefined)
      return [
        ...(inWords || half ? [loss('facts-in-words', path, { facts: factsOf(param) })] : []),
        ...(isFraction(param) ? [loss('fraction-lost', path)] : []),
      ]
    }),
    ...eventLosses(model),
  ]
}
