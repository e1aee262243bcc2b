import { isMultiple, thingMembers, valueFault } from '../../contract/thing-engine.ts'
import type { ThingMethod, ThingModel, ThingParam, ThingProblem, ThingProperty } from '../../contract/thing.ts'
import { pinProblems } from './boards.ts'

export interface NamedThing {
  readonly name: string
  readonly title: ThingModel['title']
}

export function isSameTitle(one: string, other: string): boolean {
  const plain = (title: string): string => title.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase()
  return plain(one) !== '' && plain(one) === plain(other)
}

type Detail = ThingProblem['detail']

type Kind = readonly [severity: ThingProblem['severity'], code: string]

function problem([severity, code]: Kind, path: string, detail: Detail = {}): ThingProblem {
  return { severity, code, path, detail }
}

/**
 * What stops a publish (`error`) and what would make the Thing hard to speak to. `others`: the titles of all other
 * Things, each with its name.
 */
export function thingProblems(model: ThingModel, others: readonly NamedThing[] = []): ThingProblem[] {
  return [
    ...wholeProblems(model),
    ...sharedTitles(model, others),
    ...twins(model),
    ...model.properties.flatMap((property) => propertyProblems(property)),
    ...model.methods.flatMap((method) => methodProblems(model, method)),
    ...model.events.flatMap((event) => [
      ...paramProblems(event.params, `events/${event.name}`),
      ...announceProblems(event),
    ]),
    ...spokenTwins(model),
    ...pinProblems(model),
  ]
}

function wholeProblems(model: ThingModel): ThingProblem[] {
  const keys = thingMembers(model).map(({ key }) => key)
  const found: ThingProblem[] = []
  if (keys.length === 0) found.push(problem(['error', 'no-members'], ''))
  if (model.title.en.trim() === '' && model.title.zh.trim() === '') found.push(problem(['error', 'no-title'], 'title'))
  for (const language of ['en', 'zh'] as const) {
    const isBlank = model.title[language] !== '' && model.title[language].trim() === ''
    if (isBlank) found.push(problem(['error', 'no-title'], `title/${language}`, { language }))
    const isNamed = model.title[language].trim() !== '' || model.names[language].length > 0
    if (!isNamed) found.push(problem(['warning', 'no-speech-name'], `names/${language}`, { language }))
  }
  for (const key of model.hidden)
    if (!keys.includes(key)) found.push(problem(['hint', 'hidden-unknown'], `hidden/${key}`, { member: key }))
  return found
}

/** A sentence that names it could mean either, and in a list they look the same. */
function sharedTitles({ title }: ThingModel, others: readonly NamedThing[]): ThingProblem[] {
  return (['en', 'zh'] as const).flatMap((language) => {
    const twin = others.find((other) => isSameTitle(other.title[language], title[language]))
    return twin ? [problem(['warning', 'title-taken'], `title/${language}`, { language, name: twin.name })] : []
  })
}

/** Two members of one tool name would be one tool. */
function twins(model: ThingModel): ThingProblem[] {
  const tools = thingMembers(model)
  const names = [model.properties, model.methods, model.events].flatMap((list) => {
    const seen = list.map(({ name }) => name)
    return seen.filter((name, at) => seen.indexOf(name) !== at)
  })
  const doubled = tools.filter(({ tool }, at) => tools.findIndex((other) => other.tool === tool) !== at)
  return [...new Set([...names, ...doubled.map(({ tool }) => tool)])].map((name) =>
    problem(['error', 'name-twice'], name, { name }),
  )
}

function propertyProblems(property: ThingProperty): ThingProblem[] {
  const path = `properties/${property.name}`
  const found = valueProblems(property, path)
  const { initial } = property
  if (initial !== null && valueFault(property, initial) !== undefined)
    found.push(problem(['error', 'initial-outside'], `${path}/initial`, { value: String(initial) }))
  if (property.names.zh.length === 0)
    found.push(problem(['hint', 'no-speech-name'], `${path}/names/zh`, { language: 'zh' }))
  return found
}

function valueProblems(param: ThingParam, path: string): ThingProblem[] {
  const found: ThingProblem[] = []
  const { minimum, maximum, step } = param
  const isNumber = param.type === 'integer' || param.type === 'number'
  if (minimum !== undefined && maximum !== undefined && minimum > maximum)
    found.push(problem(['error', 'range-empty'], path, { minimum, maximum }))
  if (isNumber && (minimum === undefined || maximum === undefined)) found.push(problem(['warning', 'no-range'], path))
  if (!isNumber && (minimum !== undefined || maximum !== undefined || step !== undefined))
    found.push(problem(['error', 'range-not-number'], path))
  if (param.type === 'integer' && [minimum, maximum, step].some((n) => n !== undefined && !Number.isInteger(n)))
    found.push(problem(['error', 'range-not-whole'], path))
  if (step !== undefined && minimum !== undefined && !isMultiple(minimum, step))
    found.push(problem(['warning', 'step-misses-minimum'], `${path}/step`, { step, minimum }))
  if (param.values && param.type !== 'string') found.push(problem(['error', 'values-not-text'], `${path}/values`))
  if (param.values?.length === 0) found.push(problem(['error', 'values-empty'], `${path}/values`))
  if (param.values && new Set(param.values).size < param.values.length)
    found.push(problem(['error', 'values-twice'], `${path}/values`))
  if (param.description.trim() === '') found.push(problem(['hint', 'no-description'], `${path}/description`))
  return found
}

function paramProblems(params: readonly ThingParam[], path: string): ThingProblem[] {
  const names = params.map(({ name }) => name)
  return [
    ...names
      .filter((name, at) => names.indexOf(name) !== at)
      .map((name) => problem(['error', 'name-twice'], `${path}/params/${name}`, { name })),
    ...params.flatMap((param) => valueProblems(param, `${path}/params/${param.name}`)),
  ]
}

function methodProblems(model: ThingModel, method: ThingMethod): ThingProblem[] {
  const path = `methods/${method.name}`
  const sets = Object.entries(method.sets).flatMap(([name, source]) => {
    const property = model.properties.find((candidate) => candidate.name === name)
    const at = `${path}/sets/${name}`
    if (!property) return [problem(['error', 'sets-unknown'], at, { name })]
    if ('value' in source)
      return valueFault(property, source.value) === undefined ? [] : [problem(['error', 'sets-misfit'], at, { name })]
    const param = method.params.find((candidate) => candidate.name === source.param)
    if (!param) return [problem(['error', 'sets-unknown'], at, { name: source.param })]
    return fitsInto(param, property) ? [] : [problem(['error', 'sets-misfit'], at, { name })]
  })
  const hint = method.description.trim() === '' ? [problem(['hint', 'no-description'], `${path}/description`)] : []
  return [...paramProblems(method.params, path), ...sets, ...hint]
}

/** Whatever the parameter may be, the property may be too. */
function fitsInto(param: ThingParam, property: ThingProperty): boolean {
  const numbers = ['integer', 'number']
  if (param.type !== property.type && !(param.type === 'integer' && property.type === 'number')) return false
  if (numbers.includes(param.type)) {
    const low = (param.minimum ?? -Infinity) >= (property.minimum ?? -Infinity)
    return low && (param.maximum ?? Infinity) <= (property.maximum ?? Infinity)
  }
  if (!property.values) return true
  return param.values?.every((value) => property.values?.includes(value)) ?? false
}

function announceProblems(event: ThingModel['events'][number]): ThingProblem[] {
  const texts = event.announce ? [event.announce.en, event.announce.zh] : []
  const used = texts.flatMap((text) => Array.from(text.matchAll(/\{(\w+)\}/g), ([, name = '']) => name))
  return [...new Set(used)]
    .filter((name) => !event.params.some((param) => param.name === name))
    .map((name) => problem(['error', 'announce-unknown'], `events/${event.name}/announce`, { name }))
}

/** One word for two members: a sentence with it cannot be understood. */
function spokenTwins(model: ThingModel): ThingProblem[] {
  const members = [...model.properties, ...model.methods]
  return (['en', 'zh'] as const).flatMap((language) => {
    const said = members.flatMap(({ name, names }) =>
      names[language].map((word) => ({ name, word: word.toLowerCase() })),
    )
    return said
      .filter(({ name, word }, at) =>
        said.some((other, before) => before < at && other.word === word && other.name !== name),
      )
      .map(({ name, word }) => problem(['warning', 'speech-name-twice'], `${name}/names/${language}`, { word }))
  })
}
