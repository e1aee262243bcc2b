import type { ThingMember } from '../../contract/thing-engine.ts'
import type { ThingModel, ThingParam, ThingProperty } from '../../contract/thing.ts'
import type { SpeechHints, SpokenNames } from '../../contract/tool.ts'

type Language = 'en' | 'zh'

/**
 * How people speak to a member. A sentence that names only the Thing and a number, or on and off, means its *main*
 * level or switch: the first of its kind in the model that can be written. All others are called by their own names.
 */
export function memberSpeech(model: ThingModel, member: ThingMember): SpeechHints {
  return {
    target: { en: targets(model, member, 'en'), zh: targets(model, member, 'zh') },
    parameters: Object.fromEntries(member.params.map((param) => [param.name, paramNames(param)])),
    values: Object.fromEntries(
      spokenValues(member).flatMap(([name, param]) => {
        const names = valueNames(param)
        return Object.keys(names).length === 0 ? [] : [[name, names]]
      }),
    ),
    reply: replies(model, member),
  }
}

/** Of a get it is the `value` of its result that is said by name. */
function spokenValues({ kind, params, property }: ThingMember): (readonly [string, ThingParam])[] {
  return kind === 'get' && property ? [['value', property]] : params.map((param) => [param.name, param] as const)
}

const question = /^(?:how|is|are|what|where|when|who) |[吗呢？?]$|^多少|^几/
const most = 20

/** Names to show and to speak: what the model says, else its identifier in words. */
function ownNames(named: { name: string; names: SpokenNames }, language: Language): string[] {
  const given = named.names[language]
  if (given.length > 0) return given.filter((name) => !question.test(name))
  return language === 'en' ? [named.name.replaceAll('_', ' ')] : []
}

function thingNames(model: ThingModel, language: Language): string[] {
  const title = model.title[language].trim()
  return unique([...(title === '' ? [] : [title]), ...model.names[language]])
}

function paramNames(param: ThingParam): SpokenNames {
  return { en: ownNames(param, 'en').slice(0, most), zh: ownNames(param, 'zh').slice(0, most) }
}

function valueNames(param: ThingParam): Record<string, SpokenNames> {
  return Object.fromEntries(Object.entries(param.valueNames).filter(([, { en, zh }]) => en.length + zh.length > 0))
}

function targets(model: ThingModel, member: ThingMember, language: Language): string[] {
  const things = thingNames(model, language)
  const part = member.property ?? member.method
  if (!part) return things
  const own = ownNames(part, language)
  const joined = things
    .slice(0, 3)
    .flatMap((thing) => own.slice(0, 3).flatMap((name) => together(thing, name, language)))
  const kind = member.property ? kindOf(member.property) : 'method'
  const bare = isBare(model, member) ? things : []
  if (member.kind === 'get') {
    const asked = member.property ? questions(model, member.property, language) : []
    return cut([...(kind === 'switch' ? [] : own), ...asked, ...joined])
  }
  // A switch has no word for its parameter in a sentence, so its own names stand where the Thing's would.
  const alone = kind === 'switch' || kind === 'method' ? own : []
  return cut([...bare, ...alone, ...joined])
}

function together(thing: string, name: string, language: Language): string[] {
  if (name.includes(thing)) return [name]
  return language === 'en' ? [`${thing} ${name}`, `${name} of ${thing}`] : [`${thing}${name}`, `${thing}的${name}`]
}

type Kind = 'switch' | 'level' | 'choice' | 'text'

function kindOf(param: ThingParam): Kind {
  if (param.type === 'boolean') return 'switch'
  if (param.type === 'string') return param.values ? 'choice' : 'text'
  return 'level'
}

/** Every list of words may go with the bare name, as the word says which one is meant. */
function isBare(model: ThingModel, { kind, property }: ThingMember): boolean {
  if (kind !== 'set' || !property) return false
  const own = kindOf(property)
  if (own === 'choice') return true
  const writable = model.properties.filter(({ access }) => access !== 'read')
  return writable.find((candidate) => kindOf(candidate) === own)?.name === property.name
}

/** Whole questions that a maker wrote among the names, and for a switch whether it is on. */
function questions(model: ThingModel, property: ThingProperty, language: Language): string[] {
  const asked = property.names[language].filter((name) => question.test(name))
  if (kindOf(property) === 'choice' && language === 'zh') {
    const part = ownNames(property, 'zh')[0]
    const things = thingNames(model, 'zh').slice(0, 2)
    return part
      ? [...asked, ...things.flatMap((thing) => [`${thing}是什么${part}`, `${thing}现在是什么${part}`])]
      : asked
  }
  if (kindOf(property) !== 'switch') return asked
  const main = model.properties.find((candidate) => kindOf(candidate) === 'switch')?.name === property.name
  const subjects = [
    ...ownNames(property, language).slice(0, 2),
    ...(main ? thingNames(model, language).slice(0, 2) : []),
  ]
  const ends = { zh: ['开着吗', '开了吗', '是开着的吗'] }
  const own = subjects.flatMap((name) =>
    language === 'en' ? [`is ${name} on`, `is ${name} off`] : ends.zh.map((end) => `${name}${end}`),
  )
  return [...own, ...asked]
}

const unitWords: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  Cel: { en: '{} degrees', zh: '{}度' },
  '%': { en: '{} percent', zh: '百分之{}' },
  s: { en: '{} seconds', zh: '{}秒' },
  min: { en: '{} minutes', zh: '{}分钟' },
  h: { en: '{} hours', zh: '{}小时' },
  deg: { en: '{} degrees', zh: '{}度' },
  K: { en: '{} kelvin', zh: '{}开' },
  mL: { en: '{} millilitres', zh: '{}毫升' },
}

function amount(param: ThingParam, field: string, language: Language): string {
  const words = (param.unit === undefined ? undefined : unitWords[param.unit])?.[language] ?? '{}'
  return words.replace('{}', `{${field}}`)
}

/** Keys as replies.ts looks them up: `name:value`, `name`, `ok`. */
function replies(model: ThingModel, member: ThingMember): SpeechHints['reply'] {
  const { kind, property } = member
  if (!property) return { ok: { en: 'Okay, done.', zh: '好的，已完成。' } }
  const named = spokenName(property)
  if (kind === 'get') {
    const [en, zh] = [amount(property, 'value', 'en'), amount(property, 'value', 'zh')]
    return { ok: { en: `The ${named.en} is ${en}.`, zh: `${named.zh}是${zh}。` } }
  }
  if (kindOf(property) === 'switch') {
    const subject = isBare(model, member) ? thingName(model) : named
    return {
      [`${property.name}:true`]: { en: `Okay, the ${subject.en} is on.`, zh: `好的，${subject.zh}开了。` },
      [`${property.name}:false`]: { en: `Okay, the ${subject.en} is off.`, zh: `好的，${subject.zh}关了。` },
    }
  }
  const row = (key: string, en: string, zh: string) =>
    [key, { en: `Okay, the ${named.en} is ${en}.`, zh: `好的，${named.zh}是${zh}。` }] as const
  const { name } = property
  return Object.fromEntries([
    ...Object.entries(valueNames(property)).map(([value, { en, zh }]) =>
      row(`${name}:${value}`, en[0] ?? value, zh[0] ?? value),
    ),
    row(name, amount(property, name, 'en'), amount(property, name, 'zh')),
  ])
}

function spokenName(property: ThingProperty): Record<Language, string> {
  const [en, zh] = [ownNames(property, 'en')[0] ?? property.name, ownNames(property, 'zh')[0] ?? property.name]
  return { en: en.toLowerCase(), zh }
}

function thingName(model: ThingModel): Record<Language, string> {
  const [en, zh] = [thingNames(model, 'en')[0] ?? 'thing', thingNames(model, 'zh')[0] ?? '物件']
  // "LED ring" keeps its capitals, "Lamp" in the middle of a sentence does not.
  return { en: /^[A-Z][a-z]/.test(en) ? en.charAt(0).toLowerCase() + en.slice(1) : en, zh }
}

function cut(names: readonly string[]): string[] {
  return unique(names.map((name) => name.trim()).filter((name) => name !== '' && name.length <= 60)).slice(0, most)
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
