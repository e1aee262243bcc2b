import { createOpusDecoder } from '../../server/audio/opus.ts'

export interface HeardReply {
  readonly frames: number
  readonly audioMs: number
  /** Frames whose sound came so late that the speaker ran dry: a gap of more than 65 ms between frame starts. */
  readonly late: number
  /** Root mean square of all samples, 0–32767. */
  readonly level: number
  /** performance.now() of the first frame. */
  readonly firstAt: number | null
}

export interface Loudspeaker {
  configure(format: { codec: 'opus' | 'pcm'; sampleRate: number; channels: number; frameDuration: number }): void
  start(): void
  play(frame: Uint8Array): void
  /** What was heard since `start`. */
  stop(): HeardReply
  readonly bytes: number
  close(): void
}

const lateGapMs = 65

/** Decodes what the server sends and keeps a play clock: each frame starts when the one before it has ended. */
export function createLoudspeaker(
  onSound: (pcm: Int16Array, sampleRate: number) => void = () => undefined,
): Loudspeaker {
  let format = { codec: 'opus' as 'opus' | 'pcm', sampleRate: 24_000, channels: 1, frameDuration: 60 }
  let decoder: ReturnType<typeof createOpusDecoder> | undefined
  let heard = silence()
  let bytes = 0

  function decode(frame: Uint8Array): Int16Array {
    if (format.codec === 'pcm') return new Int16Array(frame.slice().buffer)
    decoder ??= createOpusDecoder({ sampleRate: format.sampleRate, channels: format.channels })
    return decoder.decode(frame, (format.sampleRate * format.frameDuration) / 1000)
  }

  function advance(now: number): void {
    if (heard.firstAt === null) {
      heard.firstAt = now
      heard.playsAt = now
      return
    }
    const due = heard.playsAt + format.frameDuration
    const starts = Math.max(now, due)
    if (starts - heard.playsAt > lateGapMs) heard.late += 1
    heard.playsAt = starts
  }

  return {
    configure(next) {
      format = next
      decoder?.close()
      decoder = undefined
    },
    start() {
      heard = silence()
    },
    play(frame) {
      bytes += frame.length
      advance(performance.now())
      const pcm = decode(frame)
      heard.frames += 1
      heard.samples += pcm.length
      for (const sample of pcm) heard.energy += sample * sample
      onSound(pcm, format.sampleRate)
    },
    stop() {
      const { frames, late, firstAt, samples, energy } = heard
      const audioMs = (samples / format.channels / format.sampleRate) * 1000
      return { frames, late, firstAt, audioMs, level: samples === 0 ? 0 : Math.sqrt(energy / samples) }
    },
    get bytes() {
      return bytes
    },
    close() {
      decoder?.close()
      decoder = undefined
    },
  }
}

function silence() {
  return { frames: 0, samples: 0, energy: 0, late: 0, firstAt: null as number | null, playsAt: 0 }
}
