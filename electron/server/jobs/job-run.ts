import { toAppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import type { Lane } from '../../contract/flash.ts'
import type { Job, JobLine } from '../../contract/job.ts'

/** The part of the store that jobs need; every promise has its commit behind it. */
export interface JobRecords {
  put(job: Job): Promise<void>
  /** Newest first. */
  all(limit: number): Promise<Job[]>
  addLines(jobId: string, lines: readonly JobLine[]): Promise<void>
  lines(jobId: string, after: number, limit: number): Promise<{ lines: JobLine[]; next: number }>
  prune(keep: number): Promise<void>
}

/** What the work of a job is handed. Everything is shown at most four times a second, the last word always. */
export interface JobContext {
  readonly id: string
  /** Aborts when a person cancels or the server stops: end soon, by return or by throw. */
  readonly signal: AbortSignal
  /** Adds the lane, or replaces the one of the same port. */
  lane(lane: Lane): void
  /** 0–1; null when the end is not known. */
  progress(value: number | null): void
  /** One line of the log; cut at 2000 characters, 10,000 lines a job. */
  line(source: JobLine['source'], text: string): void
  /** The device that came out of the job. */
  setDevice(deviceId: string): void
}

/** Returns = done, throws = failed with the code of its AppError. */
export type JobWork = (job: JobContext) => Promise<void>

export interface JobRun {
  readonly job: Job
  /** Resolves with the ended job, once that is written (or the disk refused it, which is logged). */
  readonly ended: Promise<Job>
  /** Asks the work to end; its own success still counts. */
  stop(as: 'cancelled' | 'parked'): void
  /** Ends the job now, whatever its work does later. */
  abandon(): void
  /** Resolves when all lines so far are written. */
  flush(): Promise<void>
}

export interface JobRunOptions {
  readonly job: Job
  readonly work: JobWork
  readonly records: JobRecords
  readonly now: () => number
  readonly log: Log
  readonly publish: (job: Job) => void
}

export const jobLimits = { lines: 10_000, text: 2000 } as const
const showEveryMs = 250
const writeEveryMs = 2000

/** Runs one job that is already recorded as running. */
export function startJobRun(options: JobRunOptions): JobRun {
  const { now, publish } = options
  const stop = new AbortController()
  const ended = Promise.withResolvers<Job>()
  const writer = createJobWriter(options)
  let job = options.job
  let stopAs: 'cancelled' | 'parked' = 'cancelled'
  let timer: NodeJS.Timeout | undefined

  function show(): void {
    timer = undefined
    publish(job)
    writer.note(job)
  }

  function change(part: Partial<Job>): void {
    if (job.state !== 'running') return
    job = { ...job, ...part }
    timer ??= setTimeout(show, showEveryMs)
  }

  function end(part: Pick<Job, 'state'> & Partial<Job>): void {
    if (job.state !== 'running') return
    clearTimeout(timer)
    job = { ...job, ...part, endedAt: now() }
    stop.abort()
    publish(job)
    void writer.finish(job).then(() => ended.resolve(job))
  }

  function fail(thrown: unknown): void {
    if (stop.signal.aborted) return end(stoppedPart(stopAs))
    const { code, message } = toAppError(thrown)
    end({ state: 'failed', code, message })
  }

  const context: JobContext = {
    id: job.id,
    signal: stop.signal,
    lane: (lane) => change({ lanes: withLane(job.lanes, lane) }),
    progress: (value) => change({ progress: value === null || Number.isNaN(value) ? null : clamp(value) }),
    line: (source, text) => job.state === 'running' && writer.line({ at: now(), source, text }),
    setDevice: (deviceId) => change({ deviceId }),
  }
  // In a turn of its own, so that work which throws at once does not throw into start().
  void Promise.resolve()
    .then(() => options.work(context))
    .then(() => end({ state: 'done', progress: 1 }), fail)

  return {
    get job() {
      return job
    },
    ended: ended.promise,
    stop(as) {
      stopAs = as
      stop.abort()
    },
    abandon: () => end(stoppedPart(stopAs)),
    flush: () => writer.flush(),
  }
}

/** How a job looks that the server's end cut short. */
export function stoppedPart(as: 'cancelled' | 'parked'): Pick<Job, 'state' | 'code' | 'message'> {
  if (as === 'cancelled') return { state: 'cancelled', code: null, message: null }
  return { state: 'parked', code: 'server-job-parked', message: 'The server stopped while this was running' }
}

function withLane(lanes: readonly Lane[], lane: Lane): Lane[] {
  const known = lanes.some(({ port }) => port === lane.port)
  return known ? lanes.map((other) => (other.port === lane.port ? lane : other)) : [...lanes, lane]
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/** Writes one after the other, so that the end is never overtaken; what fails is logged, the work goes on. */
function createJobWriter({ job, records, now, log }: JobRunOptions) {
  let waiting: JobLine[] = []
  let count = 0
  let writes: Promise<void> = Promise.resolve()
  let writtenAt = now()
  let timer: NodeJS.Timeout | undefined

  function write(what: string, run: () => Promise<void>): Promise<void> {
    writes = writes.then(run).catch((error: unknown) => {
      log.warn(`job ${what} not kept`, { job: job.id, code: toAppError(error).code })
    })
    return writes
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const lines = waiting
    waiting = []
    return lines.length === 0 ? writes : write('lines', () => records.addLines(job.id, lines))
  }

  return {
    flush,
    line({ at, source, text }: JobLine): void {
      count += 1
      if (count > jobLimits.lines) return
      const last = count === jobLimits.lines
      waiting.push(last ? { at, source: 'job', text: '…' } : { at, source, text: text.slice(0, jobLimits.text) })
      timer ??= setTimeout(() => void flush(), showEveryMs)
    },
    note(changed: Job): void {
      if (now() - writtenAt < writeEveryMs) return
      writtenAt = now()
      void write('progress', () => records.put(changed))
    },
    async finish(final: Job): Promise<void> {
      void flush()
      await write('end', () => records.put(final))
    },
  }
}
