import { thingMembers } from '../../../contract/thing-engine.ts'
import type { ThingModel, ThingPreview } from '../../../contract/thing.ts'
import { type CAnswers, driverLines, functionLines, functionName, stateLines } from './c-code.ts'
import { cComment, cText, eventLosses } from './target-text.ts'

const answers: CAnswers = {
  parameter: 'iotta_answer *answer',
  done: 'return iotta_ok(answer);',
  refuse: (why) => `return iotta_refuse(answer, ${cText(why)});`,
  value: ({ type }, expression) => {
    const kind = { boolean: 'bool', integer: 'number', number: 'number', string: 'text' }[type]
    return `return iotta_${kind}(answer, ${expression});`
  },
}

/** Tool handlers in C for a board that speaks iotta (iotta-protocol.md §4), over firmware/headers/iotta_tools.h. */
export function iottaC(name: string, model: ThingModel): ThingPreview {
  const members = thingMembers(model)
  const lines = [
    `// ${cComment(model.title.en || name)}: handlers of its tools. Declare these names, call what they name.`,
    '#include "iotta_tools.h"',
    '',
    ...stateLines(model),
    ...driverLines(members),
    ...members.flatMap((member) => functionLines(model, member, answers)),
    `extern const iotta_tool ${name}_tools[];`,
    `extern const size_t ${name}_tool_count;`,
    '',
    `const iotta_tool ${name}_tools[] = {`,
    ...members.map((member) => `  {${cText(member.tool)}, ${functionName(member)}},`),
    '};',
    `const size_t ${name}_tool_count = sizeof ${name}_tools / sizeof *${name}_tools;`,
    '',
  ]
  const files = [{ name: `${name}_tools.c`, language: 'c' as const, text: lines.join('\n') }]
  return { kind: 'iotta-c', files, losses: eventLosses(model) }
}
