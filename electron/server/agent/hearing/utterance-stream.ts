import type { HearingStream } from '../providers.ts'
import { maxUtteranceSamples } from './asr-messages.ts'
import type { Utterance } from './recogniser-process.ts'

/** Above this a piece is no frame of a stream; it is passed on in parts so that no message grows without bound. */
const maxPieceSamples = 16_000

/**
 * One utterance from the first sample. While every lane is taken its audio waits here (30 s at most) and is heard much
 * faster than it was spoken once a lane is free.
 */
export function createUtteranceStream(options: {
  open(onPartial: (text: string) => void): Promise<Utterance>
  onPartial(text: string): void
  /** Called once, when the lane is free again. */
  onEnd(): void
}): HearingStream {
  const early: Int16Array[] = []
  let samples = 0
  let utterance: Utterance | undefined
  let isDone = false

  const report = (text: string): void => {
    if (!isDone) options.onPartial(text)
  }
  const opened = options.open(report).then((own) => {
    if (isDone) {
      own.cancel()
      options.onEnd()
      return own
    }
    utterance = own
    for (const pcm of early.splice(0)) own.push(pcm)
    return own
  })
  // Told by finish(); a stream that is cancelled has nobody to tell.
  opened.catch(() => undefined)

  return {
    push(pcm) {
      const piece = pcm.subarray(0, Math.max(0, maxUtteranceSamples - samples))
      samples += piece.length
      if (isDone || piece.length === 0) return
      for (let from = 0; from < piece.length; from += maxPieceSamples) {
        // The caller may use its buffer again at once.
        const part = piece.slice(from, from + maxPieceSamples)
        if (utterance) utterance.push(part)
        else early.push(part)
      }
    },
    async finish() {
      try {
        const own = await opened
        if (isDone) return { text: '' }
        const { text, confidence, rejected } = await own.finish()
        return { text, confidence, ...(rejected === undefined ? {} : { rejected }) }
      } finally {
        isDone = true
        options.onEnd()
      }
    },
    cancel() {
      if (isDone) return
      isDone = true
      early.length = 0
      utterance?.cancel()
      if (utterance) options.onEnd()
    },
  }
}
