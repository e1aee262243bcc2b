import { type ThingMember, thingMembers } from '../../../contract/thing-engine.ts'
import type { ThingModel, ThingParam, ThingPreview } from '../../../contract/thing.ts'
import { cppTypes, driverLines, driverName, effectLines, fieldLines, misfit, readerOf } from './esp-code.ts'
import { legacyLosses } from './legacy-descriptor.ts'
import { cComment, cText, pascal, wordsOf } from './target-text.ts'

const kinds = { boolean: 'Boolean', integer: 'Number', number: 'Number', string: 'String' } as const

/** A class in the Thing style of xiaozhi firmware up to 1.7 (`main/iot/things/`, xiaozhi-protocol.md §7). */
export function espThing(name: string, model: ThingModel): ThingPreview {
  const type = pascal(name)
  const readable = model.properties.filter(({ access }) => access !== 'write')
  const commands = thingMembers(model).filter(({ kind }) => kind !== 'get')
  const lines = [
    `// ${cComment(model.title.en || name)}: a Thing for main/iot/things/. Fill in what is marked.`,
    '#include "iot/thing.h"',
    '',
    '#include <string>',
    '',
    'namespace iot {',
    '',
    `class ${type} : public Thing {`,
    'private:',
    ...fieldLines(model),
    '',
    ...driverLines(model),
    'public:',
    `    ${type}() : Thing(${cText(type)}, ${cText(model.description || model.title.en)}) {`,
    ...readable.map((property) => {
      const words = cText(wordsOf(property))
      const returns = `[this]() -> ${cppTypes[property.type]} { return ${readerOf(property)}; }`
      return `        properties_.Add${kinds[property.type]}Property(${cText(property.name)}, ${words}, ${returns});`
    }),
    ...commands.flatMap((member) => commandLines(model, member)),
    '    }',
    '};',
    '',
    '}  // namespace iot',
    '',
    `DECLARE_THING(${type});`,
    '',
  ]
  const files = [{ name: `${name}.cc`, language: 'cpp' as const, text: lines.join('\n') }]
  return { kind: 'esp-thing', files, losses: legacyLosses(model) }
}

function commandLines(model: ThingModel, member: ThingMember): string[] {
  const words = member.property ? `Sets ${wordsOf(member.property)}` : (member.method?.description ?? '')
  const list = member.params.map(
    (param) => `Parameter(${cText(param.name)}, ${cText(wordsOf(param))}, kValueType${kinds[param.type]}, true)`,
  )
  const parameters = list.length === 0 ? 'ParameterList()' : `ParameterList({${list.join(', ')}})`
  const unused = member.params.length === 0 ? ['            (void)parameters;'] : []
  return [
    `        methods_.AddMethod(${cText(pascal(member.tool))}, ${cText(words)}, ${parameters}, [this](const ParameterList& parameters) {`,
    ...unused,
    ...member.params.flatMap((param) => takeLines(param).map((line) => `            ${line}`)),
    ...effectLines(model, member.key).map((line) => `            ${line}`),
    `            ${driverName(member.key)}(${member.params.map(({ name }) => `value_${name}`).join(', ')});`,
    '        });',
  ]
}

/** The firmware checks no range, so the stub does; there is no way to answer that a value was wrong. */
function takeLines(param: ThingParam): string[] {
  const value = `value_${param.name}`
  const reader = { Boolean: 'boolean', Number: 'number', String: 'string' }[kinds[param.type]]
  const bad = misfit(param, value)
  return [
    `const ${cppTypes[param.type]} ${value} = parameters[${cText(param.name)}].${reader}();`,
    ...(bad === '' ? [] : [`if (${bad}) return;`]),
  ]
}
