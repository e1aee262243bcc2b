import type { Evidence } from './claim-evidence.ts'
import { spaced } from './claim-words.ts'

const han = /\p{Script=Han}/u
const personKey =
  /^(?:to|for|who|whom|name|player|person|people|pupil|student|recipient|receiver|contact|user|member|child|kid|team|group|owner|winner|picked|speaker)s?$|name$/i

/** Names of a call: of a message's receiver, of the pupil that was picked. */
function namesOf({ call }: Evidence): string[] {
  const entries = [call.arguments, call.result].flatMap((value) =>
    typeof value === 'object' && value !== null ? Object.entries(value) : [],
  )
  return entries.flatMap(([key, value]) =>
    typeof value === 'string' && personKey.test(key) && value.length < 40 ? [value.toLowerCase()] : [],
  )
}

const noNames =
  /^(?:i|i'm|i've|i'll|ok|okay|tv|ac|led|pm|am|usb|hdmi|wifi|mr|mrs|ms|dr|sure|done|got|great|nice|the|your|you|they|it|it's|he|she|we|good|there|here|all|and|but|so|now|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|celsius|fahrenheit)$/

/**
 * Is another person named than the one of the call? Only where the call's own is not named beside it. `raw`: with its
 * capitals, which make a name in English.
 */
export function deniesPerson(raw: string, evidence: readonly Evidence[]): boolean {
  const held = evidence.flatMap(namesOf)
  const text = spaced(raw)
  const isHeld = (name: string) =>
    name.split(/[\s,]+/).some((word) => word !== '' && text.includes(han.test(word) ? word : ` ${word} `))
  if (held.length === 0 || held.some(isHeld)) return false
  const known = spaced(evidence.map(({ name, values }) => `${name} , ${values}`).join(' '))
  const sameScript = held.filter((name) => han.test(name) === han.test(raw))
  if (sameScript.length === 0) return false
  return aliensIn(raw).some((name) => !known.includes(name))
}

const english =
  /(?:\b(?:to|for|with|told|texted|messaged|called|notified|picked|chose|chosen|chosen is|is|gave|give|reminded|let)|:|,) ([A-Z][a-z]+)\b|^([A-Z][a-z]+)(?=,| is\b| has\b| gets\b| got\b| now\b|'s (?:turn|been|now|in|at)\b)/g
const chinese =
  /(?:给|点到|选中|抽到|抽中|叫到|轮到|通知|转告|告诉|恭喜|是|向|对)了?(\p{Script=Han}{2,3}?)(?=加|扣|减|发|打|说|您|你|[:：]|回答|同学|了|啦|记|[,，。!！、]|$)/gu
const chinesePronouns = /^(?:您|你|他|她|它|大家|我们?|咱|全班|同学|所有|每|这|那|一|什么|自己|已|把)/

function aliensIn(raw: string): string[] {
  if (han.test(raw)) {
    return [...raw.matchAll(chinese)].flatMap(([, name = '']) =>
      name !== '' && !chinesePronouns.test(name) ? [name] : [],
    )
  }
  return [...raw.matchAll(english)].flatMap(([, behind, first]) => {
    const name = (behind ?? first ?? '').toLowerCase()
    return noNames.test(name) ? [] : [name]
  })
}
