import { chineseClaims, chineseStatements } from './claim-chinese.ts'
import { contextOf, echoes, type Wanted } from './claim-context.ts'
import { englishClaims, englishStatements } from './claim-english.ts'
import { namesOf, placesOf, wordOf } from './claim-names.ts'
import { contradicts, namesOther, proofsOf, stands, type Turn } from './claim-proof.ts'

/** Said of oneself: that it cannot be, or was not done. */
const refusal =
  /\b(?:i (?:don't|can't|cannot|couldn't|won't|only)|i'm (?:unable|afraid|not able)|unable to|there(?:'s| is| are) no|sorry|not connected|isn't (?:connected|available)|failed|timed out)\b|没有连接|没法|无法|不能|做不到|不支持|抱歉|失败|没有响应|没反应/

const listed = /^\s*(?:\d{1,2}[.)、]|[-*•·])\s*\S/

const han = /\p{Script=Han}/u

/**
 * Does this sentence claim an action that no successful call of the turn stands for (features.md D2)? A call stands for
 * it when the sentence names its tool, or no tool at all; no value in the sentence may contradict it.
 */
export function claimsUndone(sentence: string, turn: Turn): boolean {
  const names = turn.tools.flatMap((tool) => [...namesOf(tool), ...placesOf(tool)])
  const asks = contextOf(turn.asked, names)
  // After a no, what follows explains it: it is no answer to the order any more.
  const context = asks === 'order' && refusal.test(turn.before?.toLowerCase() ?? '') ? 'state' : asks
  const wanted = { names, context, echoes: (clause: string) => echoes(clause, turn.asked) }
  const proofs = proofsOf(turn)
  // A list that nobody ordered proposes.
  if (proofs.length === 0 && context !== 'order' && listed.test(sentence)) return false
  const asked = evenOf(turn.asked).toLowerCase()
  return piecesOf(evenOf(sentence)).some((raw) => {
    const part = raw.toLowerCase()
    const claims = sentencesOf(part).flatMap((one) => claimsOf(one, wanted))
    if (claims.some((clause) => !stands(clause, turn, proofs))) return true
    // Behind a call that was made, every plain statement is measured by it, whether it claims a deed or not.
    if (proofs.length === 0) return false
    const statements = sentencesOf(part).flatMap(han.test(part) ? chineseStatements : englishStatements)
    if (statements.some((clause) => contradicts(clause, turn, proofs))) return true
    return claims.length + statements.length > 0 && namesOther(raw, asked, proofs)
  })
}

function evenOf(text: string): string {
  return text.normalize('NFKC').replaceAll('’', "'")
}

/** What an end mark ends stands alone. A text without any is cut, so that no rule has to read all of it at once. */
function piecesOf(text: string): string[] {
  return text
    .split(/(?<=[!?。！？]|\.(?!\d))\s*/)
    .flatMap((part) => part.match(/[\s\S]{1,600}/g) ?? [])
    .map((part) => part.trim())
    .filter(Boolean)
}

/** What is quoted is said by somebody else. */
function sentencesOf(text: string): string[] {
  return piecesOf(text.replace(/(?<=[，,。.：:说喊\s])[“"「][^”"」]*[”"」]/g, ' '))
}

function claimsOf(sentence: string, wanted: Wanted<string>): string[] {
  if (han.test(sentence)) return chineseClaims(sentence, wanted)
  const { names, context, echoes: isEcho } = wanted
  return englishClaims(sentence, {
    names: names.filter((name) => !han.test(name)).map(wordOf),
    context,
    echoes: isEcho,
  })
}
