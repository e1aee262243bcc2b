import type { Log } from '../base/log.ts'
import type { BoardFacts, Lane } from '../contract/flash.ts'
import type { FlashOrder } from '../contract/rpc.ts'
import { AppError } from '../base/app-error.ts'
import type { Claims } from './devices/claims.ts'
import type { Devices } from './devices/devices.ts'
import type { BoardSettings } from './firmware/board-settings.ts'
import type { Flasher } from './flash/flasher.ts'
import type { LaneJob } from './flash/flasher-message.ts'
import type { LaneEvent, LaneOutcome } from './flash/lane-event.ts'
import type { ImageLibrary } from './image-library.ts'
import type { JobContext } from './jobs/job-run.ts'
import type { Jobs } from './jobs/jobs.ts'
import { newLane, nextLane } from './lane-view.ts'
import type { Sessions } from './session/sessions.ts'
import type { VirtualChips } from './virtual-chips.ts'

interface Parts {
  readonly jobs: Jobs
  readonly flasher: Flasher
  readonly library: ImageLibrary
  readonly claims: Claims
  readonly devices: Devices
  readonly sessions: Sessions
  readonly chips: VirtualChips
  readonly caDer: Uint8Array
  /** https URL that a board is told: on the LAN, and the one that a virtual board on this machine uses. */
  readonly serverUrl: (forVirtual: boolean) => string
  readonly now: () => number
  readonly log: Log
  /** Lanes that wait for their board. */
  readonly followers: Set<(deviceId: string) => void>
}

export interface FlashJobs {
  start(order: FlashOrder): Promise<{ jobId: string }>
  tryWithoutBoard(): Promise<{ jobId: string }>
  /** For a flasher outside this server. */
  makeClaim(deviceId: string, name: string | undefined): Promise<{ server: string; ca: string; claim: string }>
}

/** Everything that flashes through the console is a job of one lane a port. */
export function createFlashJobs(given: Omit<Parts, 'followers'>): FlashJobs {
  const { jobs, library } = given
  const followers = new Set<(deviceId: string) => void>()
  const parts: Parts = { ...given, followers }
  const tell = (deviceId: string) => followers.forEach((follower) => follower(deviceId))
  given.devices.onChange(tell)
  given.sessions.onChange(tell)

  const tryJob = {
    kind: 'try-without-board',
    title: 'Try without a board',
    work: (job: JobContext) => tryOut(parts, job),
  } as const
  jobs.onRetry('try-without-board', () => jobs.start(tryJob))

  return {
    async start(order) {
      const { image } = await library.part(order.imageId)
      const work = (job: JobContext) => flashAll(parts, order, job)
      const title = `${image.name} → ${order.ports.join(', ')}`
      return { jobId: (await jobs.start({ kind: 'flash', title, work, retryable: true })).id }
    },
    async tryWithoutBoard() {
      return { jobId: (await jobs.start({ ...tryJob, retryable: true })).id }
    },
    makeClaim: async (deviceId, name) => ({
      server: parts.serverUrl(false),
      ca: Buffer.from(parts.caDer).toString('base64'),
      claim: await parts.claims.make({ deviceId, name }),
    }),
  }
}

async function flashAll(parts: Parts, order: FlashOrder, job: JobContext): Promise<void> {
  const ends = await Promise.all(order.ports.map((port) => flashOne(parts, { order, port, virtual: false }, job)))
  const failed = ends.filter((end) => end.result === 'failed')
  const first = failed[0]
  if (first)
    throw new AppError(first.code ?? 'server-internal', `${failed.length} of ${ends.length}: ${first.message ?? ''}`)
}

/** A blank virtual chip on a serial port goes the way of any board, and stays as a virtual board. */
async function tryOut(parts: Parts, job: JobContext): Promise<void> {
  const [chip, image] = await Promise.all([parts.chips.create(), parts.library.virtualImage()])
  job.line('job', `virtual ESP32-S3 ${chip.mac} on ${chip.port}`)
  const order: FlashOrder = {
    ports: [chip.port],
    imageId: image.id,
    wifi: [{ ssid: 'Virtual', password: '' }],
    name: 'Virtual board',
    provision: true,
    erase: 'none',
  }
  const end = await flashOne(parts, { order, port: chip.port, virtual: true }, job)
  if (end.result === 'proved') return
  await parts.chips.remove(chip.mac)
  throw new AppError(end.code ?? 'flash-not-proved', end.message ?? 'The virtual board did not check in')
}

interface LaneOrder {
  readonly order: FlashOrder
  readonly port: string
  readonly virtual: boolean
}

async function flashOne(parts: Parts, lane: LaneOrder, job: JobContext): Promise<LaneOutcome> {
  const { order, port, virtual } = lane
  const { part } = await parts.library.part(order.imageId)
  const laneJob: LaneJob = {
    port,
    parts: [part],
    settings: commonSettings(order),
    erase: order.erase,
    awaitBoard: order.provision,
  }
  let view: Lane = newLane(port, parts.now())
  const show = (event: LaneEvent) => {
    view = nextLane(view, event, parts.now())
    job.lane(view)
    if (event.type === 'line') job.line('board', event.text)
    if (event.type === 'phase') job.line('job', `${port}: ${event.phase}`)
    if (event.type === 'progress' && event.bytesTotal > 0 && order.ports.length === 1) {
      job.progress(event.bytesDone / event.bytesTotal)
    }
  }
  job.lane(view)
  const follow: { stop: () => void } = { stop: () => undefined }
  const running = parts.flasher.startLane(laneJob, {
    onEvent: show,
    ...(order.provision
      ? {
          settingsFor: async (board: BoardFacts) => {
            follow.stop = followBoard(parts, board.mac, {
              onProvisioned: () => running.provisioned(),
              onHeard: () => running.heard(),
            })
            return provisioning(parts, { ...lane, board })
          },
        }
      : {}),
  })
  const cancel = () => running.cancel()
  job.signal.addEventListener('abort', cancel)
  if (job.signal.aborted) cancel()
  const outcome = await running.outcome
  job.signal.removeEventListener('abort', cancel)
  follow.stop()
  if (outcome.result === 'proved' && outcome.mac !== null) job.setDevice(outcome.mac)
  parts.log.info('lane over', { port, virtual, result: outcome.result, code: outcome.code })
  return outcome
}

function commonSettings(order: FlashOrder): BoardSettings {
  const wifi = order.wifi.map(({ ssid, password }) => (password === '' ? { ssid } : { ssid, password }))
  return { ...(wifi.length > 0 ? { wifi } : {}), ...(order.name === '' ? {} : { name: order.name }) }
}

/** Server, CA and a claim of its own for the board in this lane (iotta-protocol §2.1). */
async function provisioning(
  parts: Parts,
  { order, virtual, board }: LaneOrder & { board: BoardFacts },
): Promise<BoardSettings> {
  const name =
    order.name === '' ? undefined : order.ports.length > 1 ? `${order.name} ${board.mac.slice(-5)}` : order.name
  const claim = await parts.claims.make({ deviceId: board.mac, name, virtual })
  return {
    ...commonSettings(order),
    ...(name === undefined ? {} : { name }),
    server: parts.serverUrl(virtual || parts.chips.has(board.mac)),
    claim,
    ca: parts.caDer,
  }
}

interface Signs {
  readonly onProvisioned: () => void
  readonly onHeard: () => void
}

/** Tells when this board was enrolled anew, and when its session said hello. Returns the way to stop. */
function followBoard({ devices, sessions, followers, now }: Parts, mac: string, signs: Signs): () => void {
  const id = mac.toLowerCase()
  const since = now()
  const look = (changed: string) => {
    if (changed !== id) return
    const session = sessions.of(id)
    if ((devices.row(id)?.lastSeenAt ?? 0) >= since) signs.onProvisioned()
    if (session?.input && session.since >= since) signs.onHeard()
  }
  followers.add(look)
  return () => void followers.delete(look)
}
