import { AppError } from '../base/app-error.ts'
import type { Speaking } from './agent/providers.ts'
import { detectLanguage } from './agent/thinking/language.ts'
import { loadResampler } from './audio/resampler.ts'

const microphoneRate = 16_000

/** The text as 16 kHz mono speech, for the microphone of a virtual board. Throws voice-no-voice. */
export async function microphoneSpeech(speaking: Speaking, text: string): Promise<Int16Array> {
  const language = detectLanguage(text)
  const voice = speaking.voiceFor(language)
  if (!voice) throw new AppError('voice-no-voice', `No voice for ${language} is installed here`)
  const pieces: Int16Array[] = []
  const signal = new AbortController().signal
  for await (const { pcm } of voice.speak(text, { signal, cacheable: false })) pieces.push(pcm)
  return toMicrophoneRate(joined(pieces), voice.sampleRate)
}

export async function toMicrophoneRate(pcm: Int16Array, sampleRate: number): Promise<Int16Array> {
  const resampler = (await loadResampler()).create({ from: sampleRate, to: microphoneRate })
  const out = joined([resampler.process(pcm), resampler.flush()])
  resampler.close()
  return out
}

function joined(pieces: readonly Int16Array[]): Int16Array {
  const out = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    out.set(piece, at)
    at += piece.length
  }
  return out
}
