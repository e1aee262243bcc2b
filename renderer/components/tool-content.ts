import type { ToolContent } from '../../electron/contract/tool-registry.ts'
import type { SpeechHints, SpokenNames, ToolVersion } from '../../electron/contract/tool.ts'

/** Pure facts about what a draft holds. */
export const contentOfVersion = (version: ToolVersion): ToolContent => ({
  description: version.description,
  arguments: version.arguments,
  result: version.result,
  danger: version.danger,
  idempotent: version.idempotent,
  timeoutMs: Math.min(60_000, version.timeoutMs),
  speech: version.speech,
})

type Schema = Readonly<Record<string, unknown>>
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parameters of the first level, in order, with their enum values. */
export function parametersOf(schema: Schema): readonly { readonly name: string; readonly values: readonly string[] }[] {
  if (!isSchema(schema.properties)) return []
  return Object.entries(schema.properties).map(([name, inner]) => ({
    name,
    values: isSchema(inner) && Array.isArray(inner.enum) ? inner.enum.map(String) : [],
  }))
}

/** A renamed parameter keeps what people call it: one name went and one came at the same place. */
export function speechAfter(before: Schema, after: Schema, speech: SpeechHints): SpeechHints {
  const was = parametersOf(before).map((one) => one.name)
  const is = parametersOf(after).map((one) => one.name)
  const at = was.findIndex((name, index) => name !== is[index])
  const [from, to] = [was[at], is[at]]
  if (was.length !== is.length || from === undefined || to === undefined) return speech
  if (is.includes(from) || was.includes(to)) return speech
  const renamed = <T>(record: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name === from ? to : name, value]))
  return { ...speech, parameters: renamed(speech.parameters), values: renamed(speech.values) }
}

/** Names as a person types them in one line: commas of either script part them. At most 20 of 60 characters. */
export function namesFrom(line: string): string[] {
  const names = line
    .split(/[,，、;；]/)
    .map((name) => name.trim().slice(0, 60))
    .filter((name) => name !== '')
  return [...new Set(names)].slice(0, 20)
}

export const noNames: SpokenNames = { en: [], zh: [] }

/** A record with one entry's names set; an entry without names goes. */
export function withNames(
  record: Readonly<Record<string, SpokenNames>>,
  key: string,
  names: SpokenNames,
): Record<string, SpokenNames> {
  const { [key]: _old, ...rest } = record
  return names.en.length + names.zh.length === 0 ? rest : { ...rest, [key]: names }
}

/** What a model is given: the name in the letters that every model takes, the words, and the schema. */
export function modelView(name: string, content: ToolContent): unknown {
  return {
    type: 'function',
    function: {
      name: name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64),
      description: content.description,
      parameters: content.arguments,
    },
  }
}
