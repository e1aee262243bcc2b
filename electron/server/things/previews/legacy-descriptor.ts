import { thingMembers } from '../../../contract/thing-engine.ts'
import type { ThingModel, ThingParam, ThingPreview, ThingProblem } from '../../../contract/thing.ts'
import { factsOf } from '../thing-tools.ts'
import { eventLosses, isFraction, loss, pascal, valuesOf, wordsOf } from './target-text.ts'

const legacyTypes = { boolean: 'boolean', integer: 'number', number: 'number', string: 'string' } as const

/** The message that firmware up to 1.7 sends for a Thing (xiaozhi-protocol.md §7): one Thing a message. */
export function legacyDescriptor(name: string, model: ThingModel): ThingPreview {
  const message = { session_id: '', type: 'iot', update: true, descriptors: [descriptorOf(name, model)] }
  const text = `${JSON.stringify(message, null, 2)}\n`
  return {
    kind: 'legacy-descriptor',
    files: [{ name: `${name}.descriptor.json`, language: 'json', text }],
    losses: legacyLosses(model),
  }
}

function descriptorOf(name: string, model: ThingModel) {
  const described = (param: ThingParam) => ({ description: wordsOf(param), type: legacyTypes[param.type] })
  const readable = model.properties.filter(({ access }) => access !== 'write')
  const commands = thingMembers(model).filter(({ kind }) => kind !== 'get')
  return {
    name: pascal(name),
    description: model.description || model.title.en,
    properties: Object.fromEntries(readable.map((property) => [property.name, described(property)])),
    methods: Object.fromEntries(
      commands.map((member) => [
        pascal(member.tool),
        {
          description: member.property ? `Sets ${wordsOf(member.property)}` : (member.method?.description ?? ''),
          parameters: Object.fromEntries(member.params.map((param) => [param.name, described(param)])),
        },
      ]),
    ),
  }
}

/** `number` is an int there, nothing has a range, and no call is answered. */
export function legacyLosses(model: ThingModel): ThingProblem[] {
  return [
    ...valuesOf(model).flatMap(({ param, path }) => [
      ...(factsOf(param) === '' ? [] : [loss('facts-in-words', path, { facts: factsOf(param) })]),
      ...(isFraction(param) ? [loss('fraction-lost', path)] : []),
    ]),
    ...model.methods.map(({ name }) => loss('answer-lost', `methods/${name}`)),
    ...eventLosses(model),
  ]
}
