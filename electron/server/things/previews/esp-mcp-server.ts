import { type ThingMember, thingMembers } from '../../../contract/thing-engine.ts'
import type { ThingModel, ThingParam, ThingPreview } from '../../../contract/thing.ts'
import { cppTypes, driverLines, driverName, effectLines, fieldLines, misfit, readerOf } from './esp-code.ts'
import { hasWholeRange, mcpDescription, mcpLosses, mcpName, wholeRange } from './mcp-tools.ts'
import { cComment, cText, pascal } from './target-text.ts'

const kinds = { boolean: 'Boolean', integer: 'Integer', number: 'Integer', string: 'String' } as const

/** A class that gives its tools to the McpServer of xiaozhi firmware from 1.8 on (xiaozhi-protocol.md §4). */
export function espMcpServer(name: string, model: ThingModel): ThingPreview {
  const type = pascal(name)
  const lines = [
    `// ${cComment(model.title.en || name)}: make one in the board's constructor, after McpServer. Fill in what is marked.`,
    '#include "mcp_server.h"',
    '',
    '#include <stdexcept>',
    '#include <string>',
    '',
    `class ${type} {`,
    'private:',
    ...fieldLines(model),
    '',
    ...driverLines(model),
    'public:',
    `    ${type}() {`,
    '        auto& mcp_server = McpServer::GetInstance();',
    ...thingMembers(model).flatMap((member) => toolLines(name, model, member)),
    '    }',
    '};',
    '',
  ]
  const files = [{ name: `${name}_tools.h`, language: 'cpp' as const, text: `#pragma once\n${lines.join('\n')}` }]
  return { kind: 'esp-mcp-server', files, losses: mcpLosses(model) }
}

function toolLines(thing: string, model: ThingModel, member: ThingMember): string[] {
  const list = member.params.map(propertyText)
  const properties = list.length === 0 ? 'PropertyList()' : `PropertyList({${list.join(', ')}})`
  const unused = member.params.length === 0 ? ['            (void)properties;'] : []
  return [
    `        mcp_server.AddTool(${cText(mcpName(thing, member))}, ${cText(mcpDescription(member))},`,
    `            ${properties}, [this](const PropertyList& properties) -> ReturnValue {`,
    ...unused,
    ...bodyLines(model, member).map((line) => `            ${line}`),
    '        });',
  ]
}

function propertyText(param: ThingParam): string {
  const base = `${cText(param.name)}, kPropertyType${kinds[param.type]}`
  if (!hasWholeRange(param)) return `Property(${base})`
  const { minimum, maximum } = wholeRange(param)
  return `Property(${base}, ${minimum}, ${maximum})`
}

function bodyLines(model: ThingModel, member: ThingMember): string[] {
  if (member.kind === 'get' && member.property) return [`return ${readerOf(member.property)};`]
  return [
    ...member.params.flatMap((param) => {
      const value = `value_${param.name}`
      const bad = misfit(param, value)
      return [
        `const auto ${value} = properties[${cText(param.name)}].value<${cppTypes[param.type]}>();`,
        // The board sends the text of an exception as it is, in JSON: it must need no escape (xiaozhi-protocol.md §4.4).
        ...(bad === '' ? [] : [`if (${bad}) throw std::runtime_error("${param.name} is out of range");`]),
      ]
    }),
    ...effectLines(model, member.key),
    `${driverName(member.key)}(${member.params.map(({ name }) => `value_${name}`).join(', ')});`,
    'return true;',
  ]
}
