import { AppError } from '../../base/app-error.ts'
import { type AudioFormat, checkFormat, joinSamples, mixUp, samplesPerFrame } from './audio-format.ts'
import type { AudioParts } from './input-path.ts'
import { createOpusEncoder } from './opus.ts'
import type { Resampler } from './resampler.ts'

/** From a voice's mono PCM to a board's frames. */
export interface OutputPath {
  /** Begins a reply at the voice's rate in Hz; what was left of the last one is thrown away. */
  start(sourceRate: number): void
  /** Mono at the source rate, any length: the frames that are complete now. */
  push(pcm: Int16Array): Uint8Array[]
  /** The rest of the reply, its last frame filled with silence. Nothing when nothing was pushed. */
  end(): Uint8Array[]
  close(): void
}

interface FrameEncoder {
  /** Samples of silence that the far side needs before it has played the last of ours. */
  readonly lookahead: number
  encode(pcm: Int16Array): Uint8Array
  reset(): void
  close(): void
}

export function createOutputPath(format: AudioFormat, { heap, resampler }: AudioParts): OutputPath {
  const { sampleRate, channels } = checkFormat(format)
  const frame = samplesPerFrame(format)
  const encoder = format.codec === 'opus' ? createOpusEncoder(format, heap) : pcmEncoder
  let toBoard: Resampler | undefined
  let waiting = new Int16Array()
  let began = false

  function take(pcm: Int16Array): Uint8Array[] {
    const all = waiting.length === 0 ? pcm : joinSamples([waiting, pcm])
    const whole = Math.floor(all.length / frame)
    waiting = all.slice(whole * frame)
    return Array.from({ length: whole }, (_, index) =>
      encoder.encode(mixUp(all.subarray(index * frame, (index + 1) * frame), channels)),
    )
  }

  function clear(): void {
    toBoard?.close()
    toBoard = undefined
    waiting = new Int16Array()
    began = false
  }

  return {
    start(sourceRate) {
      clear()
      encoder.reset()
      toBoard = resampler.create({ from: sourceRate, to: sampleRate })
    },
    push(pcm) {
      if (!toBoard) throw new AppError('voice-bad-pcm', 'Speech was not started')
      began ||= pcm.length > 0
      return take(toBoard.process(pcm))
    },
    end() {
      if (!toBoard || !began) {
        clear()
        return []
      }
      const rest = joinSamples([toBoard.flush(), new Int16Array(encoder.lookahead)])
      const missing = (frame - ((waiting.length + rest.length) % frame)) % frame
      const frames = take(joinSamples([rest, new Int16Array(missing)]))
      clear()
      return frames
    },
    close() {
      clear()
      encoder.close()
    },
  }
}

const pcmEncoder: FrameEncoder = {
  lookahead: 0,
  encode(pcm) {
    const bytes = new Uint8Array(pcm.length * 2)
    const view = new DataView(bytes.buffer)
    for (const [index, value] of pcm.entries()) view.setInt16(index * 2, value, true)
    return bytes
  },
  reset: () => undefined,
  close: () => undefined,
}
