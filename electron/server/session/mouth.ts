import { isAppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { AudioFormat } from '../../contract/device.ts'
import type { TurnOutput } from '../agent/turn-output.ts'
import type { CodecSession } from '../audio/codec-session.ts'
import { createPacer } from './pacer.ts'
import type { SessionCodec } from './session-codec.ts'

/** Encoded at once: the first frame of a long sentence does not wait for its end. */
const sliceMs = 100

/** Every frame says whose it is, from the encoder to the socket (architecture.md §4). */
export interface TaggedFrame {
  readonly session: string
  readonly turn: string
  readonly bytes: Uint8Array
}

export interface MouthOptions {
  readonly tag: Omit<TaggedFrame, 'bytes'>
  readonly codec: SessionCodec
  readonly format: AudioFormat
  readonly clock: Clock
  readonly aheadMs?: number | undefined
  readonly send: (frame: TaggedFrame) => void
  readonly buffered: () => number
  readonly onSlow: () => void
  /** The first sound is about to be sent. */
  readonly onBegin: () => void
  readonly onSentence: (state: 'start' | 'end', text?: string) => void
}

/** The reply of one turn on its way to the board. */
export interface Mouth extends Pick<TurnOutput, 'beginSentence' | 'audio' | 'endSentence' | 'played'> {
  /** Nothing of this turn is sent any more, from this very moment. */
  stop(): void
}

export function createMouth(options: MouthOptions): Mouth {
  const { codec, tag } = options
  const encoder = createSpeechEncoder(codec)
  const pacer = createPacer<TaggedFrame>({ ...options, frameMs: options.format.frameDuration })
  let begun = false
  let stopped = false
  let waitingText: string | undefined

  /** `tts` begins with the sound, not with the wish to speak. */
  function announce(): void {
    if (!begun) pacer.mark(options.onBegin)
    begun = true
    const text = waitingText
    waitingText = undefined
    if (text !== undefined) pacer.mark(() => options.onSentence('start', text))
  }

  function queue(frames: readonly Uint8Array[]): void {
    if (stopped || frames.length === 0) return
    announce()
    for (const bytes of frames) pacer.frame({ ...tag, bytes })
  }

  return {
    beginSentence: (text) => (waitingText = text),
    async audio(pcm, rate) {
      const slice = Math.ceil((rate * sliceMs) / 1000)
      // A voice of another rate begins: what the first one still owes comes before it.
      if (encoder.rate !== rate) queue(await encoder.flush())
      for (let from = 0; from < pcm.length && !stopped; from += slice) {
        queue(await encoder.encode(pcm.subarray(from, from + slice), rate))
        await pacer.room()
      }
    },
    async endSentence() {
      if (stopped) return
      queue(await encoder.flush())
      announce()
      pacer.mark(() => options.onSentence('end'))
    },
    played: () => pacer.played(),
    stop() {
      if (stopped) return
      stopped = true
      pacer.stop()
      codec.cancelSpeech()
    },
  }
}

/** Mono PCM of changing rates to frames, over the death of a codec. */
function createSpeechEncoder(codec: SessionCodec) {
  let speaking: { readonly codec: CodecSession; readonly rate: number } | undefined
  return {
    get rate() {
      return speaking?.rate
    },
    encode: (pcm: Int16Array, rate: number) =>
      codec.run((current) => {
        if (speaking?.codec !== current || speaking.rate !== rate) current.startSpeech(rate)
        speaking = { codec: current, rate }
        return current.encode(pcm)
      }),
    async flush(): Promise<readonly Uint8Array[]> {
      const ending = speaking
      speaking = undefined
      try {
        return ending ? await ending.codec.endSpeech() : []
      } catch (error) {
        // The last part of a frame went with its codec.
        if (isAppError(error, 'voice-codec-stopped')) return []
        throw error
      }
    },
  }
}
