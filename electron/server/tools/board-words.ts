import type { JsonSchema, ToolVersion } from '../../contract/tool.ts'
import { chineseNoun } from './chinese-noun.ts'
import { mcuSpeech, withLimits } from './mcu-speech.ts'

const annotations = new Set(['title', 'description', '$comment', 'examples', 'default', 'deprecated', '$id', '$schema'])
const plainName = /^[A-Za-z0-9_.-]{1,64}$/
/** What a list of values may hold without being a message: "eco", "fan only", 制冷. */
const plainValue = /^[\p{L}\p{N}_.%+-]+(?: [\p{L}\p{N}_.%+-]+){0,2}$/u
const longestValue = 24

const kept = new WeakMap<ToolVersion, ToolVersion | null>()

/**
 * The tool without any free text that its board wrote: a description could hide orders to a model (T11). What is left
 * are names, types, ranges, short values, and the nouns of a Chinese description (8 characters at most) as what people
 * call it: a name of letters alone cannot be said in Chinese. Null when a name or a value itself is a text.
 */
export function withoutBoardWords(tool: ToolVersion): ToolVersion | null {
  const known = kept.get(tool)
  if (known !== undefined) return known
  const isMcu = tool.origin === 'uart'
  const args = bare(isMcu ? withLimits(tool.arguments) : tool.arguments)
  const result = tool.result && bare(tool.result)
  const made =
    args === undefined || result === undefined
      ? null
      : {
          ...tool,
          description: `${tool.name.replace(/[_.-]+/g, ' ')} (as the board names it)`,
          arguments: args,
          result,
          speech: isMcu ? mcuSpeech({ ...tool, arguments: args }) : calledSo(tool),
        }
  kept.set(tool, made)
  return made
}

function calledSo({ speech, description }: ToolVersion): ToolVersion['speech'] {
  const noun = chineseNoun(description)
  if (speech.target.zh.length > 0 || speech.phrases || noun.length === 0) return speech
  return { ...speech, target: { ...speech.target, zh: noun } }
}

function bare(schema: JsonSchema): JsonSchema | undefined {
  const found = { prose: false }
  function strip(node: unknown, names: boolean): unknown {
    if (Array.isArray(node)) return node.map((item) => strip(item, false))
    if (typeof node === 'string') {
      if (node.length > longestValue || !plainValue.test(node)) found.prose = true
      return node
    }
    if (typeof node !== 'object' || node === null) return node
    const entries = Object.entries(node).filter(([key]) => names || !annotations.has(key))
    if (entries.some(([key]) => !(names ? plainName.test(key) : /^\$?[A-Za-z]{1,32}$/.test(key)))) found.prose = true
    return Object.fromEntries(entries.map(([key, value]) => [key, keepOrStrip(key, value, names)]))
  }
  function keepOrStrip(key: string, value: unknown, names: boolean): unknown {
    // Checked when the schema was taken: an expression, a pointer and media types are no prose for a model either.
    if (!names && (key === 'pattern' || key === '$ref'))
      return typeof value === 'string' && value.length <= 100 ? value : ''
    if (!names && key === 'required') return value
    return strip(
      value,
      !names && ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'].includes(key),
    )
  }
  const made = strip(schema, false) as JsonSchema
  return found.prose ? undefined : made
}
