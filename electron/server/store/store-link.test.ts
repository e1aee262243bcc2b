import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import { openStoreLink } from './store-link.ts'
import type { OpenOrder, StoreFailure } from './store-protocol.ts'

const open: OpenOrder = { do: 'open', lockPath: '', files: { roost: { path: '' }, history: { path: '' } } }

/** A worker that opens and closes well, and meets one error of SQLite in every query. */
async function linkThatMeets(code: string) {
  const error: StoreFailure = { code, message: 'from SQLite', file: 'history' }
  const program = `
    import { parentPort } from 'node:worker_threads'
    const answer = { rows: [], changes: 0, insertId: 0 }
    parentPort.on('message', (request) => {
      parentPort.postMessage(request.do === 'query' ? { id: request.id, error: ${JSON.stringify(error)} } : { id: request.id, answer })
      if (request.do === 'close') parentPort.close()
    })`
  const entry = new URL(`data:text/javascript,${encodeURIComponent(program)}`)
  const link = await openStoreLink({ entry, open, log: silentLog })
  onTestFinished(() => link.close())
  return link
}

// A disk without a block left shows itself in two ways: of the file, and of the shared index of its log.
test.each([
  ['SQLITE_FULL', 'server-disk-full'],
  ['SQLITE_IOERR_SHMSIZE', 'server-disk-full'],
  ['SQLITE_IOERR_WRITE', 'server-store-failed'],
  ['SQLITE_CORRUPT', 'server-store-failed'],
])('%s is told as %s, with what SQLite called it', async (sqlite, code) => {
  const link = await linkThatMeets(sqlite)
  await expect(link.send({ do: 'query', file: 'history', sql: 'select 1', parameters: [] })).rejects.toMatchObject({
    code,
    details: { sqlite, file: 'history' },
  })
})
