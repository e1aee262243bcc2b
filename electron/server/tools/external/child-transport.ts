import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { AppError } from '../../../base/app-error.ts'
import { isDeeperThan } from '../../../base/json-depth.ts'
import { createRateGuard } from '../../../base/rate-guard.ts'
import { createLineFeed } from './line-feed.ts'

export interface ChildProgram {
  readonly command: string
  readonly args: readonly string[]
  /** All that it gets: nothing of our own environment is added. */
  readonly env: Readonly<Record<string, string>>
  readonly directory: string | null
}

export interface LinkTransport extends Transport {
  /** Why it ended; undefined while it stands or after our own close. */
  failure(): AppError | undefined
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const politeMs = 1_000
const maxDepth = 64
const maxUnreadBytes = 4 * 1024 * 1024

/**
 * An MCP server as a child: a process group of its own, so that its children end with it, and no shell. The SDK's own
 * transport adds our environment, takes messages of 10 MiB and leaves grandchildren behind.
 */
export function createChildTransport(program: ChildProgram, onLine: (line: string) => void): LinkTransport {
  let child: Child | undefined
  let failure: AppError | undefined
  let ended = false

  function end(why: AppError | undefined): void {
    if (ended) return
    ended = true
    failure = why
    transport.onclose?.()
  }

  function listen(made: Child): void {
    const cut = (reason: string) => {
      end(new AppError('mcp-flooded', reason))
      killGroup(made, 'SIGKILL')
    }
    const onMessage = (message: JSONRPCMessage) => {
      if (!ended) transport.onmessage?.(message)
    }
    made.once('exit', (code, signal) => {
      // Now, while the number is still its own: what it started ends with it.
      killGroup(made, 'SIGKILL')
      end(new AppError('mcp-stopped', `The program ended with ${signal ?? `code ${String(code)}`}`))
    })
    made.stdin.on('error', () => undefined)
    readLines(made.stdout, createMessageReader({ onMessage, onLine, cut }), cut)
    readLines(made.stderr, onLine, cut)
  }

  const transport: LinkTransport = {
    failure: () => failure,
    async start() {
      const started = Promise.withResolvers<undefined>()
      const made = startChild(program)
      child = made
      made.once('spawn', () => started.resolve(undefined))
      made.once('error', (cause) => {
        failure ??= new AppError('mcp-not-started', `${program.command}: ${cause.message}`, { cause })
        started.reject(failure)
      })
      listen(made)
      await started.promise
    },
    async send(message) {
      if (!child || ended) throw new AppError('mcp-stopped', 'The program has ended')
      if (child.stdin.writableLength > maxUnreadBytes) {
        throw new AppError('tool-too-many', 'The MCP server does not read its calls')
      }
      child.stdin.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      end(undefined)
      if (child) await stopChild(child)
    },
  }
  return transport
}

async function stopChild(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.stdin.end()
  killGroup(child, 'SIGTERM')
  const timer = setTimeout(() => killGroup(child, 'SIGKILL'), politeMs)
  await gone
  clearTimeout(timer)
}

function readLines(stream: Readable, use: (line: string) => void, cut: (reason: string) => void): void {
  const feed = createLineFeed()
  let isCut = false
  stream.on('error', () => undefined)
  stream.on('data', (chunk: Buffer) => {
    if (isCut) return
    const lines = feed.read(chunk, performance.now())
    if (lines) {
      lines.forEach(use)
      return
    }
    isCut = true
    cut('It wrote a line of more than 1 MiB, 2,000 lines in a second, or 32 MiB in ten seconds')
  })
}

/** Programs print a greeting where only messages belong; a flood of such lines is another thing. */
function createMessageReader(to: {
  onMessage: (message: JSONRPCMessage) => void
  onLine: (line: string) => void
  cut: (reason: string) => void
}): (line: string) => void {
  const junk = createRateGuard({ limit: 200, windowMs: 10_000 })
  return (line) => {
    if (line.trim() === '') return
    const message = parse(line)
    if (message) {
      to.onMessage(message)
      return
    }
    to.onLine(line)
    if (junk.count(performance.now())) to.cut('It writes lines that are no messages')
  }
}

function startChild({ command, args, env, directory }: ChildProgram): Child {
  return spawn(command, [...args], {
    env: { ...env },
    ...(directory === null ? {} : { cwd: directory }),
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
}

function killGroup({ pid }: Child, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  if (process.platform === 'win32') {
    if (signal === 'SIGKILL') execFile('taskkill', ['/pid', String(pid), '/t', '/f'], () => undefined)
    return
  }
  try {
    process.kill(-pid, signal)
  } catch {
    // The whole group is gone.
  }
}

function parse(line: string): JSONRPCMessage | undefined {
  if (isDeeperThan(line, maxDepth)) return undefined
  try {
    return JSONRPCMessageSchema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
