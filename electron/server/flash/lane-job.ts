import { basename } from 'node:path'
import { toAppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import { resetStyleFor } from './board-reset.ts'
import type { Compressor } from './compress.ts'
import type { LaneJob, PartFile } from './flasher-message.ts'
import type { ImageShelf } from './image-shelf.ts'
import type { LaneEvent, LaneOutcome } from './lane-event.ts'
import type { LaneSetup } from './lane-setup.ts'
import { type Lane, startLane } from './lane.ts'
import { usbInfo } from './usb-path.ts'

export interface JobTools {
  readonly shelf: ImageShelf
  readonly compressor: Compressor
  readonly log: Log
  readonly onEvent: (event: LaneEvent) => void
  readonly settingsFor?: LaneSetup['settingsFor']
}

/** Loads the files, then runs the lane. Refusals before the port is opened are outcomes too. */
export function startJob(job: LaneJob, tools: JobTools): Lane {
  let lane: Lane | undefined
  let cancelled = false
  const said = new Set<'provisioned' | 'heard'>()

  async function run(): Promise<LaneOutcome> {
    try {
      const setup = await setupFor(job, tools)
      lane = startLane(setup, tools)
      if (cancelled) lane.cancel()
      for (const what of said) lane[what]()
      return await lane.outcome
    } catch (error) {
      const outcome = refused(error)
      tools.onEvent({ type: 'done', outcome })
      return outcome
    } finally {
      for (const part of job.parts) tools.shelf.release(part)
    }
  }

  const tell = (what: 'provisioned' | 'heard') => {
    said.add(what)
    lane?.[what]()
  }
  return {
    outcome: run(),
    cancel() {
      cancelled = true
      lane?.cancel()
    },
    provisioned: () => tell('provisioned'),
    heard: () => tell('heard'),
  }
}

async function setupFor(job: LaneJob, tools: JobTools): Promise<LaneSetup> {
  const images = await Promise.all(job.parts.map((part) => tools.shelf.take(part)))
  const parts = images.map((image, index) => {
    const { offset, raw = false } = job.parts[index] as PartFile
    return { image, offset, raw }
  })
  const usb = usbInfo(basename(job.port)) ?? { vendorId: null, productId: null }
  return {
    port: job.port,
    style: job.style ?? resetStyleFor(usb),
    request: {
      parts,
      erase: job.erase,
      fixHeader: job.fixHeader ?? false,
      ...(job.settings ? { settings: job.settings } : {}),
    },
    verify: job.verify ?? true,
    awaitBoard: job.awaitBoard ?? false,
    ...(job.baud === undefined ? {} : { baud: job.baud }),
    ...(job.boardTimeoutMs === undefined ? {} : { boardTimeoutMs: job.boardTimeoutMs }),
    ...(tools.settingsFor ? { settingsFor: tools.settingsFor } : {}),
  }
}

/** The outcome of a lane that never touched its port. */
export function refused(error: unknown): LaneOutcome {
  const { code, message } = toAppError(error)
  return {
    result: 'failed',
    code,
    message,
    mac: null,
    sha256: null,
    ms: 0,
    board: null,
    retries: 0,
    degraded: false,
    noiseBytes: 0,
  }
}
