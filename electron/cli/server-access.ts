import { AppError } from '../base/app-error.ts'
import { readRunFile } from '../server/run-file.ts'
import { defaultDataDir } from '../server/config.ts'
import type { CommandIo } from './command.ts'
import { readFile } from 'node:fs/promises'

/** Where a command finds its server (contracts §1): named by option or environment, else the one of a data directory. */
export interface ServerAddress {
  readonly url: string
  readonly secret: string
}

export async function findServer(
  options: { server?: string | undefined; 'token-file'?: string | undefined; data?: string | undefined },
  io: CommandIo,
): Promise<ServerAddress> {
  const url = options.server ?? io.env['ROOST_SERVER']
  if (url !== undefined) {
    const file = options['token-file']
    const secret = file === undefined ? io.env['ROOST_TOKEN'] : (await readFile(file, 'utf8')).trim()
    if (secret === undefined) throw new AppError('server-bad-usage', '--server needs --token-file or ROOST_TOKEN')
    return { url, secret }
  }
  const dataDir = options.data ?? io.env['ROOST_DATA'] ?? defaultDataDir(io.env)
  const running = readRunFile(dataDir)
  if (!running || !isAlive(running.pid)) throw new AppError('server-not-running', `No server runs for ${dataDir}`)
  return { url: running.loopback, secret: running.secret }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user refuses the signal, which proves that it lives.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
