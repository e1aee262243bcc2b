import type { ThingMethod, ThingModel, ThingProperty } from '../../electron/contract/thing.ts'
import { languageOf } from './thing-text.ts'

// Sentences that a model lets a person say, shown while its names are typed. They follow the rules of speech of the
// server (the first switch and the first level of a Thing answer to the Thing's own name); the talk box proves them.

export interface Sentence {
  readonly text: string
  /** The call that it becomes, as the trace writes it. */
  readonly call: string
  /** `properties/temperature`: where the names of this sentence are. */
  readonly path: string
}

type Language = 'en' | 'zh'

const unitWord: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  Cel: { en: ' degrees', zh: '度' },
  deg: { en: ' degrees', zh: '度' },
  '%': { en: ' percent', zh: '%' },
  s: { en: ' seconds', zh: '秒' },
  min: { en: ' minutes', zh: '分钟' },
}

function spoken(part: { readonly name: string; readonly names: { en: string[]; zh: string[] } }, language: Language) {
  return part.names[language][0] ?? (language === 'en' ? part.name.replaceAll('_', ' ') : null)
}

function thingName(model: ThingModel, language: Language): string | null {
  const name = model.title[language].trim() || (model.names[language][0] ?? '')
  return name === '' ? null : language === 'en' ? name.toLowerCase() : name
}

const kind = (property: ThingProperty) =>
  property.type === 'boolean' ? 'switch' : property.type === 'string' ? (property.values ? 'choice' : 'text') : 'level'

/** A number in the middle of the range that keeps to the step. */
function sampleNumber({ minimum = 0, maximum = 100, step = 1, type }: ThingProperty): number {
  const middle = (minimum + maximum) / 2
  const whole = Math.round(middle / step) * step
  const value = type === 'integer' ? Math.round(whole) : Number(whole.toFixed(2))
  return Math.min(maximum, Math.max(minimum, value))
}

/** One or two sentences a member, in the order of the model. */
export function sentencesOf(model: ThingModel, locale: string): Sentence[] {
  const language = languageOf(locale)
  const writable = model.properties.filter(({ access }) => access !== 'read')
  const ofProperty = (property: ThingProperty): Sentence[] => {
    const main = writable.find((other) => kind(other) === kind(property))?.name === property.name
    const thing = thingName(model, language)
    const own = spoken(property, language)
    const said = main && thing !== null && kind(property) === 'switch' ? thing : own
    const written =
      property.access !== 'read' && said !== null ? setSentences(property, { said, thing, main, language }) : []
    const read = property.access !== 'write' && own !== null ? [getSentence(property, own, language)] : []
    return [...written, ...read].map((sentence) => ({ ...sentence, path: `properties/${property.name}` }))
  }
  return [
    ...model.properties.flatMap(ofProperty),
    ...model.methods.flatMap((method) => methodSentence(method, language)),
  ]
}

interface Said {
  readonly said: string
  readonly thing: string | null
  readonly main: boolean
  readonly language: Language
}
type Bare = Omit<Sentence, 'path'>

function setSentences(property: ThingProperty, { said, thing, main, language }: Said): Bare[] {
  const call = (value: unknown) => `set_${property.name} ${JSON.stringify({ [property.name]: value })}`
  const zh = language === 'zh'
  switch (kind(property)) {
    case 'switch':
      return [
        { text: zh ? `打开${said}` : `turn on the ${said}`, call: call(true) },
        { text: zh ? `关闭${said}` : `turn off the ${said}`, call: call(false) },
      ]
    case 'level': {
      const value = sampleNumber(property)
      const unit = unitWord[property.unit ?? '']?.[language] ?? ''
      const subject = main && thing !== null ? thing : said
      return [
        { text: zh ? `${subject}调到${value}${unit}` : `set the ${subject} to ${value}${unit}`, call: call(value) },
      ]
    }
    case 'choice': {
      const value = property.values?.[0] ?? ''
      const word = property.valueNames[value]?.[language][0] ?? value
      return [{ text: zh ? `${said}切换到${word}` : `set the ${said} to ${word}`, call: call(value) }]
    }
    case 'text':
      return []
  }
}

function getSentence(property: ThingProperty, own: string, language: Language): Bare {
  const call = `get_${property.name} {}`
  if (kind(property) === 'switch') return { text: language === 'zh' ? `${own}开着吗` : `is the ${own} on`, call }
  return { text: language === 'zh' ? `${own}是多少` : `what is the ${own}`, call }
}

function methodSentence(method: ThingMethod, language: Language): Sentence[] {
  const own = spoken(method, language)
  if (own === null || method.params.length > 0) return []
  return [{ text: own, call: `${method.name} {}`, path: `methods/${method.name}` }]
}

/** Members that nobody can name in this language: their path. */
export function unspoken(model: ThingModel, locale: string): string[] {
  const language = languageOf(locale)
  if (language === 'en') return []
  const silent = (part: { names: { zh: string[] } }) => part.names.zh.length === 0
  return [
    ...model.properties.filter(silent).map(({ name }) => `properties/${name}`),
    ...model.methods.filter(silent).map(({ name }) => `methods/${name}`),
  ]
}
