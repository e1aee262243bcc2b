import { randomUUID } from 'node:crypto'
import { AppError, toAppError } from '../../base/app-error.ts'
import { pause } from '../../base/deadline.ts'
import type { LiveItems } from '../../base/live-feed.ts'
import type { Log } from '../../base/log.ts'
import type { Job, JobEvent, JobKind, JobLine } from '../../contract/job.ts'
import { createJobBook, type JobBook, type JobOrder, type StartAgain } from './job-book.ts'
import { type JobRecords, type JobRun, startJobRun, stoppedPart } from './job-run.ts'

/** Operations over 2 s, owned by the server (architecture.md D11): they outlive the page that asked for them. */
export interface Jobs {
  /** Resolves once the job is recorded; its work runs from then on. Rejects when the store refuses it. */
  start(order: JobOrder): Promise<Job>
  /** Asks the work to end; nothing happens when it has. Throws 'server-not-found'. */
  cancel(id: string): void
  /**
   * A new job with the same work. After a restart the work is gone, and the kind's `onRetry` makes it anew. Rejects with
   * 'server-not-found', or 'server-bad-request' when the job runs or cannot be repeated.
   */
  retry(id: string): Promise<Job>
  /** How a kind of job is started again from its record alone. */
  onRetry(kind: JobKind, start: StartAgain): void
  /** Throws 'server-not-found'. */
  get(id: string): Job
  /** Newest first. */
  list(): Job[]
  /** Resolves with the job once it has ended. */
  wait(id: string): Promise<Job>
  /** A snapshot, then each change; changes of one job that wait are merged. Ended with 'server-overloaded' when slow. */
  watch(signal?: AbortSignal): LiveItems<JobEvent>
  /** Lines after the number `after` (0 = all), at most 500 a call; `next` is the next `after`. */
  log(id: string, after: number): Promise<{ lines: JobLine[]; next: number }>
  /** For the server's stop: running jobs end as 'parked', recorded. Work that does not end in `withinMs` is left behind. */
  park(withinMs?: number): Promise<void>
}

const keptJobs = 100
const linesPerCall = 500

export interface JobsOptions {
  readonly store: { readonly jobs: JobRecords }
  readonly now: () => number
  readonly log: Log
}

/** Jobs that a killed process left running become 'parked' before this resolves. */
export async function createJobs(options: JobsOptions): Promise<Jobs> {
  const records = options.store.jobs
  const book = createJobBook(await recover(records, options.now))
  const runs = new Map<string, JobRun>()
  const starter = createStarter(options, book, runs)

  return {
    start: (order) => starter.start(order),
    cancel: (id) => runs.get(book.find(id).id)?.stop('cancelled'),
    async retry(id) {
      const job = book.view(book.find(id))
      const order = book.order(id)
      const again = book.retries.get(job.kind)
      if (job.retryable && order) return starter.start(order)
      if (job.retryable && again) return again(job)
      throw new AppError('server-bad-request', `The job "${job.title}" cannot be repeated`)
    },
    onRetry: (kind, again) => void book.retries.set(kind, again),
    get: (id) => book.view(book.find(id)),
    list: () => book.list(),
    wait: async (id) => book.view((await runs.get(book.find(id).id)?.ended) ?? book.find(id)),
    watch: (signal) =>
      book.feed.subscribe(signal, {
        snapshot: (revision) => ({ type: 'snapshot', revision, jobs: book.list() }),
        key: (event) => (event.type === 'changed' ? event.job.id : undefined),
      }),
    async log(id, after) {
      await runs.get(book.find(id).id)?.flush()
      return records.lines(id, after, linesPerCall)
    },
    async park(withinMs = 3000) {
      starter.close()
      const running = [...runs.values()]
      for (const run of running) run.stop('parked')
      const all = Promise.all(running.map((run) => run.ended))
      const enough = new AbortController()
      await Promise.race([all, pause(withinMs, enough.signal)])
      enough.abort()
      for (const run of running) run.abandon()
      await all
      book.feed.close()
    },
  }
}

function createStarter({ store, now, log }: JobsOptions, book: JobBook, runs: Map<string, JobRun>) {
  const records = store.jobs
  const jobLog = log.child('jobs')
  let closed = false

  return {
    async start(order: JobOrder): Promise<Job> {
      const job = newJob(order, now())
      if (!closed) await records.put(job)
      // Asked again: the server may have begun to stop while the record was written.
      if (closed) throw new AppError('server-store-closed', 'The server is stopping')
      if (order.retryable ?? true) book.remember(job.id, order)
      const run = startJobRun({
        job,
        work: order.work,
        records,
        now,
        log: jobLog,
        publish: (next) => book.publish(next),
      })
      runs.set(job.id, run)
      book.publish(job)
      jobLog.info('started', { job: job.id, kind: job.kind })
      void run.ended.then(({ state, code }) => {
        runs.delete(job.id)
        jobLog.info('ended', { job: job.id, state, code })
      })
      book.trim(keptJobs)
      records.prune(keptJobs).catch((error: unknown) => {
        jobLog.warn('old jobs stay', { code: toAppError(error).code })
      })
      return book.view(job)
    },
    close() {
      closed = true
    },
  }
}

function newJob({ kind, title }: JobOrder, startedAt: number): Job {
  return {
    id: randomUUID(),
    kind,
    title: title.slice(0, 200),
    state: 'running',
    progress: null,
    lanes: [],
    deviceId: null,
    code: null,
    message: null,
    startedAt,
    endedAt: null,
    retryable: false,
  }
}

async function recover(records: JobRecords, now: () => number): Promise<Job[]> {
  const found = await records.all(keptJobs)
  return Promise.all(
    found.map(async (job) => {
      if (job.state !== 'running') return job
      const parked: Job = { ...job, ...stoppedPart('parked'), endedAt: now() }
      await records.put(parked)
      return parked
    }),
  )
}
