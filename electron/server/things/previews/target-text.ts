import { initialState, isMultiple } from '../../../contract/thing-engine.ts'
import type { ThingModel, ThingParam, ThingProblem, ThingValue } from '../../../contract/thing.ts'
import { factsOf } from '../thing-tools.ts'

/** fan_speed → FanSpeed. */
export function pascal(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, first: string) => first.toUpperCase())
}

/** A string literal of C and C++, in UTF-8; control characters as octal, which takes three digits at most. */
export function cText(text: string): string {
  const safe = text
    .toWellFormed()
    .replace(/[\\"]/g, (char) => `\\${char}`)
    // Two question marks may begin a trigraph.
    .replaceAll('??', '?\\?')
    // eslint-disable-next-line no-control-regex -- the point is to name them
    .replace(/[\u0000-\u001f\u007f]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return `"${safe}"`
}

/** A text that may stand in a comment of one line. */
export function cComment(text: string): string {
  // A backslash at the end would join the next line to it.
  return text.toWellFormed().replace(/[\p{Cc}\u2028\u2029\\]+/gu, ' ')
}

/** The description with what the target's types cannot hold. */
export function wordsOf(param: ThingParam): string {
  const facts = factsOf(param)
  const said = param.description === '' ? param.name.replaceAll('_', ' ') : param.description
  return facts === '' ? said : `${said} (${facts})`
}

export function initialOf(model: ThingModel, name: string): ThingValue {
  const property = model.properties.find((candidate) => candidate.name === name)
  const value = initialState(model)[name]
  if (value !== null && value !== undefined) return value
  if (property?.type === 'boolean') return false
  return property?.type === 'string' ? (property.values?.[0] ?? '') : (property?.minimum ?? 0)
}

export function loss(code: string, path: string, detail: ThingProblem['detail'] = {}): ThingProblem {
  return { severity: 'warning', code, path, detail }
}

export interface Located {
  readonly param: ThingParam
  readonly path: string
}

/** Every value of the model that a call carries, with where it stands. */
export function valuesOf(model: ThingModel): Located[] {
  return [
    ...model.properties.map((param) => ({ param, path: `properties/${param.name}` })),
    ...model.methods.flatMap((method) =>
      method.params.map((param) => ({ param, path: `methods/${method.name}/params/${param.name}` })),
    ),
  ]
}

export function isFraction({ type, step }: ThingParam): boolean {
  return type === 'number' && !(step !== undefined && isMultiple(step, 1))
}

/** No target but our own board hears of events. */
export function eventLosses(model: ThingModel): ThingProblem[] {
  return model.events.map(({ name }) => loss('events-lost', `events/${name}`))
}
