import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { environment } from '../../electron/cli/environment.ts'
import { connectRpc, type RpcClient } from '../../electron/server/rpc/rpc-client.ts'
import { readRunFile } from '../../electron/server/run-file.ts'

const program = fileURLToPath(new URL('../../out/main/roost.js', import.meta.url))

export const owner = { name: 'owner', password: 'a long enough password' } as const

export interface BundledServer {
  readonly loopback: string
  /** `https://localhost:PORT` */
  readonly https: string
  readonly caPath: string
  readonly dataDir: string
  /** Only without an owner. */
  readonly setupUrl: string | undefined
  readonly rpc: RpcClient
  close(): Promise<void>
}

/** The built program as a person starts it, on free ports, with an owner unless told; `npm run build` comes first. */
export async function startBundledServer(
  args: readonly string[] = [],
  { withOwner = true }: { withOwner?: boolean } = {},
): Promise<BundledServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'roost-page-'))
  const options = ['--data', dataDir, '--port', '0', '--loopback-port', '0', ...args]
  if (withOwner) options.push('--setup-password-stdin')
  const child = spawn(process.execPath, [program, 'serve', ...options], {
    env: { ...environment(), NODE_OPTIONS: '', ROOST_LOG: 'warn' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(owner.password)
  const ready = await firstLine(child)
  const run = readRunFile(dataDir)
  if (!run) throw new Error('the server left no run.json')
  const rpc = await connectRpc({ url: run.loopback, token: run.secret })
  return {
    loopback: run.loopback,
    https: `https://localhost:${ready.ports.https}`,
    caPath: ready.ca,
    dataDir,
    setupUrl: ready.setupUrl,
    rpc: rpc.client,
    async close() {
      rpc.close()
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

interface Ready {
  readonly ports: { readonly https: number }
  readonly ca: string
  readonly setupUrl?: string
}

async function firstLine(child: ChildProcess): Promise<Ready> {
  if (!child.stdout) throw new Error('no output')
  for await (const line of createInterface({ input: child.stdout })) {
    return JSON.parse(line) as Ready
  }
  throw new Error(`the server ended with ${String(child.exitCode)} before it was ready`)
}
