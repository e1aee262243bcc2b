import { readFile } from 'node:fs/promises'
import { AppError } from '../base/app-error.ts'
import { createForkLauncher } from '../base/launcher.ts'
import { silentLog } from '../base/log.ts'
import { createSpeaking } from '../server/agent/speaking/speaking.ts'
import { microphoneSpeech, toMicrophoneRate } from '../server/spoken-sample.ts'
import { environment } from './environment.ts'
import { readWav } from './wav.ts'

/** The text as 16 kHz mono speech of the embedded voice. Throws voice-no-voice when its language has none. */
export async function spokenText(text: string): Promise<Int16Array> {
  const speaking = await createSpeaking({ launcher: createForkLauncher(environment()), log: silentLog })
  try {
    return await microphoneSpeech(speaking, text)
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
  return toMicrophoneRate(mono, sampleRate)
}
