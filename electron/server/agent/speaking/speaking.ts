import type { Launcher } from '../../../base/launcher.ts'
import type { Log } from '../../../base/log.ts'
import type { Speaking, Voice } from '../providers.ts'
import { type Engine, createSpokenVoice } from './spoken-voice.ts'
import { findEspeakEngine } from './espeak-voice.ts'
import { createFliteEngine } from './flite-voice.ts'
import { createPhraseCache } from './phrase-cache.ts'
import { createSynthesiser } from './synthesiser-process.ts'

/** About 250 phrases of two seconds. */
const cacheBytes = 16 * 1024 * 1024

export interface SpeakingOptions {
  readonly launcher: Launcher
  readonly log: Log
  /** Looks for a Chinese voice; default: the program espeak-ng. */
  readonly findChinese?: (log: Log) => Promise<Engine | undefined>
}

/**
 * The installed voices: flite for English (always there), espeak-ng as a separate program for Chinese where it is
 * installed. The English process is still starting when this resolves; `warm` waits for it.
 */
export async function createSpeaking(options: SpeakingOptions): Promise<Speaking> {
  const log = options.log.child('speaking')
  const synthesiser = createSynthesiser({ launcher: options.launcher, log })
  const cache = createPhraseCache(cacheBytes)
  const chinese = await (options.findChinese ?? findEspeakEngine)(log)
  const engines = [createFliteEngine(synthesiser), ...(chinese ? [chinese] : [])]
  const voices: readonly Voice[] = engines.map((engine) => createSpokenVoice(engine, cache))
  const closing = new AbortController()
  const voiceFor: Speaking['voiceFor'] = (language) => voices.find((voice) => voice.language === language)
  return {
    voiceFor,
    async warm(phrases) {
      await synthesiser.ready()
      for (const { text, language } of phrases) {
        if (closing.signal.aborted) return
        try {
          await drain(voiceFor(language), text, closing.signal)
        } catch (error) {
          log.warn('a phrase could not be made ahead', { language, error })
        }
      }
    },
    async close() {
      closing.abort()
      await synthesiser.close()
    },
  }
}

async function drain(voice: Voice | undefined, text: string, signal: AbortSignal): Promise<void> {
  if (!voice) return
  // Speaking it to the end is what fills the cache.
  for await (const piece of voice.speak(text, { signal, cacheable: true })) if (piece.cached) return
}
