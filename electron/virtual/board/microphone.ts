import { createOpusEncoder } from '../../server/audio/opus.ts'

export interface MicrophoneOptions {
  readonly codec: 'opus' | 'pcm'
  readonly sampleRate: number
  readonly frameDuration: number
  send(frame: Uint8Array): void
  /** Share of frames that the radio loses, 0–1, and the most that one is held back, in ms. */
  readonly loss: number
  readonly jitterMs: number
  random(): number
  /** Forward error correction in the packets (voice.md §1): a board on a lossy link turns it on. */
  readonly fec: boolean
}

export interface Microphone {
  /**
   * Speaks the samples at the pace of a real microphone, then silence until `stop`.
   * Resolves when the last spoken sample went out, with that instant (performance.now()).
   */
  play(pcm: Int16Array): Promise<number>
  stop(): void
  readonly framesSent: number
  close(): void
}

/** A microphone that plays a recording: real Opus, one frame each `frameDuration` ms on a clock that does not drift. */
export function createMicrophone(options: MicrophoneOptions): Microphone {
  const samples = (options.sampleRate * options.frameDuration) / 1000
  const encoder =
    options.codec === 'opus'
      ? createOpusEncoder({
          sampleRate: options.sampleRate,
          channels: 1,
          frameDuration: options.frameDuration,
          ...(options.fec ? { fec: true, expectedLossPct: 25 } : {}),
        })
      : undefined
  let timer: NodeJS.Timeout | undefined
  let framesSent = 0
  let lastDue = 0

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
  }

  function transmit(pcm: Int16Array): void {
    const frame = encoder ? encoder.encode(pcm) : new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength).slice()
    framesSent += 1
    if (options.random() < options.loss) return
    if (options.jitterMs === 0) options.send(frame)
    else {
      // A WebSocket keeps the order: a frame that is held back holds those behind it.
      lastDue = Math.max(lastDue, performance.now() + options.random() * options.jitterMs)
      setTimeout(() => options.send(frame), Math.max(0, lastDue - performance.now()))
    }
  }

  return {
    play(pcm) {
      stop()
      const startedAt = performance.now()
      let index = 0
      return new Promise((resolve) => {
        const tick = () => {
          const frame = new Int16Array(samples)
          const from = index * samples
          frame.set(pcm.subarray(from, Math.min(from + samples, pcm.length)))
          transmit(frame)
          index += 1
          if (from < pcm.length && index * samples >= pcm.length) resolve(performance.now())
          timer = setTimeout(tick, Math.max(0, startedAt + index * options.frameDuration - performance.now()))
        }
        tick()
      })
    },
    stop,
    get framesSent() {
      return framesSent
    },
    close() {
      stop()
      encoder?.close()
    },
  }
}
