import type { Clock } from '../../base/clock.ts'
import { endpointDefaults } from '../audio/endpoint-machine.ts'
import type { Vad } from '../audio/vad.ts'

/** When the text already is a whole command (voice.md §8: with 320 ms no command was cut). */
const shortHangoverMs = 320
/** A board may send nothing while it hears nothing: so long without a frame after speech is silence too. */
const starvedMs = 2000

export type VoiceEvent =
  | { readonly type: 'speech-start' }
  | { readonly type: 'speech-end'; readonly by: 'silence' | 'too-long' }
  | { readonly type: 'no-speech' }

export interface VoiceWatchOptions {
  readonly vad: Vad
  readonly frameMs: number
  readonly onEvent: (event: VoiceEvent) => void
}

/** Voice detection of one utterance; its clock is the audio's, and is told here in the server's. */
export function watchVoice({ vad, frameMs, onEvent }: VoiceWatchOptions) {
  const stream = vad.open()
  const arrivals: number[] = []
  let heard = false
  let stoppedAt: number | undefined

  stream.onEvent((event) => {
    if (event.type === 'no_speech') return onEvent({ type: 'no-speech' })
    if (event.type === 'speech_start') {
      heard = true
      return onEvent({ type: 'speech-start' })
    }
    // When the last frame that still had speech in it arrived.
    if (event.endedAtMs !== undefined) stoppedAt = arrivals[Math.max(0, Math.ceil(event.endedAtMs / frameMs) - 1)]
    onEvent({ type: 'speech-end', by: event.type === 'too_long' ? 'too-long' : 'silence' })
  })

  return {
    get heard() {
      return heard
    },
    get stoppedAt() {
      return stoppedAt
    },
    push(pcm: Int16Array, arrivedAt: number): void {
      arrivals.push(arrivedAt)
      stream.push(pcm)
    },
    expectEnd: (complete: boolean) => stream.setHangover(complete ? shortHangoverMs : endpointDefaults.hangoverMs),
    close: () => stream.close(),
  }
}

export function watchStarvation(clock: Clock, onStarved: () => unknown) {
  let cancel: (() => void) | undefined
  let lastAt: number | undefined
  let since: number | undefined
  return {
    /** Of the last frame, once there were none for too long. */
    get since() {
      return since
    },
    feed(at: number): void {
      cancel?.()
      lastAt = at
      cancel = clock.after(starvedMs, () => {
        since = lastAt
        onStarved()
      })
    },
    close: () => cancel?.(),
  }
}
