import { access, mkdtemp, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AppError } from '../../base/app-error.ts'
import { fillReserve, withReserve } from './reserve.ts'

async function freshPath(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'roost-reserve-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  return join(dir, 'reserve.bin')
}

test('the reserve holds real blocks, and a short one is filled up', async () => {
  const path = await freshPath()
  await fillReserve(path)
  await truncate(path, 10)
  await fillReserve(path)
  const { size, blocks, mode } = await stat(path)
  expect([size, mode & 0o777]).toEqual([8 << 20, 0o600])
  expect(blocks * 512).toBeGreaterThanOrEqual(8 << 20)
})

test('work that finds the disk full runs again without the reserve; other failures do not touch it', async () => {
  const path = await freshPath()
  await fillReserve(path)
  const fail = () => Promise.reject(new AppError('server-store-failed', 'other'))
  await expect(withReserve(path, fail)).rejects.toMatchObject({ code: 'server-store-failed' })
  await access(path)
  const needsRoom = async () => {
    const full = await access(path).then(
      () => true,
      () => false,
    )
    if (full) throw new AppError('server-disk-full', 'no room')
    return 'deleted'
  }
  expect(await withReserve(path, needsRoom)).toBe('deleted')
})
