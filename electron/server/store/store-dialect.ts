import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { AppError } from '../../base/app-error.ts'
import type { StoreLink } from './store-link.ts'
import type { FileName } from './store-protocol.ts'

/**
 * Kysely over the worker's messages, one connection a file. Kysely lends a single connection to one query or one
 * transaction at a time (its adapter says so), which is the mutex: nothing else slips into an open transaction.
 */
export function createStoreDialect(link: StoreLink, file: FileName): Dialect {
  return {
    createAdapter: () =>
      Object.defineProperty(new SqliteAdapter(), 'supportsTransactionalDdl', {
        // SQLite has it; the stock adapter says no, and a failing migration would leave half its tables.
        get: () => true,
      }),
    createDriver: () => createDriver(link, file),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function createDriver(link: StoreLink, file: FileName): Driver {
  let transaction: number | undefined

  async function executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (transaction !== undefined && transaction !== link.generation) {
      throw new AppError('server-store-failed', 'The store worker was replaced during a transaction')
    }
    const answer = await link.send({ do: 'query', file, sql, parameters: parameters.map(bindable) })
    return {
      // The row type is the caller's promise, as in every Kysely driver.
      rows: answer.rows as R[],
      numAffectedRows: BigInt(answer.changes),
      insertId: BigInt(answer.insertId),
    }
  }

  const connection: DatabaseConnection = {
    executeQuery,
    async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      yield await executeQuery<R>(query)
    },
  }
  const run = (sql: string) => executeQuery(CompiledQuery.raw(sql))

  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    async beginTransaction() {
      // Immediate: a lock that cannot be had fails here and not in the middle.
      await run('begin immediate')
      transaction = link.generation
    },
    async commitTransaction() {
      await run('commit')
      transaction = undefined
    },
    async rollbackTransaction() {
      const lost = transaction !== link.generation
      transaction = undefined
      // SQLite may have rolled back by itself (a full disk), and a replaced worker has nothing to roll back.
      if (!lost) await run('rollback').catch(() => undefined)
    },
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  }
}

function bindable(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value
}
