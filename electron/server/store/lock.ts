import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../base/app-error.ts'

// The lock itself is the operating system's, held by the store worker on `lock.db` (store.worker.ts): a kill -9 frees
// it and a reused process id cannot hold it. This file only tells people who has it.

export const lockPath = (dir: string): string => join(dir, 'lock.db')
const holderPath = (dir: string): string => join(dir, 'server.pid')

export async function writeHolder(dir: string): Promise<void> {
  await writeFile(holderPath(dir), `${process.pid}\n`, { mode: 0o600 })
}

/** The polite refusal of a second instance. */
export async function alreadyRunning(dir: string): Promise<AppError> {
  const text = await readFile(holderPath(dir), 'utf8').catch(() => '')
  const pid = /^\d{1,10}$/.test(text.trim()) ? Number(text) : undefined
  const who = pid === undefined ? 'Another process' : `Process ${pid}`
  return new AppError('server-already-running', `${who} is using ${dir}`, pid === undefined ? {} : { details: { pid } })
}
