import { parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'
import {
  type FileName,
  type FileOrder,
  lockedCode,
  type OpenOrder,
  type StoreAnswer,
  type StoreReply,
  type StoreRequest,
} from './store-protocol.ts'

// The thread that owns both SQLite files, and the only importer of better-sqlite3. It is ended by its 'close' message,
// never by terminate(): a thread must not be cut inside a native call (architecture.md §1).

interface OpenFile {
  readonly db: Database.Database
  readonly statements: Map<string, Database.Statement>
}

const oldestSqlite = [3, 51, 3] as const
const cachedStatements = 200
const files = new Map<FileName, OpenFile>()
let lock: Database.Database | undefined

const empty: StoreAnswer = { rows: [], changes: 0, insertId: 0 }

function fail(code: string, message: string): never {
  throw Object.assign(new Error(message), { code })
}

/** Before 3.51.3 a checkpoint that races a restart of the log can lose commits (reliability.md C 3). */
function assertVersion(db: Database.Database): void {
  const version = String(db.prepare('select sqlite_version()').pluck().get())
  const parts = version.split('.').map(Number)
  const first = oldestSqlite.findIndex((part, index) => part !== parts[index])
  if (first >= 0 && (parts[first] ?? 0) < (oldestSqlite[first] ?? 0)) {
    fail('ROOST_VERSION', `SQLite ${version} is older than ${oldestSqlite.join('.')}`)
  }
}

/**
 * An exclusive lock of the operating system on a file of its own: it ends with the process however that ends, and a
 * process id that came round again cannot look like a holder. Nothing else may open the file in this process, since
 * POSIX drops a lock when any descriptor of its file is closed.
 */
function takeLock(path: string): void {
  if (lock) return
  const db = new Database(path, { timeout: 0 })
  try {
    assertVersion(db)
    db.exec('begin exclusive')
    lock = db
  } catch (error) {
    db.close()
    if (codeOf(error).startsWith('SQLITE_BUSY')) fail(lockedCode, 'The lock file is held')
    throw error
  }
}

function openFile(name: FileName, order: FileOrder): OpenFile {
  const db = new Database(order.path)
  try {
    db.pragma('journal_mode = WAL')
    // After WAL and at every open: this build falls back to NORMAL on a file that already is WAL (reliability.md §0.4).
    db.pragma(`synchronous = ${name === 'roost' ? 'FULL' : 'NORMAL'}`)
    db.pragma('foreign_keys = ON')
    // Deleted words are overwritten, not only unlinked (reliability.md C 59).
    db.pragma('secure_delete = ON')
    if (order.maxPages !== undefined) db.pragma(`max_page_count = ${Math.trunc(order.maxPages)}`)
    const mode = String(db.pragma('journal_mode', { simple: true }))
    const synchronous = Number(db.pragma('synchronous', { simple: true }))
    const wanted = name === 'roost' ? 2 : 1
    if (mode !== 'wal' || synchronous !== wanted) {
      fail('ROOST_PRAGMA', `journal_mode is ${mode} and synchronous ${synchronous}, expected wal and ${wanted}`)
    }
    return { db, statements: new Map() }
  } catch (error) {
    db.close()
    throw Object.assign(new Error(messageOf(error), { cause: error }), { code: codeOf(error), file: name })
  }
}

function open(order: OpenOrder): StoreAnswer {
  takeLock(order.lockPath)
  for (const name of ['roost', 'history'] as const) {
    if (!files.has(name)) files.set(name, openFile(name, order.files[name]))
  }
  return empty
}

function fileNamed(name: FileName): OpenFile {
  return files.get(name) ?? fail('ROOST_CLOSED', 'The file is not open')
}

/** Preparing costs as much as running a small query; the least recently used statement goes first. */
function statementFor(file: OpenFile, sql: string): Database.Statement {
  const known = file.statements.get(sql)
  if (known) {
    file.statements.delete(sql)
    file.statements.set(sql, known)
    return known
  }
  const made = file.db.prepare(sql)
  if (!/^\s*(select|insert|update|delete|begin|commit|rollback)\b/i.test(sql)) return made
  for (const oldest of file.statements.keys()) {
    if (file.statements.size < cachedStatements) break
    file.statements.delete(oldest)
  }
  file.statements.set(sql, made)
  return made
}

function query(file: OpenFile, sql: string, parameters: readonly unknown[]): StoreAnswer {
  const statement = statementFor(file, sql)
  if (statement.reader) return { ...empty, rows: statement.all(...parameters) }
  const { changes, lastInsertRowid } = statement.run(...parameters)
  return { rows: [], changes, insertId: Number(lastInsertRowid) }
}

function close(): StoreAnswer {
  let failure: Error | undefined
  for (const { db } of files.values()) {
    try {
      if (db.inTransaction) db.exec('rollback')
      db.pragma('wal_checkpoint(TRUNCATE)')
    } catch (error) {
      // A full disk: what is committed stays in the log, and the next open reads it there.
      failure ??= Object.assign(new Error(messageOf(error)), { code: codeOf(error) })
    }
    db.close()
  }
  files.clear()
  lock?.close()
  lock = undefined
  if (failure) throw failure
  return empty
}

function answer(request: StoreRequest): StoreAnswer {
  switch (request.do) {
    case 'open':
      return open(request)
    case 'query':
      return query(fileNamed(request.file), request.sql, request.parameters)
    case 'check':
      return { ...empty, rows: fileNamed(request.file).db.prepare('pragma quick_check(5)').pluck().all() }
    case 'close':
      return close()
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'ROOST_UNKNOWN'
}

function fileOf(error: unknown): FileName | undefined {
  if (!(error instanceof Error) || !('file' in error)) return undefined
  return error.file === 'history' ? 'history' : 'roost'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

parentPort?.on('message', (request: StoreRequest) => {
  let reply: StoreReply
  try {
    reply = { id: request.id, answer: answer(request) }
  } catch (error) {
    const file = 'file' in request ? request.file : fileOf(error)
    reply = { id: request.id, error: { code: codeOf(error), message: messageOf(error), file } }
  }
  parentPort?.postMessage(reply)
  if (request.do === 'close') parentPort?.close()
})
