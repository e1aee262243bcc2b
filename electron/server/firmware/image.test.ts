import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampleApp, sampleBootloader, sampleMerged, sampleRows } from '../../../test/support/esp-image.ts'
import { readEspHeader, withFlashSize } from './esp-header.ts'
import { loadImage } from './image-file.ts'
import { readImage } from './image.ts'

const codes = (bytes: Uint8Array) => readImage(bytes).problems.map(({ code }) => code)

test('an app says its chip, version, project and the ELF it was built from', () => {
  const info = readImage(sampleApp())
  expect(info).toMatchObject({
    kind: 'app',
    chip: 'ESP32-S3',
    chipId: 9,
    flashSize: 16 * 1024 * 1024,
    flashMode: 'DIO',
    version: '1.2.3',
    project: 'sample',
    built: 'Jan  1 2026 12:00:00',
    idfVersion: 'v5.4.1',
    elfSha256: '5a'.repeat(32),
    problems: [],
  })
})

test('a bootloader, a table, a merged file and an ELF are told apart', () => {
  const merged = sampleMerged()
  const elf = Buffer.alloc(64)
  elf.write('\x7fELF', 0, 'latin1')
  elf[18] = 94
  expect(
    [sampleBootloader(), merged.subarray(0x8000, 0x8c00), merged, elf].map((bytes) => readImage(bytes).kind),
  ).toEqual(['bootloader', 'partition-table', 'merged', 'elf'])
  expect(readImage(merged)).toMatchObject({ version: '1.2.3', partitions: sampleRows, problems: [] })
})

test('cut off, a wrong checksum and a wrong hash are three different codes', () => {
  const app = sampleApp()
  const flipped = (at: number) => {
    const copy = Buffer.from(app)
    copy[at] = (copy[at] ?? 0) ^ 1
    return copy
  }
  expect(codes(app.subarray(0, 4000))).toEqual(['image-truncated'])
  expect(codes(app.subarray(0, app.length - 1))).toEqual(['image-truncated'])
  expect(codes(flipped(0x1000))).toEqual(['image-bad-checksum'])
  expect(codes(flipped(app.length - 1))).toEqual(['image-bad-hash'])
  expect(codes(Buffer.from(flipped(0x1000)))).not.toContain('image-bad-hash')
})

test('an image for another chip is named with both chips', () => {
  const problem = readImage(sampleApp({ chipId: 5 })).problems[0]
  expect(problem).toMatchObject({ code: 'image-wrong-chip', fatal: true })
  expect(problem?.message).toContain('ESP32-C3')
  expect(problem?.message).toContain('ESP32-S3')
})

test('empty, text, and a merged file with a damaged part are refused', () => {
  expect(codes(Buffer.alloc(0))).toEqual(['image-empty'])
  expect(codes(Buffer.from('hello, this is no image'))).toEqual(['image-not-esp'])
  const table = sampleMerged()
  table[0x8010] = 0x41
  expect(codes(table)).toEqual(['image-bad-partitions'])
  const cut = sampleMerged()
  expect(codes(cut.subarray(0, cut.length - 100))).toEqual(['image-truncated'])
})

test('an app merged where the table has none is refused', () => {
  const merged = sampleMerged()
  const moved = Buffer.alloc(merged.length, 0xff)
  merged.copy(moved, 0, 0, 0x9000)
  sampleApp().copy(moved, 0x10000)
  expect(codes(moved)).toEqual(['image-bad-partitions'])
})

test('foreign bytes behind an app are refused, padding and a signature are not', () => {
  const app = sampleApp()
  expect(codes(Buffer.concat([app, Buffer.alloc(100, 0xff)]))).toEqual([])
  expect(codes(Buffer.concat([app, Buffer.from('tail of another file')]))).toEqual(['image-trailing-data'])
  const signature = Buffer.alloc(0x1000 - (app.length % 0x1000) + 0x1000, 0xff)
  signature[signature.length - 0x1000] = 0xe7
  expect(codes(Buffer.concat([app, signature]))).toEqual([])
})

test('a header whose flash size is changed keeps a valid hash', () => {
  const patched = withFlashSize(sampleBootloader({ sizeCode: 4 }), 8 * 1024 * 1024)
  expect(patched && readEspHeader(patched)).toMatchObject({ flashSize: 8 * 1024 * 1024, fault: null })
  expect(withFlashSize(sampleBootloader(), 3 * 1024 * 1024)).toBeNull()
})

test('a folder and a missing file are unreadable', async () => {
  await expect(loadImage(import.meta.dirname)).rejects.toMatchObject({ code: 'image-unreadable' })
  await expect(loadImage(`${import.meta.dirname}/none.bin`)).rejects.toMatchObject({ code: 'image-unreadable' })
})

test('a file that differs from the hash in the library is refused', async () => {
  await expect(loadImage(import.meta.filename, '00'.repeat(32))).rejects.toMatchObject({ code: 'image-changed' })
})

test('no bytes make the reader throw', () => {
  const image = sampleMerged()
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(0x9000), fc.nat(255)), { maxLength: 20 }),
      fc.nat(image.length),
      (edits, cut) => {
        const bytes = Buffer.from(image.subarray(0, cut))
        for (const [at, value] of edits) if (at < bytes.length) bytes[at] = value
        expect(readImage(bytes).size).toBe(cut)
      },
    ),
    { numRuns: 100 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => readImage(Uint8Array.from([0xe9, ...bytes])).size > 0),
  )
})
