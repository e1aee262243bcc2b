import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from '@playwright/test'
import type { DialogRow } from './standin/dialogs.ts'
import type { Desk, OrderAnswer, Orders } from './standin/driver.ts'

const boot = fileURLToPath(new URL('./standin/boot.ts', import.meta.url))

/** The folder with package.json and out/: what `electron .` would be started with. */
export const sourceTree = fileURLToPath(new URL('../../', import.meta.url))

const windowPatienceMs = 60_000

export interface DesktopOptions {
  readonly appDir?: string
  /** Kept by the caller when given, else a new one that goes with the app. */
  readonly dataDir?: string
  readonly args?: readonly string[]
}

export interface DesktopApp {
  readonly dataDir: string
  readonly pid: number
  /** Exit code of the main process. */
  readonly exit: Promise<number | null>
  desk(): Promise<Desk>
  order<K extends keyof Orders>(name: K, input: Parameters<Orders[K]>[0]): Promise<Awaited<ReturnType<Orders[K]>>>
  /** The window's page, as Playwright drives any page. */
  page(): Promise<Page>
  output(): string
  /** Told of every dialog as it appears: after the app's end nobody can ask for them. */
  onDialog(listener: (row: DialogRow) => void): void
  /** Every process of this app that still runs, Chromium and its helpers included. */
  processes(): readonly number[]
  /** Ends what is left. */
  stop(): Promise<void>
}

/** Starts the built bundle under the stand-in: main as it is, on free ports and a data directory of its own. */
export async function startDesktop(options: DesktopOptions = {}): Promise<DesktopApp> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'roost-desktop-'))
  const mark = randomUUID()
  const ports = ['--port', '0', '--loopback-port', '0']
  const args = [boot, options.appDir ?? sourceTree, '--data', dataDir, ...(options.args ?? ports)]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ROOST_STANDIN_RUN: mark, NODE_NO_WARNINGS: '1' },
  })
  const link = createLink(child)
  let browser: Browser | undefined
  async function connect(): Promise<Browser> {
    browser ??= await chromium.connectOverCDP(await link.endpoint)
    return browser
  }
  return {
    dataDir,
    pid: child.pid ?? 0,
    exit: link.exit,
    desk: () => link.order('read', undefined) as Promise<Desk>,
    order: (name, input) => link.order(name, input) as never,
    async page() {
      const [context] = (await connect()).contexts()
      if (!context) throw new Error('the browser has no context')
      const opened = context.pages()[0] ?? context.waitForEvent('page', { timeout: windowPatienceMs })
      return Promise.resolve(opened).catch((cause: unknown) => {
        throw new Error(`no window came:\n${link.output()}`, { cause })
      })
    },
    output: link.output,
    onDialog: link.onDialog,
    processes: () => processesOf(mark),
    async stop() {
      await browser?.close().catch(() => undefined)
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await link.exit
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function createLink(child: ChildProcess) {
  const endpoint = Promise.withResolvers<string>()
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let text = ''
  const dialogs = new EventEmitter()
  let nextId = 1
  const collect = (part: string) => void (text = (text + part).slice(-200_000))
  child.stdout?.setEncoding('utf8').on('data', collect)
  child.stderr?.setEncoding('utf8').on('data', collect)
  child.on('message', (message: { endpoint: string } | { dialog: DialogRow } | OrderAnswer) => {
    if ('dialog' in message) return dialogs.emit('dialog', message.dialog)
    if ('endpoint' in message) return endpoint.resolve(message.endpoint)
    const answer = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.ok) answer?.resolve(message.value)
    else answer?.reject(new Error(message.error))
  })
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  const ended = async () => {
    const error = new Error(`main ended with ${String(await exit)}:\n${text}`)
    endpoint.reject(error)
    for (const answer of waiting.values()) answer.reject(error)
  }
  // Told to whoever waits; when nobody does, the exit code is what a test looks at.
  endpoint.promise.catch(() => undefined)
  void ended()
  return {
    endpoint: endpoint.promise,
    exit,
    output: () => text,
    onDialog: (listener: (row: DialogRow) => void) => void dialogs.on('dialog', listener),
    order(order: keyof Orders, input: unknown): Promise<unknown> {
      const id = nextId
      nextId += 1
      const answer = Promise.withResolvers<unknown>()
      waiting.set(id, answer)
      child.send({ id, order, input }, (error) => {
        if (error) answer.reject(error)
      })
      return answer.promise
    },
  }
}

/** By a mark in the environment, which every descendant inherits, whatever group or session it moved to. */
function processesOf(mark: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => environmentOf(pid).includes(mark)).map(Number)
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}
