import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { UartLine } from '../../contract/uart.ts'
import { createLineRing } from './line-ring.ts'

const line = (seq: number): UartLine => ({
  seq,
  at: seq,
  from: 'mcu',
  raw: '',
  text: `第${seq}行`,
  kind: 'status',
  decoded: '',
  faults: [],
  turnId: null,
  latencyMs: null,
})
const limits = { inMemory: 10, perFile: 100, files: 3, fileBytes: 1_000_000 }

async function freshRing(given = limits) {
  const dir = join(await mkdtemp(join(tmpdir(), 'roost-ring-')), 'lines')
  onTestFinished(() => rm(join(dir, '..'), { recursive: true, force: true }))
  return { ring: createLineRing(dir, given), dir }
}
const seqs = async (page: Promise<UartLine[]>) => (await page).map(({ seq }) => seq)

test('pages come from memory and from disk as one list', async () => {
  const { ring } = await freshRing()
  for (let seq = 0; seq < 250; seq += 1) ring.add(line(seq))
  expect(await seqs(ring.page(null, 3))).toEqual([247, 248, 249])
  expect(await seqs(ring.page(242, 4))).toEqual([238, 239, 240, 241])
  expect(await seqs(ring.page(102, 4))).toEqual([98, 99, 100, 101])
  expect(await seqs(ring.page(2, 10))).toEqual([0, 1])
  expect((await ring.page(1, 1))[0]).toEqual(line(0))
  await ring.close()
})

test('the ring is bounded: the oldest file goes, and with the session all of them', async () => {
  const { ring, dir } = await freshRing()
  for (let seq = 0; seq < 450; seq += 1) ring.add(line(seq))
  expect(await seqs(ring.page(300, 200))).toEqual(Array.from({ length: 100 }, (_, at) => at + 200))
  await expect.poll(async () => (await readdir(dir)).length).toBe(3)
  await ring.close()
  expect(existsSync(dir)).toBe(false)
})

test('a file that is full of bytes is full', async () => {
  const { ring, dir } = await freshRing({ ...limits, fileBytes: 1_000 })
  for (let seq = 0; seq < 100; seq += 1) ring.add(line(seq))
  await expect.poll(async () => (await readdir(dir)).length).toBe(3)
  expect(ring.added).toBe(100)
  await ring.close()
})
