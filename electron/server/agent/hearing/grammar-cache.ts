import type { Log } from '../../../base/log.ts'
import type { ToolVersion } from '../../../contract/tool.ts'
import { buildGrammar, grammarWords, spelledWords } from './grammar.ts'
import type { UtteranceStart } from './lane.ts'

const keptVocabularies = 32
const keptWords = 20_000

export interface GrammarCache {
  /** The grammar for these tools and whole sentences. Built once for a set of descriptors; rejects as `lookup` does. */
  of(vocabulary: readonly ToolVersion[], phrases: readonly string[]): Promise<UtteranceStart>
}

export function createGrammarCache(options: {
  readonly log: Log
  /** Which of these words the recogniser's dictionary has. */
  lookup(words: readonly string[]): Promise<readonly string[]>
}): GrammarCache {
  const made = new Map<string, UtteranceStart>()
  const dictionary = new Map<string, boolean>()
  const keys = new WeakMap<ToolVersion, string>()

  function keyOf(tool: ToolVersion): string {
    const key = keys.get(tool) ?? JSON.stringify([tool.name, tool.arguments, tool.danger, tool.speech])
    keys.set(tool, key)
    return key
  }
  async function learn(words: readonly string[]): Promise<void> {
    if (dictionary.size > keptWords) dictionary.clear()
    const unknown = words.filter((word) => !dictionary.has(word))
    if (unknown.length === 0) return
    const known = new Set(await options.lookup(unknown))
    for (const word of unknown) dictionary.set(word, known.has(word))
  }
  return {
    async of(vocabulary, phrases) {
      const key = [...vocabulary.map(keyOf), ...phrases].join('\n')
      const kept = made.get(key)
      if (kept) return kept
      await learn(grammarWords(vocabulary, phrases))
      const grammar = buildGrammar(vocabulary, (word) => dictionary.get(word) ?? false, phrases)
      if (grammar.dropped.length > 0)
        options.log.info('words without a pronunciation are left out of the grammar', {
          words: grammar.dropped.slice(0, 50),
        })
      const start = { hash: grammar.hash, grammar: grammar.text, spelled: spelledWords(vocabulary) }
      made.set(key, start)
      const oldest = made.size > keptVocabularies ? made.keys().next().value : undefined
      if (oldest !== undefined) made.delete(oldest)
      return start
    },
  }
}
