import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AppError } from '../../base/app-error.ts'
import { silentLog } from '../../base/log.ts'
import type { Lane } from '../../contract/flash.ts'
import type { JobEvent } from '../../contract/job.ts'
import { openStore } from '../store/open-store.ts'
import { type JobContext, jobLimits } from './job-run.ts'
import { createJobs } from './jobs.ts'

async function setUp() {
  const dir = await mkdtemp(join(tmpdir(), 'roost-jobs-'))
  const store = await openStore({ dir, log: silentLog })
  onTestFinished(async () => {
    await store.close()
    await rm(dir, { recursive: true })
  })
  const open = () => createJobs({ store, now: Date.now, log: silentLog })
  return { store, open, jobs: await open() }
}

const lane = (port: string, bytesDone: number): Lane => ({
  port,
  phase: 'write',
  result: null,
  code: null,
  message: null,
  board: null,
  bytesDone,
  bytesTotal: 1000,
  bytesPerSecond: null,
  baud: null,
  degraded: false,
  retries: 0,
  sha256: null,
  startedAt: 1,
  endedAt: null,
})

const flash = (work: (job: JobContext) => Promise<void>) => ({
  kind: 'flash' as const,
  title: 'Flash two boards',
  work,
})
const untilStopped = ({ signal }: JobContext) =>
  new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))

test('a job shows its lanes, keeps its log and ends done', async () => {
  const { jobs, store } = await setUp()
  const job = await jobs.start(
    flash(async (context) => {
      context.lane(lane('A', 10))
      context.lane(lane('B', 20))
      context.lane(lane('A', 30))
      context.progress(0.5)
      context.line('chip', 'rst:0x1')
      context.line('job', 'x'.repeat(5000))
      context.setDevice('aa:bb')
    }),
  )
  expect(job).toMatchObject({ state: 'running', kind: 'flash', retryable: false })
  const ended = await jobs.wait(job.id)
  expect(ended).toMatchObject({ state: 'done', progress: 1, deviceId: 'aa:bb', retryable: false })
  expect(ended.lanes).toEqual([lane('A', 30), lane('B', 20)])
  expect((await store.jobs.all(1))[0]).toEqual(ended)
  const first = await jobs.log(job.id, 0)
  expect(first.lines.map(({ source, text }) => [source, text.length])).toEqual([
    ['chip', 7],
    ['job', 2000],
  ])
  expect(await jobs.log(job.id, first.next)).toEqual({ lines: [], next: 2 })
})

test('a failure keeps its code, and the same work can run again', async () => {
  const { jobs } = await setUp()
  let attempts = 0
  const order = flash(async () => {
    attempts += 1
    if (attempts === 1) throw new AppError('flash-unplugged', 'Port A is gone')
  })
  const job = await jobs.start(order)
  expect(await jobs.wait(job.id)).toMatchObject({
    state: 'failed',
    code: 'flash-unplugged',
    message: 'Port A is gone',
    retryable: true,
  })
  const again = await jobs.retry(job.id)
  expect(again.id).not.toBe(job.id)
  expect(await jobs.wait(again.id)).toMatchObject({ state: 'done' })
  await expect(jobs.retry(again.id)).rejects.toMatchObject({ code: 'server-bad-request' })
  await expect(jobs.retry('nobody')).rejects.toMatchObject({ code: 'server-not-found' })
  const once = await jobs.start({ ...flash(() => Promise.reject(new Error('no'))), retryable: false })
  expect(await jobs.wait(once.id)).toMatchObject({ state: 'failed', code: 'server-internal', retryable: false })
})

test('a cancelled job tells its work and ends cancelled; work that ends well before it notices is done', async () => {
  const { jobs } = await setUp()
  const job = await jobs.start(flash(untilStopped))
  jobs.cancel(job.id)
  expect(await jobs.wait(job.id)).toMatchObject({ state: 'cancelled', code: null, retryable: true })
  jobs.cancel(job.id)
  expect(jobs.get(job.id).state).toBe('cancelled')
  const late = await jobs.start(
    flash(({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve()))),
  )
  jobs.cancel(late.id)
  expect(await jobs.wait(late.id)).toMatchObject({ state: 'done' })
  expect(() => jobs.cancel('nobody')).toThrow(expect.objectContaining({ code: 'server-not-found' }))
})

test('the stop of the server parks what runs, also work that does not listen', async () => {
  const { jobs, open } = await setUp()
  const polite = await jobs.start(flash(untilStopped))
  const deaf = await jobs.start(flash(() => new Promise(() => undefined)))
  await jobs.park(20)
  await expect(jobs.start(flash(untilStopped))).rejects.toMatchObject({ code: 'server-store-closed' })
  const after = await open()
  for (const { id } of [polite, deaf]) {
    expect(after.get(id)).toMatchObject({ state: 'parked', code: 'server-job-parked', retryable: false })
    expect(after.get(id).endedAt).not.toBeNull()
  }
})

test('jobs of a killed process are parked at the next start, and their kind can start them again', async () => {
  const { jobs, open, store } = await setUp()
  const job = await jobs.start(flash(() => new Promise(() => undefined)))
  const after = await open()
  expect(after.get(job.id)).toMatchObject({ state: 'parked', code: 'server-job-parked' })
  expect((await store.jobs.all(1))[0]).toMatchObject({ state: 'parked' })
  await expect(after.retry(job.id)).rejects.toMatchObject({ code: 'server-bad-request' })
  after.onRetry('flash', (old) => after.start({ ...flash(async () => undefined), title: `${old.title} again` }))
  expect(after.get(job.id).retryable).toBe(true)
  expect(await after.retry(job.id)).toMatchObject({ title: 'Flash two boards again' })
  await jobs.park(0)
})

test('a watcher gets a snapshot, then merged changes with growing revisions', async () => {
  const { jobs } = await setUp()
  const before = await jobs.start(flash(async () => undefined))
  await jobs.wait(before.id)
  const watch = jobs.watch()
  const busy = await jobs.start(
    flash(async (context) => {
      for (let n = 0; n < 10_000; n += 1) context.lane(lane('A', n))
    }),
  )
  await jobs.wait(busy.id)
  const events: JobEvent[] = []
  for await (const event of watch) {
    events.push(event)
    if (event.type === 'changed' && event.job.state === 'done') break
  }
  expect(events).toMatchObject([
    { type: 'snapshot', jobs: [{ id: before.id, state: 'done' }] },
    { type: 'changed', job: { id: busy.id, state: 'done', lanes: [{ bytesDone: 9999 }] } },
  ])
  expect(events[1]!.revision).toBeGreaterThan(events[0]!.revision)
})

test('updates reach a quick watcher at most four times a second', async () => {
  const { jobs } = await setUp()
  const watch = jobs.watch()
  const seen: number[] = []
  const reading = (async () => {
    for await (const event of watch) {
      if (event.type !== 'changed') continue
      seen.push(event.job.lanes[0]?.bytesDone ?? -1)
      if (event.job.state !== 'running') return
    }
  })()
  let n = 0
  const startedAt = performance.now()
  const job = await jobs.start(
    flash(async (context) => {
      while (performance.now() - startedAt < 1200) {
        context.lane(lane('A', (n += 1)))
        await new Promise((resolve) => setImmediate(resolve))
      }
    }),
  )
  await jobs.wait(job.id)
  await reading
  expect(n).toBeGreaterThan(100)
  expect(seen.at(-1)).toBe(n)
  // Start and end, and one each 250 ms between.
  expect(seen.length).toBeGreaterThanOrEqual(4)
  expect(seen.length).toBeLessThanOrEqual(7)
})

test('the log of one job has an end', async () => {
  const { jobs } = await setUp()
  const job = await jobs.start(
    flash(async (context) => {
      for (let n = 0; n < jobLimits.lines + 500; n += 1) context.line('board', `line ${n}`)
    }),
  )
  await jobs.wait(job.id)
  let after = 0
  const texts: string[] = []
  for (;;) {
    const page = await jobs.log(job.id, after)
    if (page.lines.length === 0) break
    texts.push(...page.lines.map(({ text }) => text))
    after = page.next
  }
  expect(texts).toHaveLength(jobLimits.lines)
  expect(texts.slice(-2)).toEqual([`line ${jobLimits.lines - 2}`, '…'])
})

test('only the newest hundred jobs are kept', async () => {
  const { jobs, store } = await setUp()
  const running = await jobs.start(flash(untilStopped))
  for (let n = 0; n < 105; n += 1) await jobs.wait((await jobs.start(flash(async () => undefined))).id)
  expect(jobs.list().length).toBeLessThanOrEqual(102)
  expect(jobs.get(running.id).state).toBe('running')
  expect((await store.jobs.all(1000)).length).toBeLessThanOrEqual(102)
  await jobs.park()
})
