import { MessageChannelMain, type MessagePortMain, type UtilityProcess, utilityProcess } from 'electron'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type EntryName, entryUrl } from '../base/entries.ts'
import type { Log } from '../base/log.ts'

/** Programs that a server may ask for: the allow-list of this side. */
const launchable = ['flasher', 'uart', 'vad', 'asr', 'tts', 'chip'] as const satisfies readonly EntryName[]

const FromServer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), loopback: z.url(), session: z.string() }),
  z.object({ type: z.literal('failed'), code: z.string(), message: z.string() }),
  z.object({ type: z.literal('jobs'), titles: z.array(z.string()) }),
  z.object({ type: z.literal('launch'), id: z.number(), entry: z.enum(launchable), args: z.array(z.string()) }),
  z.object({ type: z.literal('kill'), id: z.number(), hard: z.boolean() }),
])

export interface ServerReady {
  readonly loopback: string
  /** Signs the window in: a session of this start, so that the desktop app needs no account. */
  readonly session: string
}

export interface ServerHost {
  /** Titles of the jobs that run right now: quitting asks and names them. */
  readonly runningJobs: readonly string[]
  stop(): Promise<void>
}

interface HostOptions {
  readonly log: Log
  readonly options: Readonly<Record<string, unknown>>
  onReady(ready: ServerReady): void
  onFailed(failure: { code: string; message: string }): void
}

interface Inner extends HostOptions {
  server: UtilityProcess | undefined
  readonly children: Map<number, UtilityProcess>
  stopping: boolean
  runningJobs: readonly string[]
  /** Deaths in a row; a server that ran for a while starts from none. */
  restarts: number
  startedAt: number
  wasReady: boolean
}

const stopPatienceMs = 6_000
const longestRestartMs = 30_000
const soundAfterMs = 60_000
/** Without a window nobody sees a server that dies at every start: then it is said instead. */
const deathsBeforeReady = 3

/** Runs the server as a utility process, starts it again with a back-off when it dies, and starts what it asks for. */
export function startServerHost(options: HostOptions): ServerHost {
  const it: Inner = {
    ...options,
    server: undefined,
    children: new Map(),
    stopping: false,
    runningJobs: [],
    restarts: 0,
    startedAt: 0,
    wasReady: false,
  }
  startServer(it)
  return {
    get runningJobs() {
      return it.runningJobs
    },
    stop: () => stopServer(it),
  }
}

function startServer(it: Inner): void {
  const server = utilityProcess.fork(fileURLToPath(entryUrl('server')), [], {
    serviceName: 'roost server',
    stdio: 'inherit',
  })
  it.server = server
  it.startedAt = performance.now()
  server.on('message', (message: unknown) => receive(it, message))
  server.on('exit', (code) => {
    it.server = undefined
    it.runningJobs = []
    endChildren(it)
    if (!it.stopping) startAgain(it, code)
  })
  server.postMessage({ type: 'start', options: it.options })
}

function startAgain(it: Inner, code: number): void {
  if (performance.now() - it.startedAt > soundAfterMs) it.restarts = 0
  const waitMs = Math.min(longestRestartMs, 500 * 2 ** it.restarts)
  it.restarts += 1
  if (!it.wasReady && it.restarts >= deathsBeforeReady) {
    it.stopping = true
    it.onFailed({ code: 'server-internal', message: `The server ended ${it.restarts} times at its start (${code})` })
    return
  }
  it.log.error('server ended', { code, restartInMs: waitMs })
  setTimeout(() => {
    if (!it.stopping) startServer(it)
  }, waitMs)
}

function receive(it: Inner, data: unknown): void {
  const message = FromServer.safeParse(data).data
  if (!message) return
  switch (message.type) {
    case 'ready':
      it.wasReady = true
      return it.onReady(message)
    case 'failed':
      it.stopping = true
      return it.onFailed(message)
    case 'jobs':
      it.runningJobs = message.titles
      return
    case 'launch':
      return launch(it, message)
    case 'kill':
      return killChild(it, message)
  }
}

/** The ids are the server's own and start anew with the next server: what comes late must not be told to that one. */
function launch(it: Inner, order: { id: number; entry: EntryName; args: string[] }): void {
  const { server } = it
  const child = utilityProcess.fork(fileURLToPath(entryUrl(order.entry)), order.args, {
    serviceName: `roost ${order.entry}`,
    stdio: 'inherit',
  })
  it.children.set(order.id, child)
  const tell = (message: object, ports: MessagePortMain[] = []) => {
    if (it.server === server) server?.postMessage({ ...message, id: order.id }, ports)
  }
  child.on('spawn', () => {
    const { port1, port2 } = new MessageChannelMain()
    child.postMessage({ type: 'peer' }, [port1])
    tell({ type: 'launched', pid: child.pid }, [port2])
  })
  child.on('exit', (code) => {
    if (it.children.get(order.id) === child) it.children.delete(order.id)
    tell({ type: 'exited', code })
  })
}

function killChild(it: Inner, { id, hard }: { id: number; hard: boolean }): void {
  const child = it.children.get(id)
  if (!child) return
  if (!hard || child.pid === undefined) {
    child.kill()
    return
  }
  try {
    process.kill(child.pid, 'SIGKILL')
  } catch {
    // It ended by itself this very moment; its exit is told as ever.
  }
}

/** A server that is gone leaves no process behind. */
function endChildren(it: Inner): void {
  for (const child of it.children.values()) child.kill()
  it.children.clear()
}

async function stopServer(it: Inner): Promise<void> {
  it.stopping = true
  const { server } = it
  if (!server) return
  const ended = Promise.withResolvers<undefined>()
  server.on('exit', () => ended.resolve(undefined))
  const timer = setTimeout(() => {
    server.kill()
    ended.resolve(undefined)
  }, stopPatienceMs)
  server.postMessage({ type: 'stop' })
  await ended.promise
  clearTimeout(timer)
  endChildren(it)
}
