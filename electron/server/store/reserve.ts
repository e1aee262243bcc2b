import { open, rm, stat } from 'node:fs/promises'
import { isAppError } from '../../base/app-error.ts'

// On a full disk even deleting needs room, for the log of what is deleted, and so does opening. A file that holds some
// back is given up for that (reliability.md C 50), and made again at the next start that finds room.

const reserveBytes = 8 << 20

/** Real blocks, not a hole. A disk without room for it has none to hold back: then there is no reserve. */
export async function fillReserve(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  if (size >= reserveBytes) return
  try {
    const file = await open(path, 'w', 0o600)
    try {
      await file.writeFile(new Uint8Array(reserveBytes))
    } finally {
      await file.close()
    }
  } catch {
    await rm(path, { force: true })
  }
}

/** Runs the work again with the reserve given up when the disk was full. */
export async function withReserve<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isAppError(error, 'server-disk-full')) throw error
    await rm(path, { force: true })
    return work()
  }
}
