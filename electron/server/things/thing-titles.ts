import type { ThingModel } from '../../contract/thing.ts'
import { isSameTitle, type NamedThing } from './thing-lint.ts'

const most = 1000
/** With a number behind it a name still fits into the model. */
const longest = 55

/**
 * The model under a title that no other Thing has: "Air conditioner 2" is the second one drawn from that part. Its
 * other names get the number too, as a sentence with one of them would mean both.
 */
export function numberedTitle(model: ThingModel, others: readonly NamedThing[]): ThingModel {
  const isFree = (title: ThingModel['title']): boolean =>
    !others.some((other) => isSameTitle(other.title.en, title.en) || isSameTitle(other.title.zh, title.zh))
  if (isFree(model.title)) return model
  for (let number = 2; number < most; number++) {
    const made = numbered(model, number)
    if (isFree(made.title)) return made
  }
  return model
}

function numbered(model: ThingModel, number: number): ThingModel {
  const english = (name: string): string => (name === '' ? '' : `${name.slice(0, longest)} ${number}`)
  const chinese = (name: string): string => (name === '' ? '' : `${name.slice(0, longest)}${number}`)
  return {
    ...model,
    title: { en: english(model.title.en), zh: chinese(model.title.zh) },
    names: { en: model.names.en.map(english), zh: model.names.zh.map(chinese) },
  }
}
