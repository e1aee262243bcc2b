import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampleRows } from '../../../test/support/esp-image.ts'
import { isAppError } from '../../base/app-error.ts'
import { bootPartition, readPartitionTable, writePartitionTable } from './partition-table.ts'

test('the table of the reference layout is made byte for byte', () => {
  const table = Buffer.from(writePartitionTable(sampleRows))
  expect(table.subarray(0, 16).toString('hex')).toBe('aa50010200900000004000006e767300')
  expect(table.subarray(5 * 32, 5 * 32 + 20).toString('hex')).toBe('aa5001820000800000008000617373657473' + '0000')
  expect(table.subarray(6 * 32 + 16, 7 * 32).toString('hex')).toBe('b4c09b75dddcdf05493ca1d3cc627121')
  expect(createHash('sha256').update(table).digest('hex')).toBe(
    '4811619cacae08ef2e0e71b7220c6033a346ca5da7ca179082408c963ef530b5',
  )
  expect(readPartitionTable(table)).toEqual(sampleRows)
})

test('a changed byte, an overlap and a crooked offset are refused', () => {
  const table = Buffer.from(writePartitionTable(sampleRows))
  table[20] = 0x41
  const nvs = sampleRows[0]!
  const refused = (run: () => unknown) => expect(run).toThrow(expect.objectContaining({ code: 'image-bad-partitions' }))
  refused(() => readPartitionTable(table))
  refused(() => writePartitionTable([nvs, { ...nvs, label: 'twin' }]))
  refused(() => writePartitionTable([{ ...nvs, offset: 0x9100 }]))
  refused(() => readPartitionTable(Buffer.alloc(0xc00, 0xff)))
})

test('the app to start is what otadata selects, else factory, else ota_0', () => {
  const otadata = Buffer.alloc(0x2000, 0xff)
  const factory = { ...sampleRows[3]!, label: 'factory', subtype: 0, offset: 0x810000, size: 0x10000 }
  const rows = [...sampleRows.slice(0, 5), factory]
  expect(bootPartition(sampleRows, otadata)?.label).toBe('ota_0')
  expect(bootPartition(rows, otadata)?.label).toBe('factory')
  otadata.writeUInt32LE(2, 0x1000)
  otadata.writeUInt32LE(crc32(otadata.subarray(0x1000, 0x1004), 0xffffffff), 0x1000 + 28)
  expect(bootPartition(rows, otadata)?.label).toBe('ota_1')
  expect(bootPartition([sampleRows[0]!], null)).toBeNull()
})

test('hostile tables give rows or the one typed error', () => {
  const table = Buffer.from(writePartitionTable(sampleRows))
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(0xbff), fc.nat(255)), { maxLength: 8 }), (edits) => {
      const bytes = Buffer.from(table)
      for (const [at, value] of edits) bytes[at] = value
      try {
        expect(readPartitionTable(bytes).length).toBeGreaterThan(0)
      } catch (error) {
        expect(isAppError(error, 'image-bad-partitions')).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})
