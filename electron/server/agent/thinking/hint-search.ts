import type { ToolVersion } from '../../../contract/tool.ts'
import type { SpokenLanguage } from '../providers.ts'

/** Which tools a text could mean: those of whose hints it holds the beginning. Work grows with the text, not the tools. */
export interface HintSearch {
  candidates(text: string): readonly ToolVersion[]
}

/** English hints are found by their first word, Chinese ones by their first two characters. */
function keyOf(hint: string, language: SpokenLanguage): string {
  return language === 'en' ? (hint.split(' ')[0] ?? hint) : hint.slice(0, 2)
}

function keysIn(text: string, language: SpokenLanguage): Iterable<string> {
  if (language === 'en') return new Set(text.split(' '))
  const keys = new Set<string>()
  for (let at = 0; at < text.length; at++) keys.add(text.slice(at, at + 1)).add(text.slice(at, at + 2))
  return keys
}

function build(
  tools: readonly ToolVersion[],
  language: SpokenLanguage,
  hintsOf: (tool: ToolVersion) => readonly string[],
): HintSearch {
  const byKey = new Map<string, Set<number>>()
  for (const [at, tool] of tools.entries())
    for (const hint of hintsOf(tool)) {
      const key = keyOf(hint, language)
      byKey.set(key, (byKey.get(key) ?? new Set()).add(at))
    }
  return {
    candidates(text) {
      const found = new Set<number>()
      for (const key of keysIn(text, language)) for (const at of byKey.get(key) ?? []) found.add(at)
      return [...found].sort((a, b) => a - b).flatMap((at) => tools[at] ?? [])
    },
  }
}

const kept: {
  readonly language: SpokenLanguage
  readonly tools: readonly ToolVersion[]
  readonly search: HintSearch
}[] = []
const maxKept = 16

/** Kept for the newest lists: boards of one kind offer the same tools, in a new array each turn. */
export function hintSearch(
  tools: readonly ToolVersion[],
  language: SpokenLanguage,
  hintsOf: (tool: ToolVersion) => readonly string[],
): HintSearch {
  const isSame = (other: readonly ToolVersion[]): boolean =>
    other.length === tools.length && other.every((tool, at) => tool === tools[at])
  const at = kept.findIndex((row) => row.language === language && isSame(row.tools))
  const row = kept.splice(at, at === -1 ? 0 : 1)[0] ?? {
    language,
    tools: [...tools],
    search: build(tools, language, hintsOf),
  }
  kept.unshift(row)
  if (kept.length > maxKept) kept.pop()
  return row.search
}
