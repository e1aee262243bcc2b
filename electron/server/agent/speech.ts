import { AppError, toAppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { createTone, toneRate } from '../audio/tone.ts'
import { boundedItems } from './bounded.ts'
import type { Speaking, Voice } from './providers.ts'
import type { TurnOutput } from './turn-output.ts'
import type { TurnRecord } from './turn-recorder.ts'

/** A voice that makes nothing for so long has failed. */
const pieceMs = 10_000
/** Nobody listens for five minutes. */
const maxReplyLength = 4000

export interface Sentence {
  readonly text: string
  readonly cacheable: boolean
}

/** The spoken reply of one turn: sentences go in as they are made, sound goes out in order. */
export interface Speech {
  /** False when the reply is long enough: what follows is not spoken. */
  say(sentence: Sentence): boolean
  /** Resolves when all of it was made; a reply without any sound ends with a tone. Never rejects. */
  end(): Promise<void>
}

export interface SpeechParts {
  readonly speaking: Speaking
  readonly output: TurnOutput
  readonly record: TurnRecord
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

export function createSpeech(parts: SpeechParts): Speech {
  const { output, record, signal } = parts
  let last = Promise.resolve()
  let length = 0
  let sounded = false
  let lost = false

  async function sound(pcm: Int16Array, sampleRate: number): Promise<void> {
    if (pcm.length === 0 || signal.aborted) return
    await output.audio(pcm, sampleRate)
    sounded = true
  }

  /** Once a reply: it says whether the thing was done, not what the words are. */
  async function tone(): Promise<void> {
    if (!sounded) await sound(createTone(wentWell(record) ? 'ok' : 'refused'), toneRate)
  }

  async function speak(sentence: Sentence): Promise<void> {
    if (signal.aborted || lost) return
    record.addReply(sentence.text)
    output.beginSentence(sentence.text)
    const voice = parts.speaking.voiceFor(record.turn.language)
    if (!voice) record.note('voice-no-voice')
    await (voice ? speakSentence(voice, sentence, { ...parts, sound }) : tone()).catch(apologise)
    await output.endSentence()
  }

  async function apologise(error: unknown): Promise<void> {
    const { code } = toAppError(error)
    parts.log.warn('a sentence could not be spoken', { turn: record.turn.id, error })
    if (!record.turn.notes.includes(code)) output.failure('tts_failed')
    record.note(code)
    record.fail('iotta-tts-failed')
    await sound(createTone('refused'), toneRate)
  }

  /** Sound that cannot even be encoded: the board gets its `tts` pair, and the turn its error. */
  function giveUp(error: unknown): void {
    lost = true
    parts.log.warn('a reply could not be encoded', { turn: record.turn.id, error })
    record.note(toAppError(error).code)
    record.fail('iotta-tts-failed')
  }

  return {
    say(sentence) {
      if (length >= maxReplyLength) return false
      length += sentence.text.length
      last = last.then(() => speak(sentence)).catch(giveUp)
      return true
    },
    async end() {
      await last
      if (sounded || lost || signal.aborted) return
      await tone()
        .then(() => output.endSentence())
        .catch(giveUp)
    },
  }
}

function wentWell(record: TurnRecord): boolean {
  return record.turn.errorCode === null && record.turn.calls.some((call) => call.outcome === 'ok')
}

async function speakSentence(
  voice: Voice,
  sentence: Sentence,
  parts: SpeechParts & { sound(pcm: Int16Array, sampleRate: number): Promise<void> },
): Promise<void> {
  const { clock, signal } = parts
  const span = parts.record.begin('tts', { voice: voice.id, characters: sentence.text.length })
  const failure = () => new AppError('voice-synthesis-failed', `The voice ${voice.id} did not answer in time`)
  const pieces = voice.speak(sentence.text, { signal, cacheable: sentence.cacheable })
  let samples = 0
  let cached = true
  try {
    for await (const piece of boundedItems(pieces, { clock, ms: pieceMs, signal, failure })) {
      samples += piece.pcm.length
      cached &&= piece.cached
      await parts.sound(piece.pcm, voice.sampleRate)
    }
    if (samples === 0 && !signal.aborted) throw new AppError('voice-synthesis-failed', `${voice.id} made no sound`)
    span.end({ detail: { audioMs: Math.round((samples * 1000) / voice.sampleRate), cached } })
  } catch (error) {
    span.end({ error: toAppError(error).code })
    throw error
  }
}
