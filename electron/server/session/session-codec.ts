import { AppError, isAppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { CodecPool } from '../audio/codec-pool.ts'
import type { CodecSession } from '../audio/codec-session.ts'
import type { Agreement } from './negotiation.ts'

const retryMs = 50
const tries = 20

/** The codec of one session; a dead one is replaced, so that a thread's death costs a board nothing but a moment. */
export interface SessionCodec {
  /** A living codec. Rejects voice-codec-stopped when none could be had within a second. */
  ready(): Promise<CodecSession>
  /** Runs the work, once more on a new codec when the old one died under it. */
  run<T>(work: (codec: CodecSession) => Promise<T>): Promise<T>
  /** What was not encoded yet is forgotten. */
  cancelSpeech(): void
  close(): void
}

export function createSessionCodec(options: {
  readonly pool: Pick<CodecPool, 'open'>
  readonly formats: Agreement
  readonly clock: Clock
  readonly log: Log
}): SessionCodec {
  const { pool, formats, clock, log } = options
  let current: CodecSession | undefined
  let closed = false

  function open(): CodecSession {
    const opened = pool.open(formats)
    current = opened
    opened.onStopped((error) => {
      log.warn('codec of a session stopped', { error })
      if (current === opened) current = undefined
    })
    return opened
  }

  async function ready(): Promise<CodecSession> {
    for (let left = tries; ; left--) {
      if (closed) throw new AppError('voice-codec-stopped', 'The session is over')
      if (current) return current
      try {
        return open()
      } catch (error) {
        if (!isAppError(error, 'voice-codec-stopped') || left <= 1) throw error
      }
      await new Promise<void>((resolve) => clock.after(retryMs, resolve))
    }
  }

  return {
    ready,
    async run(work) {
      try {
        return await work(await ready())
      } catch (error) {
        if (closed || !isAppError(error, 'voice-codec-stopped')) throw error
        return work(await ready())
      }
    },
    cancelSpeech: () => current?.cancelSpeech(),
    close() {
      closed = true
      current?.close()
      current = undefined
    },
  }
}
