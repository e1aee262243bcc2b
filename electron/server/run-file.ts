import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** How programs on this machine find the running server of a data directory (contracts §1). The secret is the owner's. */
export const RunFile = z.object({ loopback: z.url(), pid: z.number().int(), secret: z.string().min(32) })
export type RunFile = z.infer<typeof RunFile>

const place = (dataDir: string) => join(dataDir, 'run.json')

/** 0600 from the first byte, and never half-written. */
export function writeRunFile(dataDir: string, loopback: string, secret: string): void {
  const draft = `${place(dataDir)}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, JSON.stringify({ loopback, pid: process.pid, secret }), { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, place(dataDir))
}

export function removeRunFile(dataDir: string): void {
  rmSync(place(dataDir), { force: true })
}

/** Undefined when no server left one, or it is damaged. A file of a killed server is returned too: ask its address. */
export function readRunFile(dataDir: string): RunFile | undefined {
  try {
    return RunFile.safeParse(JSON.parse(readFileSync(place(dataDir), 'utf8'))).data
  } catch {
    return undefined
  }
}
