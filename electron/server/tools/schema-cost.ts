import { AppError } from '../../base/app-error.ts'
import type { JsonSchema } from '../../contract/tool.ts'

// A schema from a board is a program that our main loop runs (architecture.md §1: it must never wait), so its cost is
// bounded before it is compiled.

const maxBytes = 16 * 1024
const maxDepth = 24
/** Subschemas that one validation may visit, references followed: `allOf` of two references each doubles them. */
const maxVisits = 2000
const maxPatternLength = 100
const maxSubject = 1000
const maxUniqueItems = 256

/** Throws tool-bad-schema. References must be local (`#/…`) and not recursive. */
export function checkSchemaCost(root: JsonSchema): void {
  if (JSON.stringify(root).length > maxBytes) throw refused('it has more than 16 KiB')
  let visits = 0

  function visit(node: unknown, depth: number): void {
    if (typeof node !== 'object' || node === null) return
    if (++visits > maxVisits) throw refused('checking a value against it would take too long')
    if (depth > maxDepth) throw refused('it is nested too deeply, or refers to itself')
    if (Array.isArray(node)) {
      for (const item of node) visit(item, depth + 1)
      return
    }
    const schema = node as JsonSchema
    checkKeywords(schema)
    if (depth > 0 && typeof schema['$id'] === 'string') throw refused('an inner "$id" is not taken')
    for (const [key, value] of Object.entries(schema)) {
      // Values, not schemas.
      if (key === 'enum' || key === 'const' || key === 'examples' || key === 'default') continue
      visit(value, depth + 1)
    }
    if (typeof schema['$ref'] === 'string') visit(resolve(root, schema['$ref']), depth + 1)
  }
  visit(root, 0)
}

function checkKeywords(schema: JsonSchema): void {
  if ('$dynamicRef' in schema || '$recursiveRef' in schema) throw refused('dynamic references are not taken')
  if (schema['uniqueItems'] === true && !(Number(schema['maxItems']) <= maxUniqueItems)) {
    throw refused(`"uniqueItems" needs "maxItems" of at most ${maxUniqueItems}`)
  }
}

function resolve(root: JsonSchema, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) throw refused(`the reference "${reference}" is not local`)
  const steps = reference.slice(2).split('/').filter(Boolean)
  return steps.reduce<unknown>((node, step) => {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof node === 'object' && node !== null && Object.hasOwn(node, name)
      ? (node as JsonSchema)[name]
      : undefined
  }, root)
}

/**
 * The engine of `pattern`: an expression that could run away (a repetition inside a repetition or of alternatives,
 * a backward reference, lookaround, many repetitions) is refused when the schema is compiled.
 */
export function safePattern(pattern: string, flags: string): { test(text: string): boolean } {
  if (pattern.length > maxPatternLength) throw refused('a pattern has more than 100 characters')
  if (/\\[1-9k]|\(\?[=!<]/.test(pattern)) throw refused(`the pattern "${pattern}" looks around or back`)
  const bare = pattern.replace(/\\./g, 'a').replace(/\[[^\]]*\]/g, 'a')
  if (/\)\s*[*+?{]/.test(bare)) throw refused(`the pattern "${pattern}" repeats a group`)
  if ((bare.match(/[*+]|\{\d+,\d*\}/g) ?? []).length > 3) throw refused(`the pattern "${pattern}" repeats too much`)
  const expression = new RegExp(pattern, flags)
  return { test: (text) => text.length <= maxSubject && expression.test(text) }
}

function refused(reason: string): AppError {
  return new AppError('tool-bad-schema', `The schema is not taken: ${reason}`)
}
