import { carriedExcuses, chineseExcuses, englishExcuses } from './claim-words.ts'

const han = /\p{Script=Han}/u
const quotations = /“[^”]*”|「[^」]*」|《[^》]*》|"[^"]*"/g
const isTag = /^(?:right|correct|yes|no|okay|ok|is it|isn't it|are they|对吗|对吧|对不对|是吗|是吧|好吗|行吗)[?？]$/
const isFollowing = /^(?:so|because|since|as|which|therefore|and so|所以|因为|因此)/

/** One statement of a sentence: what is judged on its own. */
export interface Clause {
  readonly text: string
  readonly language: 'en' | 'zh'
  /** A question, offer, refusal, condition, story or report of others' words: no claim of an own deed. */
  readonly isExcused: boolean
}

/**
 * The statements of a sentence (features.md D2). What stands in quotation marks is mentioned, not said. A refusal counts
 * for its own statement alone; a condition or a story holds for all that follows it in the sentence.
 */
export function clausesOf(sentence: string): Clause[] {
  const plain = unquoted(sentence.normalize('NFKC').toLowerCase().replaceAll('’', "'"))
  return plain
    .split(/(?<=[.!?。！？])(?!\d)\s*|[;；]|,?\s+\bbut\b\s+|[，,]?(?:但是|但|不过|然而)/)
    .flatMap((statement) => partsOf(statement))
}

function unquoted(text: string): string {
  const rest = text.replace(quotations, ' x ')
  // Nothing but a quotation: then it is what is said.
  return /[\p{L}\p{N}]/u.test(rest.replaceAll(' x ', '')) ? rest : text.replace(/[“”「」"]/g, '')
}

function partsOf(statement: string): Clause[] {
  let isCarried = false
  let wasExcused = false
  const parts = statement
    .split(/[,，、:：](?!\d)/)
    .map((part) => part.trim())
    .filter(Boolean)
  // "The lamp is on, anything else?" asks about something else; "the lamp is on, right?" does not know.
  const asksAll = isTag.test(parts.at(-1) ?? '')
  return parts.map((part) => {
    const language = han.test(part) ? 'zh' : 'en'
    const text = language === 'en' ? part.replace(/[.!]+$/, '').trim() : part
    const excuses = language === 'zh' ? chineseExcuses : englishExcuses
    const isMine = excuses.some((excuse) => excuse.test(text))
    const isExcused = asksAll || isCarried || isMine || (wasExcused && isFollowing.test(text))
    isCarried ||= carriedExcuses.some((excuse) => excuse.test(text))
    wasExcused = isExcused
    return { text, language, isExcused: isExcused || isCarried } as const
  })
}
