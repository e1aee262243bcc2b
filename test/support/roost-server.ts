import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'
import type { EntryName } from '../../electron/base/entries.ts'
import { type Child, createForkLauncher, type Launcher } from '../../electron/base/launcher.ts'
import { createLog, silentLog } from '../../electron/base/log.ts'
import { environment } from '../../electron/cli/environment.ts'
import type { Turn } from '../../electron/contract/conversation.ts'
import { readConfig, type ServerOptions } from '../../electron/server/config.ts'
import { createClaims } from '../../electron/server/devices/claims.ts'
import { hashSecret } from '../../electron/server/devices/secret.ts'
import { connectRpc, type RpcClient } from '../../electron/server/rpc/rpc-client.ts'
import { readRunFile } from '../../electron/server/run-file.ts'
import { createServer, type RoostServer } from '../../electron/server/server.ts'
import type { ServerSurroundings } from '../../electron/server/server-parts.ts'
import { openStore } from '../../electron/server/store/open-store.ts'
import { createVirtualBoard, type VirtualBoardOptions } from '../../electron/virtual/board/virtual-board.ts'
import type { BoardEvent } from '../../electron/virtual/board/board-events.ts'
import { ask, type AskOptions } from './network-rim.ts'

export async function freshDir(name = 'data'): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), `roost-${name}-`))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

/** Enrolment secrets of a data directory whose server does not run. */
export async function makeClaims(dataDir: string, plans: readonly { deviceId?: string; name?: string }[]) {
  const store = await openStore({ dir: dataDir, log: silentLog })
  const claims = createClaims({ credentials: store.credentials, now: Date.now })
  const made = await Promise.all(plans.map((plan) => claims.make(plan)))
  await store.close()
  return made
}

/** A board that is known, with a token of chosen times; the server of the directory must not run. */
export async function plantToken(
  dataDir: string,
  plant: { deviceId: string; token: string; issuedAt: number; expiresAt: number },
): Promise<void> {
  const store = await openStore({ dir: dataDir, log: silentLog })
  const { deviceId, token, issuedAt, expiresAt } = plant
  await store.credentials.issue({
    device: {
      id: deviceId,
      name: deviceId,
      board: 'bench',
      firmware: { name: 'bench', version: '1' },
      virtual: true,
      blocked: false,
      enrolledBy: 'claim',
      createdAt: issuedAt,
      lastSeenAt: issuedAt,
      lastAddress: '127.0.0.1',
    },
    token: {
      hash: hashSecret(token),
      deviceId,
      issuedAt,
      expiresAt,
      revokedAt: null,
      firstUsedAt: issuedAt,
      claimHash: null,
    },
    revoke: 'none',
    keep: 4,
  })
  await store.close()
}

export interface Launched {
  readonly entry: EntryName
  readonly child: Child
}

/** The product's launcher, and a list of what it started. */
function recordingLauncher(): { launcher: Launcher; launched: Launched[] } {
  const inner = createForkLauncher(environment())
  const launched: Launched[] = []
  return {
    launched,
    launcher: {
      async launch(entry, args) {
        const child = await inner.launch(entry, args)
        launched.push({ entry, child })
        return child
      },
    },
  }
}

export type RoostBench = Awaited<ReturnType<typeof startRoost>>

/** The whole server in this process: real sockets, store, threads and speech processes, on free ports of loopback. */
export async function startRoost(options: ServerOptions = {}, around: Pick<ServerSurroundings, 'wall'> = {}) {
  const dataDir = options.dataDir ?? (await freshDir())
  const logs: string[] = []
  const workers: Worker[] = []
  const noteWorker = (worker: Worker) => void workers.push(worker)
  process.on('worker', noteWorker)
  const { launcher, launched } = recordingLauncher()
  const config = readConfig(
    {
      host: '127.0.0.1',
      port: 0,
      loopbackPort: 0,
      enrol: 'open',
      logLevel: 'debug',
      codecWorkers: 1,
      ...options,
      dataDir,
    },
    {},
  )
  const log = createLog({ level: config.logLevel, target: { write: (line) => void logs.push(line) } })
  const server = await createServer(config, { log, launcher, ...around })
  const ca = await readFile(server.caPath, 'utf8')
  const url = `https://127.0.0.1:${server.ports.https}`
  const closers: (() => unknown)[] = []
  async function close() {
    process.off('worker', noteWorker)
    for (const end of closers.splice(0).reverse()) await end()
    await server.close()
  }
  onTestFinished(close)

  return {
    server,
    dataDir,
    logs,
    launched,
    /** Threads in the order of their start: the store's, then those of the codec. */
    workers,
    ca,
    url,
    loopback: server.loopbackUrl,
    rpc: () => openRpc(dataDir, closers),
    ask: (path: string, more: AskOptions = {}) => ask(`${url}${path}`, { ca, ...more }),
    board: (more: Partial<VirtualBoardOptions> = {}) => startBoard({ url, ca }, more, closers),
    isHealthy: () => isHealthy(server),
    close,
  }
}

/** The console's calls to the running server of a directory, whichever process it is. */
export async function rpcOf(dataDir: string): Promise<RpcClient> {
  const closers: (() => unknown)[] = []
  onTestFinished(() => closers.forEach((end) => end()))
  return openRpc(dataDir, closers)
}

async function openRpc(dataDir: string, closers: (() => unknown)[]): Promise<RpcClient> {
  const run = readRunFile(dataDir)
  if (!run) throw new Error('No run.json')
  const rpc = await connectRpc({ url: run.loopback, token: run.secret })
  closers.push(() => rpc.close())
  return rpc.client
}

/** A probe that takes longer than 1 s is a failure (reliability.md C 15); on a machine with other work, in proportion. */
async function isHealthy(server: Pick<RoostServer, 'loopbackUrl'>): Promise<boolean> {
  const patienceMs = Math.round(1_000 * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()))
  const answer = await fetch(`${server.loopbackUrl}/api/health`, { signal: AbortSignal.timeout(patienceMs) })
  return answer.status === 200 && ((await answer.json()) as { ok?: unknown }).ok === true
}

/** The board's own, without what the server lends it. */
export async function boardTools(client: RpcClient, deviceId: string) {
  return (await client.tools.ofDevice({ deviceId })).filter(
    ({ source }) => source === 'declared' || source === 'listed',
  )
}

export type BenchBoard = ReturnType<typeof startBoard>

/** A virtual board over real TLS, and all that it told. */
export function startBoard(
  server: { url: string; ca: string },
  more: Partial<VirtualBoardOptions> = {},
  closers: (() => unknown)[] = [],
) {
  const events: BoardEvent[] = []
  const board = createVirtualBoard({
    server,
    deviceId: 'board-1',
    telemetrySeconds: 0,
    ...more,
    onEvent(event) {
      events.push(event)
      more.onEvent?.(event)
    },
  })
  closers.push(() => board.stop())
  return {
    ...board,
    events,
    of: <E extends BoardEvent['event']>(name: E) =>
      events.filter((event): event is Extract<BoardEvent, { event: E }> => event.event === name),
  }
}

/** Follows the turns from now on; `ended(id)` waits for one (undefined: the next that ends). */
export async function followTurns(client: RpcClient, deviceId?: string) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const ended: Turn[] = []
  const events = await client.turns.watch(deviceId === undefined ? {} : { deviceId }, { signal: stop.signal })
  const seen: Turn[] = []
  let wake = Promise.withResolvers<undefined>()
  void (async () => {
    for await (const { turn } of events) {
      seen.push(turn)
      if (turn.status !== 'running') ended.push(turn)
      wake.resolve(undefined)
      wake = Promise.withResolvers()
    }
  })().catch(() => undefined)
  return {
    seen,
    async ended(id?: string): Promise<Turn> {
      for (;;) {
        const at = ended.findIndex((turn) => id === undefined || turn.id === id)
        const found = at === -1 ? undefined : ended.splice(at, 1)[0]
        if (found) return found
        await wake.promise
      }
    },
  }
}
