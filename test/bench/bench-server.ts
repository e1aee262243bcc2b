import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { connectRpc, type RpcClient } from '../../electron/server/rpc/rpc-client.ts'
import { readRunFile } from '../../electron/server/run-file.ts'
import { ownChild } from './own-child.ts'
import { threadCpuMs } from './process-cost.ts'

export interface BenchServer {
  readonly pid: number
  /** `https://127.0.0.1:PORT`, where boards connect. */
  readonly boardUrl: string
  /** The server's CA, PEM. */
  readonly ca: string
  readonly loopback: string
  /** The owner's secret of this run. */
  readonly secret: string
  readonly rpc: RpcClient
  /** From the start of the process to its ready line, ms of wall time. */
  readonly readyMs: number
  /** CPU ms of its main loop so far. */
  mainThreadMs(): number
  stop(): Promise<void>
}

const source = fileURLToPath(new URL('../../electron/cli/roost.ts', import.meta.url))
/** What people run; it is there once it was built. */
export const bundle = fileURLToPath(new URL('../../out/main/roost.js', import.meta.url))

/** `roost serve` in a process of its own, open to any board of this machine; its data goes with it. */
export async function startBenchServer({ program = source } = {}): Promise<BenchServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'roost-bench-'))
  const startedAt = performance.now()
  const args = ['--data', dataDir, '--host', '127.0.0.1', '--port', '0', '--loopback-port', '0', '--enrol', 'open']
  const child = spawn(process.execPath, [program, 'serve', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const owned = ownChild(child)
  const ended = once(child, 'exit')
  const ready = await readyLine(child.stdout, ended)
  const readyMs = performance.now() - startedAt
  const run = readRunFile(dataDir)
  const pid = child.pid
  if (!run || pid === undefined) throw new Error('The server left no run file')
  const connection = await connectRpc({ url: run.loopback, token: run.secret })
  return {
    pid,
    boardUrl: `https://127.0.0.1:${ready.ports.https}`,
    ca: readFileSync(ready.ca, 'utf8'),
    loopback: run.loopback,
    secret: run.secret,
    rpc: connection.client,
    readyMs,
    mainThreadMs: () => threadCpuMs(pid),
    async stop() {
      connection.close()
      await owned.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

interface Ready {
  readonly ca: string
  readonly ports: { readonly https: number }
}

async function readyLine(output: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<Ready> {
  const first = once(createInterface({ input: output }), 'line') as Promise<[string]>
  const early = ended.then(() => Promise.reject(new Error('The server ended before it was ready')))
  early.catch(() => undefined)
  const [line] = await Promise.race([first, early])
  return JSON.parse(line) as Ready
}
