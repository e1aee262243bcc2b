import { AppError, toAppError } from '../../base/app-error.ts'
import { withDeadline } from '../../base/deadline.ts'
import type { Child, Launcher } from '../../base/launcher.ts'
import type { Log } from '../../base/log.ts'
import type { BoardFacts, PortInfo } from '../../contract/flash.ts'
import type { BoardSettings } from '../firmware/board-settings.ts'
import type { FromFlasher, LaneJob, ToFlasher } from './flasher-message.ts'
import type { LaneEvent, LaneOutcome } from './lane-event.ts'
import { refused } from './lane-job.ts'
import type { Lane } from './lane.ts'

export interface LaneWatcher {
  readonly onEvent: (event: LaneEvent) => void
  /** Asked once the board is known; what it gives is laid over the job's settings (a claim for this MAC). */
  readonly settingsFor?: (board: BoardFacts) => Promise<BoardSettings>
}

/** Flashing in a process of its own, so that it never disturbs a conversation. */
export interface Flasher {
  /** Never throws: every end is the lane's outcome, `flash-flasher-stopped` when the process died. */
  startLane(job: LaneJob, watcher: LaneWatcher): Lane
  /** Throws `flash-flasher-stopped`. */
  listPorts(): Promise<PortInfo[]>
  /** Cancels the lanes, releases the ports and ends the process. Idempotent. */
  close(): Promise<void>
}

export interface FlasherOptions {
  readonly launcher: Launcher
  readonly log: Log
}

interface OpenLane {
  readonly watcher: LaneWatcher
  readonly outcome: PromiseWithResolvers<LaneOutcome>
}

const portsLimitMs = 15_000
const closeLimitMs = 4000

/** The process starts with the first call, and again with the next one after it died. */
export function createFlasher({ launcher, log }: FlasherOptions): Flasher {
  const lanes = new Map<number, OpenLane>()
  const listings = new Map<number, PromiseWithResolvers<PortInfo[]>>()
  let child: Promise<Child> | undefined
  let lastId = 0
  let closing: Promise<void> | undefined

  const running = () => (child ??= launch())

  async function launch(): Promise<Child> {
    const started = await launcher.launch('flasher').catch((error: unknown) => {
      child = undefined
      throw stopped(error)
    })
    started.onMessage((message) => receive(started, message as FromFlasher))
    started.onExit(({ code }) => {
      child = undefined
      if (!closing) log.error('flasher stopped', { code, lanes: lanes.size })
      for (const id of [...lanes.keys()]) settle(id, refused(stopped()), true)
      for (const listing of listings.values()) listing.reject(stopped())
      listings.clear()
    })
    return started
  }

  function settle(id: number, outcome: LaneOutcome, tell: boolean): void {
    const lane = lanes.get(id)
    if (!lanes.delete(id) || !lane) return
    if (tell) lane.watcher.onEvent({ type: 'done', outcome })
    lane.outcome.resolve(outcome)
  }

  function receive(from: Child, message: FromFlasher): void {
    if (message.type === 'ports') {
      listings.get(message.request)?.resolve([...message.ports])
      listings.delete(message.request)
      return
    }
    const lane = lanes.get(message.lane)
    if (!lane) return
    if (message.type === 'board') {
      void answerSettings(from, { id: message.lane, lane, board: message.board })
      return
    }
    lane.watcher.onEvent(message.event)
    if (message.event.type === 'done') settle(message.lane, message.event.outcome, false)
  }

  function send(message: ToFlasher): void {
    void running().then(
      (to) => to.post(message),
      (error: unknown) => {
        if ('lane' in message) settle(message.lane, refused(error), true)
      },
    )
  }

  async function shut(): Promise<void> {
    const ended = child && (await child.catch(() => undefined))
    if (!ended) return
    const gone = Promise.withResolvers<undefined>()
    ended.onExit(() => gone.resolve(undefined))
    ended.post({ type: 'stop' } satisfies ToFlasher)
    const late = { code: 'flash-flasher-stopped', message: 'The flasher did not stop in time' } as const
    await withDeadline(gone.promise, closeLimitMs, late).catch(() => ended.kill(true))
  }

  return {
    startLane(job, watcher) {
      const id = (lastId += 1)
      const outcome = Promise.withResolvers<LaneOutcome>()
      lanes.set(id, { watcher, outcome })
      if (closing) settle(id, refused(stopped()), true)
      else send({ type: 'start', lane: id, job, asksSettings: watcher.settingsFor !== undefined })
      const tell = (message: ToFlasher) => {
        if (lanes.has(id)) send(message)
      }
      return {
        outcome: outcome.promise,
        cancel: () => tell({ type: 'cancel', lane: id }),
        provisioned: () => tell({ type: 'said', lane: id, what: 'provisioned' }),
        heard: () => tell({ type: 'said', lane: id, what: 'heard' }),
      }
    },
    async listPorts() {
      if (closing) throw stopped()
      const to = await running()
      const request = (lastId += 1)
      const listing = Promise.withResolvers<PortInfo[]>()
      listings.set(request, listing)
      to.post({ type: 'ports', request } satisfies ToFlasher)
      return await withDeadline(listing.promise, portsLimitMs, {
        code: 'flash-flasher-stopped',
        message: 'The flasher does not answer',
      })
    },
    close: () => (closing ??= shut()),
  }
}

interface Question {
  readonly id: number
  readonly lane: OpenLane
  readonly board: BoardFacts
}

async function answerSettings(to: Child, { id, lane, board }: Question): Promise<void> {
  try {
    const settings = (await lane.watcher.settingsFor?.(board)) ?? {}
    to.post({ type: 'settings', lane: id, settings } satisfies ToFlasher)
  } catch (error) {
    const { code, message } = toAppError(error)
    to.post({ type: 'no-settings', lane: id, code, message } satisfies ToFlasher)
  }
}

function stopped(cause?: unknown): AppError {
  return new AppError('flash-flasher-stopped', 'The flasher process stopped; it is started again for the next lane', {
    cause,
  })
}
