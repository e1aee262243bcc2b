import { type AppError, toAppError } from '../../base/app-error.ts'
import { withDeadline } from '../../base/deadline.ts'
import type { Launcher } from '../../base/launcher.ts'
import type { Log } from '../../base/log.ts'
import type { BoardFacts, PortInfo } from '../../contract/flash.ts'
import type { BoardSettings } from '../firmware/board-settings.ts'
import { createFlasherChild, flasherStopped } from './flasher-child.ts'
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

/** The process starts with the first call, and again with the next one after it died. */
export function createFlasher({ launcher, log }: FlasherOptions): Flasher {
  const lanes = new Map<number, OpenLane>()
  const listings = createListings()
  let lastId = 0
  let closing: Promise<void> | undefined

  const child = createFlasherChild(launcher, {
    onMessage: receive,
    onExit(code) {
      if (!closing) log.error('flasher stopped', { code, lanes: lanes.size })
      for (const id of [...lanes.keys()]) settle(id, refused(flasherStopped()), true)
      listings.fail(flasherStopped())
    },
  })

  function settle(id: number, outcome: LaneOutcome, tell: boolean): void {
    const lane = lanes.get(id)
    if (!lanes.delete(id) || !lane) return
    if (tell) lane.watcher.onEvent({ type: 'done', outcome })
    lane.outcome.resolve(outcome)
  }

  function receive(message: FromFlasher): void {
    if (message.type === 'ports') {
      listings.answer(message.request, message.ports)
      return
    }
    const lane = lanes.get(message.lane)
    if (!lane) return
    if (message.type === 'board') {
      void answerSettings(lane.watcher, message).then((answer) => toLane(message.lane, answer))
      return
    }
    lane.watcher.onEvent(message.event)
    if (message.event.type === 'done') settle(message.lane, message.event.outcome, false)
  }

  /** A lane whose process cannot be reached has failed. */
  function toLane(id: number, message: ToFlasher): void {
    if (lanes.has(id)) child.send(message).catch((error: unknown) => settle(id, refused(error), true))
  }

  return {
    startLane(job, watcher) {
      const id = (lastId += 1)
      const outcome = Promise.withResolvers<LaneOutcome>()
      lanes.set(id, { watcher, outcome })
      if (closing) settle(id, refused(flasherStopped()), true)
      toLane(id, { type: 'start', lane: id, job, asksSettings: watcher.settingsFor !== undefined })
      return {
        outcome: outcome.promise,
        cancel: () => toLane(id, { type: 'cancel', lane: id }),
        provisioned: () => toLane(id, { type: 'said', lane: id, what: 'provisioned' }),
        heard: () => toLane(id, { type: 'said', lane: id, what: 'heard' }),
      }
    },
    async listPorts() {
      if (closing) throw flasherStopped()
      const listing = listings.ask()
      await child.send({ type: 'ports', request: listing.request })
      return await listing.ports
    },
    close: () => (closing ??= child.stop()),
  }
}

/** Questions for the ports that wait for an answer. */
function createListings() {
  const waiting = new Map<number, PromiseWithResolvers<PortInfo[]>>()
  let lastRequest = 0
  return {
    ask() {
      const request = (lastRequest += 1)
      const listing = Promise.withResolvers<PortInfo[]>()
      waiting.set(request, listing)
      const late = { code: 'flash-flasher-stopped', message: 'The flasher does not answer' } as const
      const ports = withDeadline(listing.promise, portsLimitMs, late)
      // The request may fail before anybody waits for the ports.
      ports.catch(() => undefined)
      return { request, ports }
    },
    answer(request: number, ports: readonly PortInfo[]): void {
      waiting.get(request)?.resolve([...ports])
      waiting.delete(request)
    },
    fail(error: AppError): void {
      for (const listing of waiting.values()) listing.reject(error)
      waiting.clear()
    },
  }
}

async function answerSettings(
  watcher: LaneWatcher,
  { lane, board }: { readonly lane: number; readonly board: BoardFacts },
): Promise<ToFlasher> {
  try {
    return { type: 'settings', lane, settings: (await watcher.settingsFor?.(board)) ?? {} }
  } catch (error) {
    const { code, message } = toAppError(error)
    return { type: 'no-settings', lane, code, message }
  }
}
