import { thingMembers } from '../../../contract/thing-engine.ts'
import type { ThingModel, ThingParam, ThingProperty } from '../../../contract/thing.ts'
import { cText, initialOf, pascal, wordsOf } from './target-text.ts'

/** C++ of both stub styles. Members end in `_`, so that no name of a model is a keyword. */
export const cppTypes = { boolean: 'bool', integer: 'int', number: 'int', string: 'std::string' } as const

export function field(name: string): string {
  return `${name}_`
}

export function fieldLines(model: ThingModel): string[] {
  return model.properties.map((property) => {
    const value = cppValue(property, initialOf(model, property.name))
    return `    ${cppTypes[property.type]} ${field(property.name)} = ${value};  // ${wordsOf(property).replace(/[\p{Cc}\\]+/gu, ' ')}`
  })
}

export function cppValue(param: Pick<ThingParam, 'type'>, value: unknown): string {
  if (param.type === 'boolean') return value === true ? 'true' : 'false'
  if (param.type === 'string') return cText(String(value))
  return String(Math.trunc(Number(value)))
}

function argument(param: ThingParam): string {
  const type = cppTypes[param.type]
  return `${type === 'std::string' ? 'const std::string&' : type} ${field(param.name)}`
}

/** The one place per member that a person fills in. */
export function driverLines(model: ThingModel): string[] {
  return thingMembers(model).flatMap((member) => {
    const about = member.property ? wordsOf(member.property) : (member.method?.description ?? member.tool)
    if (member.kind === 'get') {
      const property = member.property
      if (property?.access !== 'read') return []
      return [
        `    // Fill in: measure. ${about.replace(/[\p{Cc}\\]+/gu, ' ')}`,
        `    ${cppTypes[property.type]} Read${pascal(property.name)}() { return ${field(property.name)}; }`,
        '',
      ]
    }
    const unused = member.params.map(({ name }) => `(void)${field(name)};`)
    return [
      `    // Fill in: drive the hardware. ${about.replace(/[\p{Cc}\\]+/gu, ' ')}`,
      `    void ${driverName(member.key)}(${member.params.map(argument).join(', ')}) {`,
      ...unused.map((line) => `        ${line}`),
      '    }',
      '',
    ]
  })
}

/** `set:power` → DriveSetPower, `call:blink` → DriveCallBlink: a method may be called like a setter. */
export function driverName(key: string): string {
  const [kind = '', name = ''] = key.split(':')
  return `Drive${pascal(kind)}${pascal(name)}`
}

export function readerOf(property: ThingProperty): string {
  return property.access === 'read' ? `Read${pascal(property.name)}()` : field(property.name)
}

/** When this is true the value does not fit; empty when every value of its type does. */
export function misfit(param: ThingParam, value: string): string {
  if (param.type === 'string')
    return param.values ? param.values.map((option) => `${value} != ${cText(option)}`).join(' && ') : ''
  if (param.type === 'boolean') return ''
  const tests = [
    ...(param.minimum === undefined ? [] : [`${value} < ${Math.ceil(param.minimum)}`]),
    ...(param.maximum === undefined ? [] : [`${value} > ${Math.floor(param.maximum)}`]),
    ...(param.step !== undefined && Number.isInteger(param.step) && param.step > 1
      ? [`${value} % ${param.step} != 0`]
      : []),
  ]
  return tests.join(' || ')
}

/** Assignments that a call makes, in C++. */
export function effectLines(model: ThingModel, key: string): string[] {
  const member = thingMembers(model).find((candidate) => candidate.key === key)
  if (member?.property) return [`${field(member.property.name)} = value_${member.property.name};`]
  return Object.entries(member?.method?.sets ?? {}).flatMap(([name, source]) => {
    const property = model.properties.find((candidate) => candidate.name === name)
    if (!property) return []
    const value = 'param' in source ? `value_${source.param}` : cppValue(property, source.value)
    return [`${field(name)} = ${value};`]
  })
}
