import { AppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import type { BoardFacts } from '../../contract/flash.ts'
import type { BoardSettings } from '../firmware/board-settings.ts'
import { createCompressor } from './compress.ts'
import type { FromFlasher, ToFlasher } from './flasher-message.ts'
import { createImageShelf } from './image-shelf.ts'
import { startJob } from './lane-job.ts'
import type { Lane } from './lane.ts'
import { listPorts } from './ports.ts'

export interface FlasherHost {
  receive(message: ToFlasher): void
  /** Cancels all lanes; resolves when their ports are released. */
  stop(): Promise<void>
}

/** The child's side of flasher.ts: many lanes on one loop. */
export function createFlasherHost(post: (message: FromFlasher) => void, log: Log): FlasherHost {
  const lanes = new Map<number, Lane>()
  const asked = new Map<number, PromiseWithResolvers<BoardSettings>>()
  const shelf = createImageShelf()
  const compressor = createCompressor()

  function askSettings(lane: number, board: BoardFacts, signal: AbortSignal): Promise<BoardSettings> {
    const answer = Promise.withResolvers<BoardSettings>()
    asked.set(lane, answer)
    signal.addEventListener('abort', () =>
      answer.reject(new AppError('flash-cancelled', 'The flash job was cancelled')),
    )
    post({ type: 'board', lane, board })
    return answer.promise
  }

  function start({ lane, job, asksSettings }: Extract<ToFlasher, { type: 'start' }>): void {
    const running = startJob(job, {
      shelf,
      compressor,
      log,
      onEvent: (event) => post({ type: 'event', lane, event }),
      ...(asksSettings ? { settingsFor: (board, signal) => askSettings(lane, board, signal) } : {}),
    })
    lanes.set(lane, running)
    void running.outcome.finally(() => {
      lanes.delete(lane)
      asked.delete(lane)
    })
  }

  async function stop(): Promise<void> {
    const running = [...lanes.values()]
    for (const lane of running) lane.cancel()
    await Promise.all(running.map(({ outcome }) => outcome))
  }

  return {
    receive(message) {
      switch (message.type) {
        case 'start':
          return start(message)
        case 'cancel':
          return lanes.get(message.lane)?.cancel()
        case 'said':
          return lanes.get(message.lane)?.[message.what]()
        case 'settings':
          return asked.get(message.lane)?.resolve(message.settings)
        case 'no-settings':
          return asked.get(message.lane)?.reject(new AppError(message.code, message.message))
        case 'ports':
          void listPorts().then((ports) => post({ type: 'ports', request: message.request, ports }))
          return
        case 'stop':
          void stop()
      }
    },
    stop,
  }
}
