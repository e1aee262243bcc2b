import { type ThingMember, thingMembers } from '../../../contract/thing-engine.ts'
import type { ThingModel, ThingPreview, ThingProblem } from '../../../contract/thing.ts'
import { isReservedTool } from '../../../contract/uart-tools.ts'
import { mcuLine, type McuTool } from '../../../contract/uart-wire.ts'
import { factsOf } from '../thing-tools.ts'
import { type CAnswers, driverLines, functionLines, functionName, stateLines } from './c-code.ts'
import { cComment, cText, eventLosses, loss, valuesOf, wordsOf } from './target-text.ts'

const answers: CAnswers = {
  parameter: 'char *status, size_t size',
  done: 'return snprintf(status, size, "true") > 0;',
  refuse: () => 'return snprintf(status, size, "false") > 0;',
  value: ({ type }, expression) => {
    if (type === 'boolean') return `return snprintf(status, size, "%s", ${expression} ? "true" : "false") > 0;`
    if (type === 'string') return `return snprintf(status, size, "%s", ${expression}) >= 0;`
    return `return snprintf(status, size, "%.9g", ${expression}) > 0;`
  },
}

/** The `mcp-tool` line, and a handler in C for the microcontroller (uart-mcp.md §2 to §4). */
export function uartMcp(name: string, model: ThingModel): ThingPreview {
  const { members, losses } = uartMembers(model)
  const line = mcuLine({ type: 'mcp-tool', tools: members.map(toolOf) })
  return {
    kind: 'uart-mcp',
    files: [
      { name: `${name}.mcp-tool.txt`, language: 'text', text: line },
      { name: `${name}_uart.c`, language: 'c', text: handlerText(name, { model, members, line }) },
    ],
    losses: [
      ...losses,
      ...valuesOf(model)
        .filter(({ param }) => factsOf(param) !== '')
        .map(({ param, path }) => loss('facts-in-words', path, { facts: factsOf(param) })),
      ...eventLosses(model),
    ],
  }
}

/**
 * Names of the board's own speaker and light are refused (§4), written with an underscore too: they sound alike. Names
 * of properties are unique in the whole set (§2), so of two members with one such name the first stays.
 */
export function uartMembers(model: ThingModel): { members: ThingMember[]; losses: ThingProblem[] } {
  const losses: ThingProblem[] = []
  const taken = new Set<string>()
  const refuse = (code: string, member: ThingMember, detail: ThingProblem['detail']) =>
    losses.push({ severity: 'error', code, path: member.key, detail })
  const members = thingMembers(model).filter((member) => {
    const { name, description } = toolOf(member)
    const reserved = [name, name.replaceAll('_', '')].some((said) => isReservedTool({ name: said, description }))
    const double = member.params.find((param) => taken.has(param.name))
    if (reserved) refuse('uart-reserved-tool', member, { name })
    else if (double) refuse('uart-double-property', member, { name: double.name })
    if (reserved || double) return false
    for (const param of member.params) taken.add(param.name)
    return true
  })
  return { members, losses }
}

function toolOf(member: ThingMember): McuTool {
  const about = member.property ? wordsOf(member.property) : member.method?.description || member.tool
  const verb = { set: 'Sets: ', get: 'Reads: ', call: '' }[member.kind]
  return {
    name: member.tool,
    description: `${verb}${about}`,
    properties: Object.fromEntries(
      member.params.map((param) => [param.name, { type: param.type, description: wordsOf(param) }]),
    ),
  }
}

interface Handler {
  readonly model: ThingModel
  readonly members: readonly ThingMember[]
  readonly line: string
}

function handlerText(name: string, { model, members, line }: Handler): string {
  return [
    `// ${cComment(model.title.en || name)}: the microcontroller's side of UART-MCP. Hand each line of the board to`,
    `// ${name}_uart_line and send what it answers.`,
    '#include "roost_json.h"',
    '',
    ...stateLines(model),
    ...driverLines(members),
    ...members.flatMap((member) => functionLines(model, member, answers)),
    'static const struct {',
    '  const char *name;',
    '  bool (*call)(const char *arguments, char *status, size_t size);',
    '} tools[] = {',
    ...members.map((member) => `  {${cText(member.tool)}, ${functionName(member)}},`),
    '  {NULL, NULL},',
    '};',
    '',
    '// Tells the board all tools; it keeps them until the next mcp-tool.',
    `extern const char ${name}_uart_tools[];`,
    `const char ${name}_uart_tools[] = ${cText(line)};`,
    '',
    `extern bool ${name}_uart_line(const char *line, char *answer, size_t size);`,
    '',
    '// True: `answer` holds a line, its end included, to be sent within 5 s.',
    `bool ${name}_uart_line(const char *line, char *answer, size_t size) {`,
    '  const char *status_text = roost_json_member(line, "status");',
    '  char status[512];',
    '  if (roost_json_text(status_text, status, sizeof status) && strcmp(status, "ERROR:Tools NULL") == 0)',
    `    return (size_t)snprintf(answer, size, "%s", ${name}_uart_tools) < size;`,
    '  const char *params = roost_json_member(roost_json_member(line, "MCP"), "params");',
    '  char name[65];',
    '  if (!roost_json_text(roost_json_member(params, "name"), name, sizeof name)) return false;',
    '  const char *arguments = roost_json_member(params, "arguments");',
    '  for (size_t i = 0; tools[i].name != NULL; i++) {',
    '    if (strcmp(tools[i].name, name) != 0) continue;',
    '    char quoted[sizeof status + 64];',
    '    if (!tools[i].call(arguments, status, sizeof status)) return false;',
    '    if (!roost_json_quote(status, quoted, sizeof quoted)) return false;',
    '    const int length = snprintf(',
    '        answer, size, "mcp-responsive {\\"role\\":\\"MCU\\",\\"msgType\\":\\"status\\",\\"status\\":%s}\\r\\n", quoted);',
    '    return length > 0 && (size_t)length < size;',
    '  }',
    '  return false;',
    '}',
    '',
  ].join('\n')
}
