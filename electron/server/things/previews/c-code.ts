import type { ThingMember } from '../../../contract/thing-engine.ts'
import type { ThingModel, ThingParam, ThingProperty } from '../../../contract/thing.ts'
import { cComment, cText, initialOf, wordsOf } from './target-text.ts'

/** C of both handlers: one state, one driver a member, one function a tool. Identifiers end in `_`: none is a keyword. */
const textBytes = 512

export interface CAnswers {
  /** The parameters of a tool's function after its arguments. */
  readonly parameter: string
  readonly done: string
  readonly refuse: (why: string) => string
  readonly value: (property: ThingProperty, expression: string) => string
}

function declare(param: ThingParam, name: string): string {
  if (param.type === 'boolean') return `bool ${name}`
  if (param.type === 'string') return `char ${name}[${textBytes}]`
  return `double ${name}`
}

export function cValue(param: Pick<ThingParam, 'type'>, value: unknown): string {
  if (param.type === 'boolean') return value === true ? 'true' : 'false'
  return param.type === 'string' ? cText(String(value)) : String(Number(value))
}

export function stateLines(model: ThingModel): string[] {
  if (model.properties.length === 0) return []
  return [
    'static struct {',
    ...model.properties.map(
      (property) => `  ${declare(property, `${property.name}_`)};  // ${cComment(wordsOf(property))}`,
    ),
    '} state = {',
    ...model.properties.map(
      (property) => `  .${property.name}_ = ${cValue(property, initialOf(model, property.name))},`,
    ),
    '};',
    '',
  ]
}

function driverParam(param: ThingParam): string {
  const type = { boolean: 'bool ', integer: 'double ', number: 'double ', string: 'const char *' }[param.type]
  return `${type}${param.name}_`
}

/** The places that a person fills in. */
export function driverLines(members: readonly ThingMember[]): string[] {
  return members.flatMap((member) => {
    const about = member.property ? wordsOf(member.property) : member.method?.description || member.tool
    if (member.kind === 'get') {
      if (member.property?.access !== 'read') return []
      return [
        `// Fill in: measure into state.${member.property.name}_. ${cComment(about)}`,
        `static void measure_${member.property.name}(void) {}`,
        '',
      ]
    }
    const params = member.params.map(driverParam).join(', ')
    return [
      `// Fill in: drive the hardware. ${cComment(about)}`,
      `static void ${driver(member)}(${params === '' ? 'void' : params}) {`,
      ...member.params.map(({ name }) => `  (void)${name}_;`),
      '}',
      '',
    ]
  })
}

function driver(member: ThingMember): string {
  return member.property ? `drive_set_${member.property.name}` : `drive_call_${member.method?.name ?? ''}`
}

/** The function of one tool: takes `arguments`, a JSON object; answers as `answers` says. */
export function functionLines(model: ThingModel, member: ThingMember, answers: CAnswers): string[] {
  const { property } = member
  const head = `static bool ${functionName(member)}(const char *arguments, ${answers.parameter}) {`
  if (member.kind === 'get' && property) {
    const measure = property.access === 'read' ? [`  measure_${property.name}();`] : []
    return [head, '  (void)arguments;', ...measure, `  ${answers.value(property, `state.${property.name}_`)}`, '}', '']
  }
  return [
    head,
    ...(member.params.length === 0 ? ['  (void)arguments;'] : []),
    ...member.params.flatMap((param) => takeLines(param, answers)),
    ...effectLines(model, member),
    `  ${driver(member)}(${member.params.map(({ name }) => `${name}_`).join(', ')});`,
    `  ${answers.done}`,
    '}',
    '',
  ]
}

export function functionName(member: ThingMember): string {
  return member.property ? `${member.kind}_${member.property.name}_tool` : `call_${member.method?.name ?? ''}_tool`
}

function takeLines(param: ThingParam, { refuse }: CAnswers): string[] {
  const name = `${param.name}_`
  const found = `roost_json_member(arguments, ${cText(param.name)})`
  const no = refuse(`${param.name} does not fit`)
  if (param.type === 'boolean') return [`  bool ${name};`, `  if (!roost_json_bool(${found}, &${name})) ${no}`]
  if (param.type === 'string') {
    const options = (param.values ?? []).map((value) => `strcmp(${name}, ${cText(value)}) != 0`)
    return [
      `  char ${name}[${textBytes}];`,
      `  if (!roost_json_text(${found}, ${name}, sizeof ${name})) ${no}`,
      ...(options.length === 0 ? [] : [`  if (${options.join(' && ')}) ${no}`]),
    ]
  }
  const tests = [
    ...(param.type === 'integer' ? [`floor(${name}) != ${name}`] : []),
    ...(param.minimum === undefined ? [] : [`${name} < ${param.minimum}`]),
    ...(param.maximum === undefined ? [] : [`${name} > ${param.maximum}`]),
    ...(param.step === undefined ? [] : [`fabs(${name} / ${param.step} - round(${name} / ${param.step})) > 1e-6`]),
  ]
  return [
    `  double ${name};`,
    `  if (!roost_json_number(${found}, &${name})) ${no}`,
    ...(tests.length === 0 ? [] : [`  if (${tests.join(' || ')}) ${no}`]),
  ]
}

function effectLines(model: ThingModel, member: ThingMember): string[] {
  if (member.property) return [assign(member.property, `${member.property.name}_`)]
  return Object.entries(member.method?.sets ?? {}).flatMap(([name, source]) => {
    const property = model.properties.find((candidate) => candidate.name === name)
    if (!property) return []
    return [assign(property, 'param' in source ? `${source.param}_` : cValue(property, source.value))]
  })
}

function assign(property: ThingProperty, value: string): string {
  const target = `state.${property.name}_`
  if (property.type === 'string') return `  snprintf(${target}, sizeof ${target}, "%s", ${value});`
  return `  ${target} = ${value};`
}
