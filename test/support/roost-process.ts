import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { environment } from '../../electron/cli/environment.ts'

const program = fileURLToPath(new URL('../../electron/cli/roost.ts', import.meta.url))

export interface RoostProgram {
  readonly child: ChildProcess
  readonly pid: number
  readonly out: string[]
  readonly err: string[]
  /** Complete lines of standard output that are JSON. */
  events(): Record<string, unknown>[]
  /** Waits for a JSON line that passes; rejects when the program ends before it. */
  line(passes: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>
  write(text: string): void
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** One `roost` command as a process of its own; killed with the test. */
export function runRoost(
  args: readonly string[],
  options: { stdin?: string; env?: Record<string, string> } = {},
): RoostProgram {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...environment(), NODE_OPTIONS: '', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  const err: string[] = []
  const out: string[] = []
  child.stdin.on('error', () => undefined)
  if (options.stdin !== undefined) child.stdin.end(options.stdin)
  child.stderr.setEncoding('utf8').on('data', (part: string) => void err.push(part))
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    out.push(...lines)
    child.emit('lines')
  })
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }))
  const events = () =>
    out.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []))

  return {
    child,
    pid: child.pid ?? 0,
    out,
    err,
    events,
    async line(passes) {
      for (;;) {
        const found = events().find(passes)
        if (found) return found
        const more = await Promise.race([once(child, 'lines').then(() => true), ended.then(() => false)])
        if (!more && !events().some(passes))
          throw new Error(`roost ${args[0] ?? ''} ended:\n${out.join('\n')}\n${err.join('')}`)
      }
    },
    write: (line) => void child.stdin.write(line),
    ended,
  }
}

export type RoostProcess = Awaited<ReturnType<typeof serveRoost>>

/** `roost serve` on free ports of loopback (or those given), ready. */
export async function serveRoost(
  dataDir: string,
  options: { https?: number; loopback?: number; args?: readonly string[]; stdin?: string } = {},
) {
  const { https = 0, loopback = 0, args = ['--enrol', 'open'], ...rest } = options
  const ports = ['--host', '127.0.0.1', '--port', String(https), '--loopback-port', String(loopback)]
  const started = runRoost(['serve', '--data', dataDir, ...ports, ...args], { ...rest, env: { ROOST_LOG: 'debug' } })
  const ready = await started.line((line) => line['ready'] === true)
  const found = ready['ports'] as { https: number; loopback: number }
  return {
    ...started,
    dataDir,
    ready,
    ports: found,
    url: `https://127.0.0.1:${found.https}`,
    loopback: String(ready['loopback']),
    ca: await readFile(String(ready['ca']), 'utf8'),
  }
}
