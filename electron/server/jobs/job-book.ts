import { AppError } from '../../base/app-error.ts'
import { createLiveFeed, type LiveFeed } from '../../base/live-feed.ts'
import type { Job, JobEvent, JobKind } from '../../contract/job.ts'
import type { JobWork } from './job-run.ts'

export interface JobOrder {
  readonly kind: JobKind
  readonly title: string
  readonly work: JobWork
  /** Whether the same work may run again when it failed, was cancelled or parked. Default true. */
  readonly retryable?: boolean
}

export type StartAgain = (old: Job) => Promise<Job>

/** The newest jobs as the console sees them, and how each could be started again. */
export interface JobBook {
  readonly feed: LiveFeed<JobEvent>
  readonly retries: Map<JobKind, StartAgain>
  /** Enters or replaces the job and tells the watchers. */
  publish(job: Job): void
  /** What an ended job did; undefined when that was before this process, or must not be repeated. */
  order(id: string): JobOrder | undefined
  remember(id: string, order: JobOrder): void
  /** `retryable` depends on what this process can still do. */
  view(job: Job): Job
  /** Throws 'server-not-found'. */
  find(id: string): Job
  /** Newest first. */
  list(): Job[]
  /** Forgets all that ended but the newest `keep`. */
  trim(keep: number): void
}

export function createJobBook(found: readonly Job[]): JobBook {
  const jobs = new Map(found.map((job) => [job.id, job]))
  const orders = new Map<string, JobOrder>()
  const retries = new Map<JobKind, StartAgain>()
  const feed = createLiveFeed<JobEvent>()

  function view(job: Job): Job {
    const over = job.state !== 'running' && job.state !== 'done'
    return { ...job, retryable: over && (orders.has(job.id) || retries.has(job.kind)) }
  }

  const list = () => [...jobs.values()].toSorted((a, b) => b.startedAt - a.startedAt).map(view)

  return {
    feed,
    retries,
    view,
    list,
    publish(job) {
      jobs.set(job.id, job)
      feed.publish((revision) => ({ type: 'changed', revision, job: view(job) }))
    },
    order: (id) => orders.get(id),
    remember: (id, order) => void orders.set(id, order),
    find(id) {
      const job = jobs.get(id)
      if (!job) throw new AppError('server-not-found', `There is no job ${id.slice(0, 64)}`)
      return job
    },
    trim(keep) {
      for (const { id, state } of list().slice(keep)) {
        if (state === 'running') continue
        jobs.delete(id)
        orders.delete(id)
      }
    },
  }
}
