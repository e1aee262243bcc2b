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
    const secret = await readToken(options['token-file'], io)
    if (secret === undefined) throw new AppError('server-bad-usage', '--server needs --token-file or ROOST_TOKEN')
    return { url, secret }
  }
  const dataDir = options.data ?? io.env['ROOST_DATA'] ?? defaultDataDir(io.env)
  const running = readRunFile(dataDir)
  if (!running || !isAlive(running.pid)) throw new AppError('server-not-running', `No server runs for ${dataDir}`)
  return { url: running.loopback, secret: running.secret }
}

/**
 * The token of `--token-file`, else of ROOST_TOKEN; undefined without either. 'server-bad-usage' for a file that cannot
 * be read or holds anything else. What it holds is never repeated: that would print a secret.
 */
export async function readToken(file: string | undefined, io: Pick<CommandIo, 'env'>): Promise<string | undefined> {
  const given = file === undefined ? io.env['ROOST_TOKEN'] : await readWhole(file)
  if (given === undefined) return undefined
  const token = given.trim()
  if (!/^[\x21-\x7e]{1,512}$/.test(token)) {
    const where = file === undefined ? 'ROOST_TOKEN' : `--token-file ${file}`
    throw new AppError('server-bad-usage', `${where} has to hold one token and nothing else`)
  }
  return token
}

async function readWhole(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new AppError('server-bad-usage', `--token-file ${file} cannot be read`, { cause })
  }
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
