import type { ThingModel } from '../../contract/thing.ts'
import { applyCall, initialState, type ThingMember, thingMembers } from '../../contract/thing-engine.ts'
import type { McuTool } from '../../contract/uart-wire.ts'
import type { McuProgram } from './mcu.ts'

export interface ThingProgram extends McuProgram {
  /** Members that cannot be tools here: a property name is unique in the whole set (uart-mcp.md §2). */
  readonly left: readonly string[]
}

/**
 * A Thing played by a microcontroller, with the engine that its simulator has. `names`: the tool of each member
 * (`ThingVersion.tools` without the version), where it is another than the member's own.
 */
export function playThing(model: ThingModel, names: Readonly<Record<string, string>> = {}): ThingProgram {
  const taken = new Set<string>()
  const members = new Map<string, ThingMember>()
  const tools: McuTool[] = []
  const left: string[] = []
  let state = initialState(model)

  for (const member of thingMembers(model)) {
    const name = names[member.key] ?? member.tool
    if (member.params.some((param) => taken.has(param.name)) || members.has(name)) {
      left.push(member.key)
      continue
    }
    for (const param of member.params) taken.add(param.name)
    members.set(name, member)
    tools.push(toolOf(member, name))
  }

  return {
    tools,
    left,
    call(name, args) {
      const member = members.get(name)
      if (!member) return 'false'
      const step = applyCall(model, state, { member: member.key, arguments: args })
      if (!step.result) return 'false'
      state = step.state
      return 'value' in step.result ? String(step.result.value) : 'true'
    },
  }
}

function toolOf(member: ThingMember, name: string): McuTool {
  const { description } = member.property ?? member.method ?? { description: '' }
  return {
    name,
    description: description === '' ? name : description,
    properties: Object.fromEntries(
      member.params.map((param) => [param.name, { type: param.type, description: param.description || param.name }]),
    ),
  }
}
