import { open, rename, rm } from 'node:fs/promises'

/**
 * Writes the whole file or nothing, readable by its owner alone from the first byte (contracts.md §3): a new file with
 * that mode, on disk before it takes the name.
 */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.new`
  await rm(draft, { force: true })
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}
