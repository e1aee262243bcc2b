import { isAppError } from '../../base/app-error.ts'
import type { ToolContent, ToolLint } from '../../contract/tool-registry.ts'
import type { JsonSchema, ToolVersion } from '../../contract/tool.ts'
import type { SchemaChecker } from './json-schema.ts'
import { modelName } from './model-names.ts'
import { propertiesOf, type SchemaAt, schemasIn, stringsOf } from './schema-walk.ts'
import { estimateTokens } from './tool-tokens.ts'

/** Every code is a sentence `toolLint.<code>` of the console; `detail` fills it. */
export type LintCode =
  | 'schema-unusable'
  | 'arguments-no-object'
  | 'description-missing'
  | 'description-short'
  | 'description-long'
  | 'name-vague'
  | 'name-for-models'
  | 'similar-tool'
  | 'speech-taken'
  | 'speech-missing'
  | 'danger-low'
  | 'property-untyped'
  | 'property-undescribed'
  | 'required-unknown'
  | 'required-no-default'
  | 'range-empty'
  | 'default-wrong'
  | 'example-wrong'
  | 'model-dialect'
  | 'nested-deep'
  | 'properties-many'
  | 'timeout-long'
  | 'not-idempotent'
  | 'tokens-tool'
  | 'tokens-all'

export interface LintAround {
  readonly name: string
  readonly checker: SchemaChecker
  /** The newest published version of every other tool. */
  readonly others: readonly ToolVersion[]
  /** Tokens of all tools of the busiest device. */
  readonly allTokens: number
}

type Add = (severity: ToolLint['severity'], code: LintCode, at?: { path?: string; detail?: ToolLint['detail'] }) => void

const heavyTool = 400
const heavySet = 8000
const vague = /^(?:set|get|do|run|call|tool|test|control|action|execute|command|function|send|start|update|handle)\d*$/i
const dangerous =
  /\b(?:unlock|open|close|heat|boil|pump|valve|drive|move|motor|fire|ignite|cut|delete|erase|remove|reboot|restart|reset|shutdown)(?:s|es)?\b/i
const heavyKeywords = ['oneOf', 'allOf', 'not', 'if', 'patternProperties', '$ref', 'prefixItems', 'dependentSchemas']

/** What is wrong with a tool or could be better (ux.md C6). Errors stop a publish. */
export function lintTool(content: ToolContent, around: LintAround): ToolLint[] {
  const lints: ToolLint[] = []
  const add: Add = (severity, code, { path = '', detail = {} } = {}) =>
    void lints.push({ severity, code, path, detail })
  if (!isUsable(content, around.checker, add)) return lints
  lintText(content, around.name, add)
  lintRisk(content, around.name, add)
  lintOthers(content, around, add)
  for (const at of schemasIn(content.arguments, '/arguments')) lintSchema(at, around.checker, add)
  lintWeight(content, around, add)
  const order: readonly ToolLint['severity'][] = ['error', 'warning', 'hint']
  return lints.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
}

function isUsable(content: ToolContent, checker: SchemaChecker, add: Add): boolean {
  for (const key of ['arguments', 'result'] as const) {
    const schema = content[key]
    if (!schema) continue
    try {
      checker.inspect(schema)
    } catch (error) {
      if (!isAppError(error)) throw error
      add('error', 'schema-unusable', { path: `/${key}`, detail: { reason: error.message } })
      return false
    }
  }
  if (content.arguments['type'] !== 'object') add('error', 'arguments-no-object', { path: '/arguments/type' })
  return true
}

function lintText({ description, speech }: ToolContent, name: string, add: Add): void {
  const length = description.trim().length
  const path = '/description'
  if (length === 0) add('error', 'description-missing', { path })
  else if (length < 12) add('hint', 'description-short', { path, detail: { length } })
  else if (length > 600) add('warning', 'description-long', { path, detail: { length } })
  if (vague.test(name)) add('warning', 'name-vague', { detail: { name } })
  if (modelName(name) !== name) add('hint', 'name-for-models', { detail: { name, seen: modelName(name) } })
  for (const language of ['en', 'zh'] as const) {
    if (speech.target[language].length === 0) {
      add('hint', 'speech-missing', { path: `/speech/target/${language}`, detail: { language } })
    }
  }
}

function lintRisk(content: ToolContent, name: string, add: Add): void {
  const words = `${name.replace(/[_.-]+/g, ' ')} ${content.description}`
  const found = dangerous.exec(words)?.[0]
  if (found && (content.danger === 'read' || content.danger === 'harmless')) {
    add('warning', 'danger-low', { path: '/danger', detail: { word: found, danger: content.danger } })
  }
  if (!content.idempotent && content.danger !== 'read') add('hint', 'not-idempotent', { path: '/idempotent' })
  if (content.timeoutMs > 30_000) {
    add('hint', 'timeout-long', { path: '/timeoutMs', detail: { seconds: Math.round(content.timeoutMs / 1000) } })
  }
}

function lintOthers(content: ToolContent, { name, others }: LintAround, add: Add): void {
  const own = wordsOf(name, content.description)
  const targets = new Set([...content.speech.target.en, ...content.speech.target.zh].map((word) => word.toLowerCase()))
  for (const other of others) {
    if (other.name === name) continue
    if (likeness(own, wordsOf(other.name, other.description)) >= 0.8) {
      add('warning', 'similar-tool', { detail: { other: other.name } })
    }
    const theirs = [...other.speech.target.en, ...other.speech.target.zh]
    const shared = theirs.find((word) => targets.has(word.toLowerCase()))
    // Several tools may belong to one thing; the same word with the same parameters is what cannot be told apart.
    if (shared !== undefined && sameParameters(content.arguments, other.arguments)) {
      add('warning', 'speech-taken', { path: '/speech/target', detail: { word: shared, other: other.name } })
    }
  }
}

function wordsOf(name: string, description: string): Set<string> {
  const text = `${name.replace(/[_.-]+/g, ' ')} ${description}`.toLowerCase()
  return new Set(text.match(/[a-z0-9]+|\p{Script=Han}/gu) ?? [])
}

/** Shared words of all words, 0–1. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const all = new Set([...a, ...b]).size
  return all === 0 ? 0 : [...a].filter((word) => b.has(word)).length / all
}

function sameParameters(a: JsonSchema, b: JsonSchema): boolean {
  const names = (schema: JsonSchema) => [...propertiesOf(schema).keys()].sort().join()
  return names(a) === names(b)
}

function lintSchema({ schema, path, depth }: SchemaAt, checker: SchemaChecker, add: Add): void {
  const properties = propertiesOf(schema)
  const required = stringsOf(schema['required'])
  if (properties.size > 20) add('warning', 'properties-many', { path, detail: { count: properties.size } })
  if (depth === 6) add('warning', 'nested-deep', { path })
  for (const name of required) {
    const property = properties.get(name)
    const detail = { name }
    if (!property) add('error', 'required-unknown', { path, detail })
    else if (!('default' in property) && !('const' in property)) {
      add('hint', 'required-no-default', { path: `${path}/properties/${name}`, detail })
    }
  }
  for (const [name, property] of properties) {
    const at = { path: `${path}/properties/${name}`, detail: { name } }
    const hasType = ['type', 'enum', 'const', '$ref', 'oneOf', 'anyOf', 'allOf'].some((key) => key in property)
    if (!hasType) add('warning', 'property-untyped', at)
    if (typeof property['description'] !== 'string') add('hint', 'property-undescribed', at)
  }
  const heavy = heavyKeywords.find((key) => key in schema)
  if (heavy) add('hint', 'model-dialect', { path: `${path}/${heavy}`, detail: { keyword: heavy } })
  lintLimits({ schema, path, depth }, checker, add)
}

function lintLimits({ schema, path }: SchemaAt, checker: SchemaChecker, add: Add): void {
  for (const [low, high] of [
    ['minimum', 'maximum'],
    ['minLength', 'maxLength'],
    ['minItems', 'maxItems'],
  ] as const) {
    const [min, max] = [schema[low], schema[high]]
    if (typeof min === 'number' && typeof max === 'number' && min > max) {
      add('error', 'range-empty', { path, detail: { low: min, high: max } })
    }
  }
  // A reference leads out of this piece: alone it cannot be judged.
  if (JSON.stringify(schema).includes('"$ref"')) return
  if ('default' in schema) {
    const fault = checker.fault(schema, schema['default'])
    if (fault) add('error', 'default-wrong', { path: `${path}/default`, detail: { reason: fault.message } })
  }
  const examples: unknown[] = Array.isArray(schema['examples']) ? schema['examples'] : []
  for (const [index, example] of examples.entries()) {
    const fault = checker.fault(schema, example)
    if (fault) add('warning', 'example-wrong', { path: `${path}/examples/${index}`, detail: { reason: fault.message } })
  }
}

function lintWeight(content: ToolContent, { name, allTokens }: LintAround, add: Add): void {
  const tokens = estimateTokens(name, content)
  if (tokens > heavyTool) add('warning', 'tokens-tool', { detail: { tokens } })
  if (allTokens > heavySet) add('warning', 'tokens-all', { detail: { tokens: allTokens } })
}
