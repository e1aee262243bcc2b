import { availableParallelism } from 'node:os'
import type { Launcher } from '../../../base/launcher.ts'
import type { Log } from '../../../base/log.ts'
import type { ToolVersion } from '../../../contract/tool.ts'
import type { Hearing } from '../providers.ts'
import { matchIntent } from '../thinking/intent-matcher.ts'
import { createGrammarCache } from './grammar-cache.ts'
import { findSphinxFiles, type SphinxFiles } from './pocketsphinx-files.ts'
import { startRecogniserPool } from './recogniser-pool.ts'
import { createUtteranceStream } from './utterance-stream.ts'

export interface PocketSphinxOptions {
  readonly launcher: Launcher
  readonly log: Log
  /** Recogniser processes at most; default one a core. */
  readonly size?: number
  /** Grammars after which a process is renewed; default 500, about 28 MB. */
  readonly renewAfterSwaps?: number
  /** Where the library and model are; a test hands in a place where they are not. */
  readonly find?: () => SphinxFiles | undefined
}

/**
 * English command recognition. Without library or model it exists all the same: `unavailable()` says so, and an
 * installation is noticed at the next `open`. A dead process ends only its own utterances and is replaced at once.
 */
export async function createPocketSphinx(options: PocketSphinxOptions): Promise<Hearing> {
  const log = options.log.child('hearing')
  const size = Math.max(1, options.size ?? availableParallelism())
  const pool = await startRecogniserPool({
    launcher: options.launcher,
    log,
    size,
    renewAfterSwaps: options.renewAfterSwaps ?? 500,
    find: options.find ?? findSphinxFiles,
  })
  const grammars = createGrammarCache({ log, lookup: (words) => pool.use((recogniser) => recogniser.lookup(words)) })
  return {
    id: 'pocketsphinx',
    languages: ['en'],
    unavailable: () => pool.unavailable(),
    async open(request) {
      const { vocabulary, phrases = [] } = request
      pool.requireRunning()
      const grammar = await grammars.of(vocabulary, phrases)
      return createUtteranceStream({
        open: (report) => pool.use((recogniser) => recogniser.open(grammar, report)),
        onPartial: (text) => request.onPartial(text, phrases.includes(text) || isComplete(text, vocabulary)),
        onEnd: () => pool.release(),
      })
    },
    close: () => pool.close(),
  }
}

function isComplete(text: string, vocabulary: readonly ToolVersion[]): boolean {
  return text !== '' && matchIntent(text, 'en', vocabulary) !== null
}
