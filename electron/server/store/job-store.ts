import type { Kysely } from 'kysely'
import type { Job, JobLine } from '../../contract/job.ts'
import type { RoostTables } from './schema.ts'
import type { JobStore } from './store.ts'

export function createJobStore(db: Kysely<RoostTables>): JobStore {
  return {
    async put(job) {
      const rest = { started_at: job.startedAt, state: job.state, body: JSON.stringify(job) }
      await db
        .insertInto('jobs')
        .values({ id: job.id, ...rest })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
        .execute()
    },
    async all(limit) {
      const rows = await db
        .selectFrom('jobs')
        .select('body')
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      // Written by put.
      return rows.map((row) => JSON.parse(row.body) as Job)
    },
    addLines: (jobId, lines) => addLines(db, jobId, lines),
    async lines(jobId, after, limit) {
      const rows = await db
        .selectFrom('job_lines')
        .select(['seq', 'at', 'source', 'text'])
        .where('job_id', '=', jobId)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .execute()
      return { lines: rows.map(({ at, source, text }) => ({ at, source, text })), next: rows.at(-1)?.seq ?? after }
    },
    async prune(keep) {
      const old = db
        .selectFrom('jobs')
        .select('id')
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(-1)
        .offset(keep)
      await db.deleteFrom('jobs').where('state', '!=', 'running').where('id', 'in', old).execute()
    },
  }
}

async function addLines(db: Kysely<RoostTables>, jobId: string, lines: readonly JobLine[]): Promise<void> {
  if (lines.length === 0) return
  await db.transaction().execute(async (trx) => {
    const { last } = await trx
      .selectFrom('job_lines')
      .select((of) => of.fn.max<number | null>('seq').as('last'))
      .where('job_id', '=', jobId)
      .executeTakeFirstOrThrow()
    const first = (last ?? 0) + 1
    const rows = lines.map((line, index) => ({ job_id: jobId, seq: first + index, ...line }))
    // SQLite takes 32,766 parameters a statement; a row has five.
    for (let from = 0; from < rows.length; from += 1000) {
      await trx
        .insertInto('job_lines')
        .values(rows.slice(from, from + 1000))
        .execute()
    }
  })
}
