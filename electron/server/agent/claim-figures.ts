import type { Evidence, Figure } from './claim-evidence.ts'
import { quantitiesIn, type Quantity } from './claim-numbers.ts'

/** What a key says of its unit; a key that says nothing may hold any. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/hour|\bhrs?\b/, 'hour'],
  [/minute|\bmins?\b/, 'minute'],
  [/milli|\bms\b/, 'milli'],
  [/second|\bsecs?\b|\bs\b/, 'second'],
  [/temp|celsius|degree|fahrenheit/, 'degrees'],
  [/bright|percent|position|volume|humid|level|speed|opening|intensity|moisture|battery|dim/, 'percent'],
  [/^(?:r|g|b|red|green|blue|hue|h|id|index|version|timestamp|at)$/, 'none'],
]

function kindOf(key: string): string {
  return kinds.find(([pattern]) => pattern.test(key))?.[1] ?? 'any'
}

/** By how much, and not to where: "one degree up", "two notches louder", 高了两度. */
const steps =
  /\b(?:an?|one|two|three|four|five|ten|\d+) (?:degrees?|percent|notch(?:es)?|steps?|levels?) (?:up|down|more|less|higher|lower|warmer|cooler|colder|hotter|brighter|dimmer|louder|quieter)\b|\b(?:up|down|raised|lowered) by (?:an?|one|two|three|four|five|ten|\d+)(?: (?:degrees?|percent))?|[高低升降加减]了[一二两三四五\d]+(?:度|档|级)/g

/** Do the numbers of a clause contradict all that was called? What no call has a number for is left open. */
export function deniesNumbers(clause: string, evidence: readonly Evidence[]): boolean {
  const said = quantitiesIn(clause.replace(steps, ' ').replace(/(\d) of \d+\b/g, '$1'))
  if (said.length === 0) return false
  const isReading = evidence.every(({ tool }) => tool.danger === 'read')
  const verdicts = said.map((quantity) => verdictOf(quantity, clause, evidence))
  // Of a reading much may be said beside it: limits, other scales, advice.
  if (isReading && verdicts.includes('right')) return false
  return verdicts.includes('wrong')
}

type Verdict = 'right' | 'wrong' | 'open'

function verdictOf(said: Quantity, clause: string, evidence: readonly Evidence[]): Verdict {
  const figures = evidence.flatMap((one) => one.figures)
  const texts = evidence.flatMap((one) => one.quantities)
  if (said.kind === 'day' && texts.some(({ kind }) => kind === 'day')) {
    return texts.some(({ kind, value }) => kind === 'day' && value === said.value) ? 'right' : 'wrong'
  }
  if (said.kind === 'minutes') return clockVerdict(said, figures, texts)
  const usable = figures.filter(({ key }) => isComparable(said, kindOf(key)))
  const spoken = texts.filter(({ kind }) => kind === said.kind || kind === 'plain' || said.kind === 'plain')
  if (usable.some((figure) => fits(said, figure, clause)) || spoken.some((one) => isNear(one.value, said)))
    return 'right'
  if (said.kind === 'seconds' && isSum(said, figures)) return 'right'
  if (said.kind === 'plain' && isCount(said.value, evidence, texts)) return 'right'
  const comparable = usable.length + spoken.filter(({ kind }) => kind !== 'minutes').length
  return comparable > 0 ? 'wrong' : 'open'
}

function isComparable({ kind }: Quantity, unit: string): boolean {
  if (unit === 'any' || kind === 'plain' || kind === 'day') return true
  if (kind === 'seconds') return ['hour', 'minute', 'second', 'milli'].includes(unit)
  return unit === kind
}

function isNear(value: number, { value: said, rough }: Quantity): boolean {
  const slack = rough
    ? Math.max(2, Math.abs(said) * 0.1)
    : Number.isInteger(said) && !Number.isInteger(value)
      ? 0.99
      : 0.051
  return Math.abs(value - said) <= slack
}

const scales: Record<string, readonly number[]> = { hour: [3600], minute: [60], second: [1], milli: [0.001] }

function fits(said: Quantity, { key, value, minimum, maximum }: Figure, clause: string): boolean {
  if (said.kind === 'seconds') {
    return (scales[kindOf(key)] ?? [1, 60, 3600]).some((scale) => isNear(value * scale, said))
  }
  if (isNear(value, said) || isNear(Math.abs(value), said)) return true
  if (said.kind === 'degrees')
    return isNear(Math.round((value * 9) / 5 + 32), said) || isNear(((value - 32) * 5) / 9, said)
  if (said.kind !== 'percent')
    return (
      said.kind === 'plain' &&
      (scales[kindOf(key)] ?? []).some((scale) => [60, 3600].some((of) => isNear((value * scale) / of, said)))
    )
  const share = [value * (value <= 1 ? 100 : 1)]
  if (minimum !== undefined && maximum !== undefined && maximum > minimum)
    share.push(((value - minimum) / (maximum - minimum)) * 100, (value / maximum) * 100)
  else if (value > 100) share.push((value / 255) * 100)
  if (/clos|shut|关|合/.test(clause)) share.push(...share.map((one) => 100 - one))
  return share.some((one) => Math.abs(one - said.value) <= (said.rough ? 5 : 1))
}

/** Hours and minutes of one call together. */
function isSum(said: Quantity, figures: readonly Figure[]): boolean {
  const parts = figures.flatMap(({ key, value }) => (scales[kindOf(key)] ?? []).map((scale) => scale * value))
  return (
    parts.length > 1 &&
    isNear(
      parts.reduce((sum, part) => sum + part, 0),
      said,
    )
  )
}

/** "Both reminders", "3 things": so many calls, or so many of a time's or date's own numbers. */
function isCount(value: number, evidence: readonly Evidence[], texts: readonly Quantity[]): boolean {
  if (value === evidence.length || evidence.some(({ free }) => free.length === value && value > 1)) return true
  return texts.some(({ kind, value: at }) => {
    if (kind === 'seconds') return at / 60 === value || at / 3600 === value
    return kind === 'minutes' && [Math.floor(at / 60), Math.floor(at / 60) % 12, at % 60].includes(value)
  })
}

function clockVerdict(said: Quantity, figures: readonly Figure[], texts: readonly Quantity[]): Verdict {
  const times = texts.filter(({ kind }) => kind === 'minutes')
  const hour = figures.find(({ key }) => kindOf(key) === 'hour')
  const minute = figures.find(({ key }) => kindOf(key) === 'minute')
  const own =
    hour && hour.value < 24 ? [{ kind: 'minutes' as const, value: hour.value * 60 + (minute?.value ?? 0) }] : []
  const all = [...times, ...own]
  if (all.length === 0) {
    // 六点 of a die or a score is no time.
    const scores = figures
      .filter(({ key }) => /value|result|roll|score|point|total/.test(key))
      .map(({ value }) => value)
    return scores.length === 0 || said.value % 60 !== 0 ? 'open' : scores.includes(said.value / 60) ? 'right' : 'wrong'
  }
  const isSame = (time: Quantity) => {
    const apart = Math.abs(time.value - said.value) % (said.half || time.half ? 720 : 1440)
    return said.rough ? apart <= 10 : apart === 0
  }
  return all.some(isSame) ? 'right' : 'wrong'
}
