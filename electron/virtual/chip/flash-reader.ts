import { createHash } from 'node:crypto'
import type { FlashArray } from './flash-array.ts'
import { wordAt } from './packet.ts'

export interface ReadJob {
  readonly offset: number
  readonly size: number
  readonly chunk: number
  readonly framesInFlight: number
}

export interface FlashReader {
  /** Frames that may go out now. */
  start(): readonly Uint8Array[]
  /** The host's count of bytes received; more frames, and the MD5 after the last. */
  acknowledge(frame: Uint8Array): readonly Uint8Array[]
  readonly done: boolean
}

/** READ_FLASH of the stub: bare frames, acknowledged by bare words, a bare digest at the end (flashing.md §1.3, D2). */
export function createFlashReader(flash: FlashArray, job: ReadJob): FlashReader {
  const digest = createHash('md5')
  let sent = 0
  let done = false

  function send(acknowledged: number): Uint8Array[] {
    const frames: Uint8Array[] = []
    while (sent < job.size && sent - acknowledged < job.chunk * job.framesInFlight) {
      const part = flash.read(job.offset + sent, Math.min(job.chunk, job.size - sent)).slice()
      digest.update(part)
      frames.push(part)
      sent += part.length
    }
    if (acknowledged >= job.size && !done) {
      done = true
      frames.push(new Uint8Array(digest.digest()))
    }
    return frames
  }

  return {
    start: () => send(0),
    acknowledge: (frame) => send(Math.min(wordAt(frame, 0), sent)),
    get done() {
      return done
    },
  }
}
