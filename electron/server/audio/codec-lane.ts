import type { Worker } from 'node:worker_threads'
import { AppError } from '../../base/app-error.ts'
import type { CodecFormats, CodecReply, CodecRequest } from './codec-messages.ts'
import { type CodecSession, createCodecSession, type LaneSession } from './codec-session.ts'

/** One codec thread and the sessions that are pinned to it. */
export interface CodecLane {
  readonly sessions: number
  open(formats: CodecFormats): CodecSession
  /** Called at an interval: the third time that calls wait and none was answered in between, the thread is ended. */
  watch(): void
  /** Every session of it stops with voice-codec-stopped. */
  close(): Promise<void>
}

/** Nothing a thread does takes a tenth of a second; two silent intervals of the pool mean that it hangs. */
const silentIntervals = 2

export function createCodecLane(worker: Worker, onStopped: (error: AppError) => void): CodecLane {
  const sessions = new Map<number, LaneSession>()
  let nextSession = 0
  let answered = 0
  let seen = 0
  let silent = 0
  let over = false

  function stop(error: AppError): void {
    if (over) return
    over = true
    for (const session of sessions.values()) session.stop(error)
    onStopped(error)
  }

  worker.on('message', (message) => {
    // Only codec.worker.ts writes to this port.
    const { session, call, result } = message as CodecReply
    answered++
    sessions.get(session)?.settle(call, result)
  })
  worker.on('error', (cause) => stop(new AppError('voice-codec-stopped', 'The codec thread crashed', { cause })))
  worker.on('exit', () => stop(new AppError('voice-codec-stopped', 'The codec thread ended')))

  return {
    get sessions() {
      return sessions.size
    },
    open(formats) {
      const id = nextSession++
      const post = (request: CodecRequest, transfer: readonly ArrayBuffer[] = []) =>
        worker.postMessage(request, transfer)
      const session = createCodecSession(id, { post, left: () => void sessions.delete(id) })
      sessions.set(id, session)
      post({ op: 'open', session: id, formats })
      return session
    },
    watch() {
      const waiting = [...sessions.values()].some((session) => session.waiting)
      silent = waiting && answered === seen ? silent + 1 : 0
      seen = answered
      if (silent > silentIntervals) void worker.terminate()
    },
    async close() {
      stop(new AppError('voice-codec-stopped', 'The codec pool was closed'))
      await worker.terminate()
    },
  }
}
