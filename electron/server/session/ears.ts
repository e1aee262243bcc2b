import { type AppError, isAppError, toAppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { CodecSession } from '../audio/codec-session.ts'
import type { Vad } from '../audio/vad.ts'
import { createInputQueue } from './input-queue.ts'
import type { SessionCodec } from './session-codec.ts'
import { type VoiceEvent, watchStarvation, watchVoice } from './voice-watch.ts'

/** After the last frame of `listen stop`, voice detection may still owe its answer. */
const lastAnswerMs = 200

export type EarEvent =
  | VoiceEvent
  | { readonly type: 'speech-end'; readonly by: 'failure' }
  | { readonly type: 'drained' }
  | { readonly type: 'bad-audio' }
  | { readonly type: 'too-fast' }

/** One utterance: frames in, its beginning and end out, its sound to the agent. */
export interface Ears {
  frame(bytes: Uint8Array): void
  /** `listen stop`: once all frames before it are heard, and voice detection had its say, `drained` follows. */
  drain(): void
  expectEnd(complete: boolean): void
  /** When the person stopped speaking, on the server's clock; now, when nobody can say. */
  readonly speechEndedAt: number
  readonly failure: AppError | undefined
  close(): void
}

export interface EarsOptions {
  readonly codec: SessionCodec
  readonly vad: Vad
  readonly frameMs: number
  readonly clock: Clock
  readonly hear: (pcm: Int16Array) => void
  readonly onEvent: (event: EarEvent) => void
}

export function openEars(options: EarsOptions): Ears {
  const { clock, onEvent } = options
  const queue = createInputQueue({ startedAt: clock.now(), frameMs: options.frameMs })
  const watch = watchVoice(options)
  const starvation = watchStarvation(clock, () => watch.heard && onEvent({ type: 'speech-end', by: 'silence' }))
  let fresh: CodecSession | undefined
  let last = Promise.resolve()
  let closed = false
  let drainedAt: number | undefined
  let failure: AppError | undefined

  async function hearFrame(bytes: Uint8Array, arrivedAt: number): Promise<void> {
    if (closed || failure) return
    try {
      const pcm = await options.codec.run((codec) => {
        // Nothing of the last utterance is heard in this one.
        if (codec !== fresh) codec.resetInput()
        fresh = codec
        return codec.decode(bytes)
      })
      listen(pcm, arrivedAt)
    } catch (error) {
      refuse(error)
    }
  }

  function listen(pcm: Int16Array, arrivedAt: number): void {
    if (closed) return
    options.hear(pcm)
    watch.push(pcm, arrivedAt)
    starvation.feed(arrivedAt)
  }

  function refuse(error: unknown): void {
    if (closed) return
    if (!isAppError(error, 'voice-codec-stopped')) return onEvent({ type: 'bad-audio' })
    failure = toAppError(error)
    onEvent({ type: 'speech-end', by: 'failure' })
  }

  return {
    frame(bytes) {
      const now = clock.now()
      if (!queue.admit(now)) return onEvent({ type: 'too-fast' })
      last = last.then(() => hearFrame(bytes, now))
    },
    drain() {
      drainedAt = clock.now()
      const done = () => onEvent({ type: 'drained' })
      void last.then(() => (watch.heard ? done() : void clock.after(lastAnswerMs, done)))
    },
    expectEnd: (complete) => watch.expectEnd(complete),
    get speechEndedAt() {
      return watch.stoppedAt ?? drainedAt ?? starvation.since ?? clock.now()
    },
    get failure() {
      return failure
    },
    close() {
      closed = true
      watch.close()
      starvation.close()
    },
  }
}
