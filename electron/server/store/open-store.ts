import { chmod, mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Kysely } from 'kysely'
import { AppError, isAppError } from '../../base/app-error.ts'
import { entryUrl } from '../../base/entries.ts'
import type { Log } from '../../base/log.ts'
import { createAccountStore } from './account-store.ts'
import { createApiClientStore } from './api-client-store.ts'
import { createCredentialStore } from './credential-store.ts'
import { createDeviceStore } from './device-store.ts'
import { createHelperStore } from './helper-store.ts'
import { createHistoryBuffer } from './history-writes.ts'
import { createImageStore } from './image-store.ts'
import { createJobStore } from './job-store.ts'
import { alreadyRunning, lockPath, writeHolder } from './lock.ts'
import { createMcpServerStore } from './mcp-server-store.ts'
import { createMetaStore } from './meta-store.ts'
import { historyMigrations, migrate, roostMigrations } from './migrations.ts'
import type { HistoryTables, RoostTables } from './schema.ts'
import { fillReserve, withReserve } from './reserve.ts'
import { createStoreDialect } from './store-dialect.ts'
import { openStoreLink, type StoreLink } from './store-link.ts'
import type { FileName, OpenOrder } from './store-protocol.ts'
import type { MetaStore, Store } from './store.ts'
import { createTelemetryStore } from './telemetry-store.ts'
import { createThingStore } from './thing-store.ts'
import { createToolCallStore } from './tool-call-store.ts'
import { createToolEditStore } from './tool-edit-store.ts'
import { createToolPolicyStore } from './tool-policy-store.ts'
import { createToolStore } from './tool-store.ts'
import { createTurnStore } from './turn-store.ts'

/** History that was not kept, or (null) that is kept again; `dropped` counts the rows lost since the store opened. */
export interface StoreTrouble {
  readonly code: AppError['code'] | null
  readonly dropped: number
}

export interface OpenStoreOptions {
  /** Made with mode 0700 when it is missing; the files in it are 0600 from the first byte. */
  readonly dir: string
  readonly log: Log
  /** Ceilings in pages of 4096 bytes, of the files' sizes; a write beyond is a full disk. */
  readonly limits?: { readonly historyMaxPages?: number; readonly configMaxPages?: number }
  readonly onTrouble?: (trouble: StoreTrouble) => void
  /** The worker's program, where it is not the usual one. */
  readonly entry?: URL
}

/**
 * Rejects with 'server-already-running' (message names the process), 'server-disk-full' or 'server-store-failed'.
 * After an unclean stop both files are checked. A broken history is set aside as `history-broken-TIME.db` and a new one
 * begun; a broken roost.db is an error.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { dir } = options
  const databases = { roost: join(dir, 'roost.db'), history: join(dir, 'history.db'), lock: lockPath(dir) }
  const paths = { ...databases, reserve: join(dir, 'reserve.bin') }
  await makeDataDir(dir)
  for (const path of Object.values(databases)) await makePrivate(path)
  const scene: Scene = { ...options, paths, log: options.log.child('store') }
  try {
    const store = await withReserve(scene.paths.reserve, () => openFiles(scene))
    await fillReserve(scene.paths.reserve)
    return store
  } catch (error) {
    if (isAppError(error, 'server-already-running')) throw await alreadyRunning(dir)
    if (!isBrokenHistory(error)) throw error
    await setAside(scene, error)
    return openFiles(scene)
  }
}

/**
 * Level by level: Node's recursive mkdir never returns where the parent is a folder of the kernel that takes none.
 * Throws 'server-bad-config' naming what stands in the way.
 */
async function makeDataDir(dir: string): Promise<void> {
  const found = await stat(dir).catch(() => undefined)
  if (found?.isDirectory()) return
  try {
    if (found) throw new Error('it is a file')
    if (dirname(dir) !== dir) await makeDataDir(dirname(dir))
    await mkdir(dir, { mode: 0o700 })
  } catch (cause) {
    // Two starts may make it at once.
    if ((await stat(dir).catch(() => undefined))?.isDirectory()) return
    if (isAppError(cause)) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('server-bad-config', `The data directory ${dir} cannot be made: ${reason}`, { cause })
  }
}

interface Scene extends OpenStoreOptions {
  readonly paths: Readonly<Record<FileName | 'lock' | 'reserve', string>>
}

async function openFiles(scene: Scene): Promise<Store> {
  const { dir, log, paths, limits = {} } = scene
  const files = {
    roost: { path: paths.roost, maxPages: limits.configMaxPages },
    history: { path: paths.history, maxPages: limits.historyMaxPages },
  }
  const open: OpenOrder = { do: 'open', lockPath: paths.lock, files }
  const link = await openStoreLink({ entry: scene.entry ?? entryUrl('store-worker'), open, log })
  try {
    await writeHolder(dir)
    const roost = new Kysely<RoostTables>({ dialect: createStoreDialect(link, 'roost') })
    const history = new Kysely<HistoryTables>({ dialect: createStoreDialect(link, 'history') })
    await migrate(roost, 'roost', roostMigrations)
    const meta = createMetaStore(roost)
    const lastStop = await noteStart(meta)
    if (lastStop === 'unclean') await check(link, scene)
    await migrate(history, 'history', historyMigrations)
    return assemble({ roost, history, meta, link, scene })
  } catch (error) {
    await link.close().catch(() => undefined)
    throw error
  }
}

/** SQLite gives its -wal and -shm files the mode of the database, so the mode is right before SQLite sees the file. */
async function makePrivate(path: string): Promise<void> {
  const file = await open(path, 'a', 0o600)
  await file.close()
  await chmod(path, 0o600)
}

/** Returns what the stop before was, and notes that a server runs now. */
async function noteStart(meta: MetaStore): Promise<'first-start' | 'clean' | 'unclean'> {
  const before = await meta.get(runStateKey)
  const lastStop = before === undefined ? 'first-start' : before === 'stopped' ? 'clean' : 'unclean'
  await meta.set('lastStop', lastStop)
  await meta.set(runStateKey, 'running')
  return lastStop
}

const runStateKey = 'runState'

/** Reading a bigger history would keep the boards waiting over 5 s (reliability.md C 5); SQLite tells damage it meets. */
const checkedBytes = 600_000_000

async function check(link: StoreLink, { log, paths }: Scene): Promise<void> {
  for (const file of ['roost', 'history'] as const) {
    if (file === 'history' && (await stat(paths[file])).size > checkedBytes) continue
    const startedAt = performance.now()
    const { rows } = await link.send({ do: 'check', file })
    if (rows.length !== 1 || rows[0] !== 'ok') {
      throw new AppError('server-store-failed', `${file}.db is damaged: ${rows.join('; ')}`, {
        details: { sqlite: 'SQLITE_CORRUPT', file },
      })
    }
    log.info('checked after an unclean stop', { file, ms: Math.round(performance.now() - startedAt) })
  }
}

function isBrokenHistory(error: unknown): boolean {
  if (!isAppError(error)) return false
  return error.details['file'] === 'history' && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.details['sqlite']))
}

async function setAside({ dir, log, paths }: Scene, error: unknown): Promise<void> {
  const aside = join(dir, `history-broken-${Date.now()}.db`)
  log.error('history.db is broken; a new one is begun', { error, aside })
  for (const end of ['-wal', '-shm', '']) await rename(paths.history + end, aside + end).catch(ignoreMissing)
  await makePrivate(paths.history)
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

interface Parts {
  readonly roost: Kysely<RoostTables>
  readonly history: Kysely<HistoryTables>
  readonly meta: MetaStore
  readonly link: StoreLink
  readonly scene: Scene
}

function assemble({ roost, history, meta, link, scene }: Parts): Store {
  const buffer = createHistoryBuffer(history, createDropReport(scene))
  const turns = createTurnStore(history, buffer)
  const telemetry = createTelemetryStore(history, buffer)
  const roomFor = <T>(work: () => Promise<T>) => withReserve(scene.paths.reserve, work)
  // All that is committed is safe in the log of the file, so an end on a full disk is an end all the same.
  const warn = (error: unknown) => scene.log.warn('the store did not end cleanly', { error })
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    await buffer.flush()
    await meta.set(runStateKey, 'stopped').catch(warn)
    await link.close().catch(warn)
  }

  return {
    devices: createDeviceStore(roost),
    credentials: createCredentialStore(roost),
    accounts: createAccountStore(roost),
    tools: createToolStore(roost),
    toolEdits: createToolEditStore(roost),
    toolPolicies: createToolPolicyStore(roost),
    helpers: createHelperStore(roost),
    things: createThingStore(roost, history, buffer),
    toolCalls: createToolCallStore(history, buffer),
    turns: { ...turns, prune: (before) => roomFor(() => turns.prune(before)) },
    telemetry: {
      ...telemetry,
      prune: (before) => roomFor(() => telemetry.prune(before)),
      forget: (deviceId) => roomFor(() => telemetry.forget(deviceId)),
    },
    jobs: createJobStore(roost),
    images: createImageStore(roost),
    mcpServers: createMcpServerStore(roost),
    apiClients: createApiClientStore(roost),
    meta,
    async sizeBytes() {
      const files = [scene.paths.roost, scene.paths.history].flatMap((path) => [path, `${path}-wal`, `${path}-shm`])
      const sizes = await Promise.all(files.map((path) => stat(path).then(sizeOf, () => 0)))
      return sizes.reduce((sum, size) => sum + size, 0)
    },
    close: () => (closing ??= close()),
  }
}

const sizeOf = ({ size }: { size: number }): number => size

/** Tells the log and the console once that history is not kept, and once that it is again; in between only counts. */
function createDropReport({ log, onTrouble }: Scene) {
  let dropped = 0
  let code: AppError['code'] | null = null
  return {
    dropped(rows: number, error: AppError) {
      dropped += rows
      if (code !== error.code) log.error('history is not kept', { code: error.code, error })
      code = error.code
      onTrouble?.({ code, dropped })
    },
    kept() {
      if (code === null) return
      code = null
      log.info('history is kept again', { dropped })
      onTrouble?.({ code, dropped })
    },
  }
}
