import { type ThingMember, thingMembers } from '../../contract/thing-engine.ts'
import type { ThingModel, ThingParam } from '../../contract/thing.ts'
import type { ToolContent } from '../../contract/tool-registry.ts'
import type { JsonSchema } from '../../contract/tool.ts'
import { memberSpeech } from './thing-speech.ts'

/** A member as a tool. `name` is the one it would like; another owner of that name makes it `<thing>_<name>`. */
export interface ThingTool {
  readonly member: string
  readonly name: string
  readonly content: ToolContent
}

const timeoutMs = 10_000

/** The tools that a model is offered as, members that the model hides left out. */
export function toolsOf(model: ThingModel): ThingTool[] {
  return thingMembers(model)
    .filter(({ key }) => !model.hidden.includes(key))
    .map((member) => ({ member: member.key, name: member.tool, content: contentOf(model, member) }))
}

/** Names have 64 characters at most: of a long Thing's name the end goes. */
export function prefixedToolName(thing: string, name: string): string {
  return `${thing.slice(0, Math.max(1, 63 - name.length))}_${name}`
}

function contentOf(model: ThingModel, member: ThingMember): ToolContent {
  return {
    description: descriptionOf(model, member),
    arguments: argumentsOf(member.params),
    result: member.kind === 'get' && member.property ? readingOf(member.property) : null,
    danger: member.kind === 'get' ? 'read' : (member.method?.danger ?? 'physical'),
    // The same value again changes nothing; what a method does twice nobody knows.
    idempotent: member.kind !== 'call',
    timeoutMs,
    speech: memberSpeech(model, member),
  }
}

const verbs = { set: 'Sets', get: 'Reads', call: 'Does' } as const

function descriptionOf(model: ThingModel, member: ThingMember): string {
  const part = member.property ?? member.method
  const name = part?.names.en[0] ?? part?.name.replaceAll('_', ' ') ?? ''
  const own = part?.description ?? ''
  const said =
    own === '' ? `${verbs[member.kind]} ${name}` : member.kind === 'call' ? own : `${verbs[member.kind]}: ${own}`
  const facts = member.property ? factsOf(member.property) : ''
  return `${model.title.en}. ${said.replace(/\.$/, '')}${facts === '' ? '' : ` (${facts})`}.`.slice(0, 2000)
}

/** Range, step, unit and list as a short text, for targets whose schemas cannot hold them: `16 to 30, step 1, Cel`. */
export function factsOf(param: ThingParam): string {
  const { minimum, maximum } = param
  const range =
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}`
      : minimum !== undefined
        ? `at least ${minimum}`
        : maximum !== undefined
          ? `at most ${maximum}`
          : ''
  const step = param.step === undefined ? '' : `step ${param.step}`
  const values = param.values ? param.values.join(' | ') : ''
  return [range, step, param.unit ?? '', values].filter((fact) => fact !== '').join(', ')
}

function argumentsOf(params: readonly ThingParam[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(params.map((param) => [param.name, valueSchema(param)])),
    required: params.map(({ name }) => name),
    additionalProperties: false,
  }
}

function readingOf(param: ThingParam): JsonSchema {
  return { type: 'object', properties: { value: valueSchema(param) }, required: ['value'] }
}

/** JSON Schema 2020-12 of one value. `unit` is an annotation that models and people read. */
export function valueSchema(param: ThingParam): JsonSchema {
  const facts = factsOf(param)
  const description = [param.description || param.names.en[0] || param.name.replaceAll('_', ' '), facts]
  return {
    type: param.type,
    ...(param.minimum === undefined ? {} : { minimum: param.minimum }),
    ...(param.maximum === undefined ? {} : { maximum: param.maximum }),
    ...(param.step !== undefined && isExact(param.step) ? { multipleOf: param.step } : {}),
    ...(param.values ? { enum: [...param.values] } : {}),
    ...(param.unit === undefined ? {} : { unit: param.unit }),
    description: description.filter((part) => part !== '').join(', '),
  }
}

/** Validators divide doubles, and 0.3 / 0.1 is no whole number: only steps that doubles hold exactly go in. */
function isExact(step: number): boolean {
  return Number.isInteger(step * 1024)
}
