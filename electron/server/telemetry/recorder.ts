import { toAppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import type { BoardEvent, Sample, Series, TelemetryTail } from '../../contract/telemetry.ts'
import type { TelemetryStore } from '../store/store.ts'
import { parseReports, type Rejected, type Report } from './report.ts'
import { createRetention } from './retention.ts'

export interface Recorder {
  /**
   * Keeps what a board reported; resolves after the commit. Rejects with 'iotta-bad-request' (shape), 'server-disk-full',
   * 'server-store-failed' or 'server-overloaded'. Live listeners hear it in any case.
   */
  accept(deviceId: string, body: unknown): Promise<{ accepted: number; rejected: Rejected[] }>
  /** A value that the server measured itself. Never throws and never waits: what cannot be kept is counted in the log. */
  own(deviceId: string, metric: string, sample: Sample): void
  /** Called for every report and own value as it comes; returns the way to stop. */
  onTail(listener: (tail: TelemetryTail) => void): () => void
  /** Called for every event that a board reported, as it comes; returns the way to stop. */
  onEvent(listener: (event: BoardEvent) => void): () => void
  /** One series a device, thinned to at most `columns` columns; times in ms since epoch, `to` exclusive. */
  series(query: {
    deviceIds: readonly string[]
    metric: string
    from: number
    to: number
    columns: number
  }): Promise<Series[]>
  /** Newest first. */
  events(deviceId: string, limit: number): Promise<BoardEvent[]>
  metrics(deviceId?: string): Promise<string[]>
  latest(deviceId: string, metric: string): Promise<Sample | undefined>
  /** Drops the device's history (turns too) and what is remembered of it. */
  forget(deviceId: string): Promise<void>
  /** Removes what is older than the retention. `confirmed`: a person agreed to a step of more than 30 days. */
  prune(options?: { confirmed?: boolean }): Promise<number>
  /** Ends the pruning. */
  close(): void
}

export interface RecorderOptions {
  readonly store: { readonly telemetry: TelemetryStore }
  readonly now: () => number
  readonly log: Log
  /** How long samples, events and logs are kept. Default 30 days. */
  readonly retainMs?: number
}

/** Distinct names a device may bring: each is a series for ever, and a hostile board could name millions. */
export const metricsPerDevice = 256

export function createRecorder(options: RecorderOptions): Recorder {
  const { now } = options
  const { telemetry } = options.store
  const log = options.log.child('telemetry')
  const retention = createRetention({ ...options, store: telemetry, log })
  const tails = createListeners<TelemetryTail>()
  const boardEvents = createListeners<BoardEvent>()
  const known = new Map<string, Promise<Set<string>>>()
  let ownLost = 0

  function namesOf(deviceId: string): Promise<Set<string>> {
    const names = known.get(deviceId) ?? telemetry.metrics(deviceId).then((list) => new Set(list))
    known.set(deviceId, names)
    names.catch(() => known.delete(deviceId))
    return names
  }

  async function accept(deviceId: string, body: unknown): Promise<{ accepted: number; rejected: Rejected[] }> {
    const names = await namesOf(deviceId)
    const parsed = parseReports(body, { now: now(), allows: (metric) => isWithin(names, metric) })
    for (const { at, metrics, events } of parsed.accepted) {
      if (Object.keys(metrics).length > 0) tails.tell({ deviceId, at, metrics: { ...metrics } })
      for (const event of events) boardEvents.tell({ deviceId, ...event })
    }
    await keep(telemetry, deviceId, parsed.accepted)
    return { accepted: parsed.accepted.length, rejected: [...parsed.rejected] }
  }

  return {
    accept,
    own(deviceId, metric, { at, value }) {
      tails.tell({ deviceId, at, metrics: { [metric]: value } })
      telemetry.add(deviceId, [{ metric, at, value }]).catch((error: unknown) => {
        ownLost += 1
        log.warn('own sample not kept', { code: toAppError(error).code, lost: ownLost })
      })
    },
    onTail: (listener) => tails.on(listener),
    onEvent: (listener) => boardEvents.on(listener),
    series: ({ deviceIds, ...query }) =>
      Promise.all(
        deviceIds.map(async (deviceId) => ({
          deviceId,
          metric: query.metric,
          from: query.from,
          to: query.to,
          columns: await telemetry.columns({ deviceId, ...query }),
        })),
      ),
    events: (deviceId, limit) => telemetry.events(deviceId, limit),
    metrics: (deviceId) => telemetry.metrics(deviceId),
    latest: (deviceId, metric) => telemetry.latest(deviceId, metric),
    async forget(deviceId) {
      known.delete(deviceId)
      await telemetry.forget(deviceId)
    },
    prune: (order) => retention.prune(order),
    close: () => retention.close(),
  }
}

function createListeners<Item>() {
  const listeners = new Set<(item: Item) => void>()
  return {
    tell(item: Item): void {
      for (const listener of listeners) listener(item)
    },
    on(listener: (item: Item) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function isWithin(names: Set<string>, metric: string): boolean {
  if (names.size < metricsPerDevice) names.add(metric)
  return names.has(metric)
}

async function keep(store: TelemetryStore, deviceId: string, reports: readonly Report[]): Promise<void> {
  const samples = reports.flatMap(({ at, metrics }) =>
    Object.entries(metrics).map(([metric, value]) => ({ metric, at, value })),
  )
  // Together, so that one commit holds them.
  await Promise.all([
    store.add(deviceId, samples),
    store.addEvents(reports.flatMap(({ events }) => events.map((event) => ({ deviceId, ...event })))),
    store.addLogs(
      deviceId,
      reports.flatMap(({ logs }) => logs),
    ),
  ])
}
