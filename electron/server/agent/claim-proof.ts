import type { ToolCall, ToolVersion } from '../../contract/tool.ts'
import { isChineseReport } from './claim-chinese.ts'
import { echoes } from './claim-context.ts'
import { isEnglishReport } from './claim-english.ts'
import { evidenceOf, type Evidence } from './claim-evidence.ts'
import { deniesNumbers } from './claim-figures.ts'
import { deniesItem } from './claim-items.ts'
import { argumentNamesOf, mentions, namesOf, targetsOf } from './claim-names.ts'
import { deniesPerson } from './claim-people.ts'
import { deniesDeed, deniesExtent, deniesHeight, deniesState } from './claim-states.ts'
import { deniesColour, deniesExclusive, deniesMember, deniesThing, deniesWords } from './claim-values.ts'
import { meaningsIn } from './claim-words.ts'

export interface Turn {
  /** What the person said. */
  readonly asked: string
  readonly tools: readonly ToolVersion[]
  readonly calls: readonly ToolCall[]
  /** What the same answer said before. */
  readonly before?: string
}

const han = /\p{Script=Han}/u

/** The calls of a turn that may stand for a claim: the successful ones. */
export function proofsOf({ tools, calls }: Turn): Evidence[] {
  return calls.flatMap((call) => {
    const tool = call.outcome === 'ok' ? tools.find(({ name }) => name === call.ref.split('@')[0]) : undefined
    return tool ? [evidenceOf(call, tool)] : []
  })
}

/** Does a successful call stand for this clause: of the thing, the room and the values that it names? */
export function stands(clause: string, { tools, calls }: Turn, proofs: readonly Evidence[]): boolean {
  if (!calls.some(({ outcome }) => outcome === 'ok')) return false
  if (/\bboth\b|两[^，]{0,4}都/.test(clause) && proofs.length < 2 && !isPlural(proofs)) return false
  // Each thing that is named has to have been called: two lamps' names in one breath are two claims.
  const doing = tools.filter(({ danger }) => danger !== 'read')
  const targets = [...new Set(doing.flatMap(targetsOf))].filter((name) => mentions(clause, name))
  const isReport = proofs.length > 0 && proofs.every(({ tool }) => tool.danger === 'read')
  const isTouched = (name: string) =>
    proofs.some((proof) => sharesWith(proof, name, targets)) ||
    doing.some((tool) => targetsOf(tool).includes(name) && proofs.some((proof) => areOne(proof.tool, tool)))
  if (!isReport && !targets.every(isTouched)) return false
  const named = tools.filter((tool) => namesOf(tool).some((name) => mentions(clause, name)))
  const meant = proofs.filter(
    ({ tool, call }) =>
      named.some((one) => one === tool || areOne(tool, one)) ||
      argumentNamesOf(tool, call.arguments).some((name) => mentions(clause, name)),
  )
  // Nothing that is named was called: the words are about something else.
  // But a reading of the house may tell of any of them.
  if (named.length > 0 && meant.length === 0) return isReport && isReading(clause) && !deniesNumbers(clause, proofs)
  if (proofs.length === 0) return true
  if (!isReport && deniesThing(clause, proofs)) return false
  return agrees(clause, inRoom(clause, meant.length > 0 ? meant : proofs), tools)
}

/** One call of a list of things. */
function isPlural(proofs: readonly Evidence[]): boolean {
  return proofs.some(
    ({ call, values }) =>
      /\band\b|[、和]|\ball\b|\bboth\b/.test(values) ||
      Object.values(call.arguments).some((value) => Array.isArray(value) || value === 'all' || value === 'both'),
  )
}

/** Two tools for one thing: nearly every name of the called one is the other's too. */
function areOne(called: ToolVersion, other: ToolVersion): boolean {
  const [own, names] = [targetsOf(called), targetsOf(other)]
  return own.length > 0 && own.filter((name) => names.includes(name)).length >= own.length * 0.75
}

/** A name inside a longer one that is mentioned too ("light" in "light strip") stands for no thing of its own. */
function sharesWith({ tool, values, call }: Evidence, name: string, mentioned: readonly string[]): boolean {
  const own = targetsOf(tool)
  // A list is the shopping list; a light is no light strip.
  if (
    own.some((one) => one === name || one.endsWith(` ${name}`)) ||
    mentions(values, name) ||
    argumentNamesOf(tool, call.arguments).includes(name)
  )
    return true
  return mentioned.some((other) => other !== name && other.includes(name) && own.includes(other))
}

/** Of two lamps, the one in the room that is named. */
function inRoom(clause: string, proofs: readonly Evidence[]): readonly Evidence[] {
  const said = meaningsIn(clause, 'room')
  if (said.size !== 1) return proofs
  const there = proofs.filter(({ values, name }) =>
    [...meaningsIn(`${name} , ${values}`, 'room')].some((room) => said.has(room)),
  )
  return there.length > 0 ? there : proofs
}

function isReading(clause: string): boolean {
  return han.test(clause) ? isChineseReport(clause) : isEnglishReport(clause)
}

/** A read answers what is said of its target as a report; every value in the clause must be one of a call. */
function agrees(clause: string, meant: readonly Evidence[], tools: readonly ToolVersion[]): boolean {
  const able = isReading(clause) ? meant : meant.filter(({ tool }) => tool.danger !== 'read')
  if (able.length === 0) return false
  if (able.every(({ tool }) => tool.danger === 'read')) return !deniesNumbers(clause, able)
  return !(
    deniesNumbers(clause, able) ||
    deniesState(clause, able) ||
    deniesHeight(clause, able) ||
    deniesExtent(clause, able) ||
    deniesDeed(clause, able) ||
    deniesWords(clause, able, tools) ||
    deniesColour(clause, able, tools) ||
    deniesMember(clause, able)
  )
}

/** Does a plain statement, that claims no deed, give what was called another value? */
export function contradicts(clause: string, { asked, tools }: Turn, proofs: readonly Evidence[]): boolean {
  const meant = proofs.filter((proof) => isAbout(clause, proof))
  const able = inRoom(clause, meant.length > 0 ? meant : proofs)
  if (able.every(({ tool }) => tool.danger === 'read')) return false
  const isShort = clause.length < (han.test(clause) ? 12 : 24)
  const isRelated = meant.length > 0 || isShort || echoes(clause, asked)
  return (
    (isRelated && (deniesNumbers(clause, able) || deniesExtent(clause, able))) ||
    deniesExclusive(clause, able) ||
    deniesHeight(clause, able) ||
    deniesMember(clause, able) ||
    (able.some(({ colours }) => colours.length > 0) && deniesColour(clause, able, tools))
  )
}

function isAbout(clause: string, { tool, call }: Evidence): boolean {
  return [...namesOf(tool), ...argumentNamesOf(tool, call.arguments)].some((name) => mentions(clause, name))
}

/** Does a sentence that claims something name an item that none of the calls has? */
export function namesOther(raw: string, asked: string, proofs: readonly Evidence[]): boolean {
  const sentence = raw.toLowerCase()
  if (deniesPerson(raw, proofs)) return true
  return deniesItem(
    sentence,
    proofs.filter(({ tool }) => tool.danger !== 'read'),
    asked,
  )
}
