import { AppError } from '../../electron/base/app-error.ts'
import type { Hearing, Speaking, Thinking, Voice } from '../../electron/server/agent/providers.ts'

/** What the engines of a test do next; tests change it as they go. */
export interface EngineScript {
  heard: { text: string; confidence?: number } | 'stops' | 'hangs'
  recogniser: 'there' | 'missing'
  partial: { text: string; complete: boolean } | undefined
  voice: 'speaks' | 'fails' | 'silent' | 'missing' | 'hangs'
  /** Of each sentence. */
  speechMs: number
}

export interface ScriptedEngines {
  readonly script: EngineScript
  readonly hearing: Hearing
  readonly speaking: Speaking
  /** Samples that reached the recogniser in the newest utterance. */
  readonly heardSamples: number
  readonly cancelledStreams: number
  readonly spoken: readonly string[]
}

/** The far end of the providers' seam: no audio is understood, but everything streams, fails and aborts like the real. */
export function createScriptedEngines(change: Partial<EngineScript> = {}): ScriptedEngines {
  const script: EngineScript = {
    heard: { text: 'turn on the lamp', confidence: 0.9 },
    recogniser: 'there',
    partial: undefined,
    voice: 'speaks',
    speechMs: 180,
    ...change,
  }
  const spoken: string[] = []
  let heardSamples = 0
  let cancelled = 0

  const hearing: Hearing = {
    id: 'scripted-ears',
    languages: ['en', 'zh'],
    unavailable: () => (script.recogniser === 'missing' ? 'voice-recogniser-missing' : undefined),
    async open(utterance) {
      if (script.recogniser === 'missing') throw new AppError('voice-recogniser-missing', 'None is installed')
      heardSamples = 0
      let told = false
      return {
        push(pcm) {
          heardSamples += pcm.length
          if (!script.partial || told) return
          told = true
          utterance.onPartial(script.partial.text, script.partial.complete)
        },
        async finish() {
          if (script.heard === 'hangs') return new Promise(() => undefined)
          if (script.heard === 'stops') throw new AppError('voice-recogniser-stopped', 'It stopped')
          return script.heard
        },
        cancel() {
          cancelled++
        },
      }
    },
    close: () => Promise.resolve(),
  }

  const voice: Voice = {
    id: 'scripted-voice',
    language: 'en',
    sampleRate: 16_000,
    async *speak(text) {
      spoken.push(text)
      if (script.voice === 'hangs') await new Promise(() => undefined)
      if (script.voice === 'fails') throw new AppError('voice-synthesis-failed', 'No sound')
      if (script.voice === 'silent') return
      yield { pcm: new Int16Array((16_000 * script.speechMs) / 1000).fill(1000), cached: false }
    },
  }
  const speaking: Speaking = {
    voiceFor: () => (script.voice === 'missing' ? undefined : voice),
    warm: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
  return {
    script,
    hearing,
    speaking,
    spoken,
    get heardSamples() {
      return heardSamples
    },
    get cancelledStreams() {
      return cancelled
    },
  }
}

/** A thinker that runs what the test gives it. */
export function createScriptedThinking(think: Thinking['think']): Thinking {
  return { id: 'scripted-thinker', think }
}
