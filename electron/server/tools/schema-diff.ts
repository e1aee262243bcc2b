import { isDeepStrictEqual } from 'node:util'
import type { ChangeLevel, ToolChange, ToolContent } from '../../contract/tool-registry.ts'
import type { JsonSchema } from '../../contract/tool.ts'
import { asSchema, pointerStep, propertiesOf, stringsOf } from './schema-walk.ts'

/** Every code is a sentence `toolChange.<code>` of the console. */
export type ChangeCode =
  | 'description-changed'
  | 'danger-raised'
  | 'danger-lowered'
  | 'timeout-changed'
  | 'idempotence-lost'
  | 'idempotence-gained'
  | 'speech-changed'
  | 'result-added'
  | 'result-removed'
  | 'property-added'
  | 'required-property-added'
  | 'property-removed'
  | 'made-required'
  | 'made-optional'
  | 'type-changed'
  | 'type-widened'
  | 'range-narrowed'
  | 'range-widened'
  | 'value-removed'
  | 'value-added'
  | 'unit-changed'
  | 'default-changed'
  | 'text-changed'
  | 'extras-refused'
  | 'extras-allowed'
  | 'rule-changed'

interface Diff {
  readonly isResult: boolean
  readonly add: (code: ChangeCode, level: ChangeLevel, at: { path: string; before: unknown; after: unknown }) => void
}

const dangers = ['read', 'harmless', 'physical', 'destructive'] as const

/**
 * What a new version means for those who use the old one. Breaking: a call or an answer that was good no longer is, or
 * means something else. Risky: it is still good but may end otherwise. Safe: nothing that was good changes.
 */
export function diffContents(before: ToolContent, after: ToolContent): ToolChange[] {
  const changes: ToolChange[] = []
  const diff = (isResult: boolean): Diff => ({
    isResult,
    add: (code, level, at) =>
      void changes.push({ level, code, path: at.path, before: at.before ?? null, after: at.after ?? null }),
  })
  const own = diff(false)
  diffSchemas({ path: '/arguments', before: before.arguments, after: after.arguments }, own)
  diffResults(before, after, diff(true))
  diffFacts(before, after, own)
  const order: readonly ChangeLevel[] = ['breaking', 'risky', 'safe']
  return changes.sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
}

function diffFacts(before: ToolContent, after: ToolContent, { add }: Diff): void {
  const at = (path: string, a: unknown, b: unknown) => ({ path, before: a, after: b })
  const [was, is] = [dangers.indexOf(before.danger), dangers.indexOf(after.danger)]
  if (is > was) add('danger-raised', 'breaking', at('/danger', before.danger, after.danger))
  if (is < was) add('danger-lowered', 'risky', at('/danger', before.danger, after.danger))
  if (before.timeoutMs !== after.timeoutMs) {
    const level = after.timeoutMs < before.timeoutMs ? 'risky' : 'safe'
    add('timeout-changed', level, at('/timeoutMs', before.timeoutMs, after.timeoutMs))
  }
  if (before.idempotent !== after.idempotent) {
    const [code, level] = after.idempotent
      ? (['idempotence-gained', 'safe'] as const)
      : (['idempotence-lost', 'risky'] as const)
    add(code, level, at('/idempotent', before.idempotent, after.idempotent))
  }
  if (before.description !== after.description) {
    add('description-changed', 'safe', at('/description', before.description, after.description))
  }
  if (!isDeepStrictEqual(before.speech, after.speech)) {
    add('speech-changed', 'safe', at('/speech', before.speech, after.speech))
  }
}

function diffResults(before: ToolContent, after: ToolContent, diff: Diff): void {
  const at = { path: '/result', before: before.result, after: after.result }
  if (before.result && after.result) diffSchemas({ ...at, before: before.result, after: after.result }, diff)
  // A board's answer is refused from now on when it does not fit.
  else if (after.result) diff.add('result-added', 'risky', at)
  else if (before.result) diff.add('result-removed', 'breaking', at)
}

interface Pair {
  readonly path: string
  readonly before: JsonSchema
  readonly after: JsonSchema
}

function diffSchemas(pair: Pair, diff: Diff): void {
  if (isDeepStrictEqual(pair.before, pair.after)) return
  diffTypes(pair, diff)
  diffRanges(pair, diff)
  diffValues(pair, diff)
  diffProperties(pair, diff)
  diffWords(pair, diff)
  const [itemsBefore, itemsAfter] = [asSchema(pair.before['items']), asSchema(pair.after['items'])]
  diffSchemas({ path: `${pair.path}/items`, before: itemsBefore, after: itemsAfter }, diff)
  diffRest(pair, diff)
}

/** A result that narrows or widens is still an answer: what reads it may be surprised, in both directions. */
function levelOf(level: ChangeLevel, { isResult }: Diff): ChangeLevel {
  return isResult ? 'risky' : level
}

function typesOf(schema: JsonSchema): string[] {
  const type = schema['type']
  return typeof type === 'string' ? [type] : stringsOf(type)
}

function diffTypes({ path, before, after }: Pair, diff: Diff): void {
  const [was, is] = [typesOf(before), typesOf(after)]
  if (isDeepStrictEqual([...was].sort(), [...is].sort())) return
  const isWider =
    was.length > 0 && was.every((type) => is.includes(type) || (type === 'integer' && is.includes('number')))
  const at = { path: `${path}/type`, before: before['type'], after: after['type'] }
  if (is.length === 0 || isWider) diff.add('type-widened', levelOf('safe', diff), at)
  else diff.add('type-changed', 'breaking', at)
}

const lowers = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const
const uppers = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const

function diffRanges({ path, before, after }: Pair, diff: Diff): void {
  for (const key of [...lowers, ...uppers]) {
    const isLower = (lowers as readonly string[]).includes(key)
    const none = isLower ? -Infinity : Infinity
    const was = typeof before[key] === 'number' ? before[key] : none
    const is = typeof after[key] === 'number' ? after[key] : none
    if (was === is) continue
    const at = { path: `${path}/${key}`, before: before[key], after: after[key] }
    const isNarrower = isLower ? is > was : is < was
    if (isNarrower) diff.add('range-narrowed', levelOf('breaking', diff), at)
    else diff.add('range-widened', levelOf('safe', diff), at)
  }
}

function valuesOf(schema: JsonSchema): unknown[] | undefined {
  if ('const' in schema) return [schema['const']]
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined
}

function diffValues({ path, before, after }: Pair, diff: Diff): void {
  const [was, is] = [valuesOf(before), valuesOf(after)]
  if (isDeepStrictEqual(was, is)) return
  const at = { path: `${path}/${'const' in after || 'const' in before ? 'const' : 'enum'}`, before: was, after: is }
  const has = (values: unknown[], value: unknown) => values.some((other) => isDeepStrictEqual(other, value))
  if (is && (!was || was.some((value) => !has(is, value)))) diff.add('value-removed', levelOf('breaking', diff), at)
  else if (was && (!is || is.some((value) => !has(was, value)))) diff.add('value-added', levelOf('safe', diff), at)
}

function diffProperties(pair: Pair, diff: Diff): void {
  const { path } = pair
  const [was, is] = [propertiesOf(pair.before), propertiesOf(pair.after)]
  const [needed, needs] = [stringsOf(pair.before['required']), stringsOf(pair.after['required'])]
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    const here = `${path}/properties${pointerStep(name)}`
    const [before, after] = [was.get(name), is.get(name)]
    const at = { path: here, before, after }
    if (before && after) {
      diffSchemas({ path: here, before, after }, diff)
      const [wasNeeded, isNeeded] = [needed.includes(name), needs.includes(name)]
      const required = { path: here, before: wasNeeded, after: isNeeded }
      if (!wasNeeded && isNeeded) diff.add('made-required', levelOf('breaking', diff), required)
      if (wasNeeded && !isNeeded) diff.add('made-optional', levelOf('safe', diff), required)
    } else if (before) diff.add('property-removed', 'breaking', at)
    else if (needs.includes(name)) diff.add('required-property-added', levelOf('breaking', diff), at)
    else diff.add('property-added', 'safe', at)
  }
  const [open, opens] = [pair.before['additionalProperties'] !== false, pair.after['additionalProperties'] !== false]
  const extras = { path: `${path}/additionalProperties`, before: open, after: opens }
  if (open && !opens) diff.add('extras-refused', 'risky', extras)
  if (!open && opens) diff.add('extras-allowed', levelOf('safe', diff), extras)
}

function diffWords({ path, before, after }: Pair, diff: Diff): void {
  const at = (key: string) => ({ path: `${path}/${key}`, before: before[key], after: after[key] })
  const changed = (key: string) => !isDeepStrictEqual(before[key], after[key])
  if (changed('unit')) diff.add('unit-changed', before['unit'] === undefined ? 'risky' : 'breaking', at('unit'))
  if (changed('default')) diff.add('default-changed', 'risky', at('default'))
  for (const key of ['title', 'description', 'examples'] as const) {
    if (changed(key)) diff.add('text-changed', 'safe', at(key))
  }
}

const known = new Set<string>([
  ...lowers,
  ...uppers,
  ...['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items', 'unit', 'default'],
  ...['title', 'description', 'examples', '$comment', '$id', '$schema'],
])

/** Rules that are not compared by meaning: somebody must look. */
function diffRest({ path, before, after }: Pair, diff: Diff): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (known.has(key) || isDeepStrictEqual(before[key], after[key])) continue
    diff.add('rule-changed', 'risky', { path: `${path}${pointerStep(key)}`, before: before[key], after: after[key] })
  }
}
