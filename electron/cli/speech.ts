import { readFile } from 'node:fs/promises'
import { AppError } from '../base/app-error.ts'
import { createForkLauncher } from '../base/launcher.ts'
import { silentLog } from '../base/log.ts'
import { createSpeaking } from '../server/agent/speaking/speaking.ts'
import { detectLanguage } from '../server/agent/thinking/language.ts'
import { loadResampler } from '../server/audio/resampler.ts'
import { environment } from './environment.ts'
import { readWav } from './wav.ts'

const microphoneRate = 16_000

/** The text as 16 kHz mono speech of the embedded voice. Throws voice-no-voice when its language has none. */
export async function spokenText(text: string): Promise<Int16Array> {
  const speaking = await createSpeaking({ launcher: createForkLauncher(environment()), log: silentLog })
  try {
    const language = detectLanguage(text)
    const voice = speaking.voiceFor(language)
    if (!voice) throw new AppError('voice-no-voice', `No voice for ${language} is installed here`)
    const pieces: Int16Array[] = []
    const signal = new AbortController().signal
    for await (const { pcm } of voice.speak(text, { signal, cacheable: false })) pieces.push(pcm)
    return await toMicrophone(join(pieces), voice.sampleRate)
  } finally {
    await speaking.close()
  }
}

/** A 16-bit PCM WAV file as 16 kHz mono. */
export async function recordedSpeech(file: string): Promise<Int16Array> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new AppError('server-bad-usage', `${file} cannot be read`, { cause })
  })
  const { pcm, channels, sampleRate } = readWav(bytes)
  const mono = new Int16Array(Math.floor(pcm.length / channels))
  for (let index = 0; index < mono.length; index += 1) mono[index] = pcm[index * channels] ?? 0
  return toMicrophone(mono, sampleRate)
}

async function toMicrophone(pcm: Int16Array, from: number): Promise<Int16Array> {
  const resampler = (await loadResampler()).create({ from, to: microphoneRate })
  const out = join([resampler.process(pcm), resampler.flush()])
  resampler.close()
  return out
}

function join(pieces: readonly Int16Array[]): Int16Array {
  const out = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    out.set(piece, at)
    at += piece.length
  }
  return out
}
