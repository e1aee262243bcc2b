import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { AppError } from '../../base/app-error.ts'
import type { PartitionRow } from '../../contract/flash.ts'

export const tableOffset = 0x8000
export const tableSize = 0xc00
const rowSize = 32
const maxRows = 95

export const appType = 0
export const dataType = 1
/** Subtypes of data partitions (flashing.md §5). */
export const dataSubtypes = { otadata: 0, phy: 1, nvs: 2, coredump: 3, nvsKeys: 4 } as const

/** True when the bytes start like a table; says nothing about its rows. */
export function looksLikeTable(bytes: Uint8Array): boolean {
  return bytes.length >= rowSize && bytes[0] === 0xaa && bytes[1] === 0x50
}

/**
 * The rows of a table of at most 0xC00 bytes. Throws `image-bad-partitions` when a row is malformed, an offset is not
 * aligned, two rows overlap or the MD5 row does not match. A table without an MD5 row is accepted: older builds have none.
 */
export function readPartitionTable(bytes: Uint8Array): PartitionRow[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, tableSize))
  const rows: PartitionRow[] = []
  for (let at = 0; at + rowSize <= view.length; at += rowSize) {
    const row = view.subarray(at, at + rowSize)
    if (row[0] === 0xeb && row[1] === 0xeb) {
      checkDigest(view.subarray(0, at), row.subarray(16, 32))
      break
    }
    if (row.every((byte) => byte === 0xff)) break
    if (rows.length >= maxRows) throw damaged(`it has more than ${String(maxRows)} rows`)
    rows.push(readRow(row))
  }
  if (rows.length === 0) throw damaged('it has no rows')
  checkRows(rows)
  return rows
}

/** 0xC00 bytes: rows, MD5 row, rest FF. Throws `image-bad-partitions` like the reader. */
export function writePartitionTable(rows: readonly PartitionRow[]): Uint8Array {
  if (rows.length === 0 || rows.length > maxRows) throw damaged(`a table has 1 to ${String(maxRows)} rows`)
  checkRows(rows)
  const table = Buffer.alloc(tableSize, 0xff)
  rows.forEach((row, index) => writeRow(table.subarray(index * rowSize, (index + 1) * rowSize), row))
  const end = rows.length * rowSize
  table.writeUInt16LE(0xebeb, end)
  createHash('md5')
    .update(table.subarray(0, end))
    .digest()
    .copy(table, end + 16)
  return table
}

/**
 * The app partition that the bootloader would start: the one that `otadata` (its two sectors) selects, else factory,
 * else ota_0. Null when there is none.
 */
export function bootPartition(rows: readonly PartitionRow[], otadata: Uint8Array | null): PartitionRow | null {
  const apps = rows.filter((row) => row.type === appType)
  const slots = apps.filter((row) => row.subtype >= 0x10 && row.subtype <= 0x1f)
  const selected = otadata ? selectedSequence(otadata) : null
  const chosen =
    selected === null ? undefined : slots.find((row) => row.subtype === 0x10 + ((selected - 1) % slots.length))
  return chosen ?? apps.find((row) => row.subtype === 0) ?? slots.find((row) => row.subtype === 0x10) ?? null
}

export function findPartition(rows: readonly PartitionRow[], type: number, subtype: number): PartitionRow | undefined {
  return rows.find((row) => row.type === type && row.subtype === subtype)
}

/** Each of the two otadata sectors: W sequence, 20 bytes label, W state, W CRC of the sequence. */
function selectedSequence(otadata: Uint8Array): number | null {
  const view = Buffer.from(otadata.buffer, otadata.byteOffset, otadata.byteLength)
  const valid = [0, 0x1000].flatMap((at) => {
    if (at + 32 > view.length) return []
    const sequence = view.readUInt32LE(at)
    const state = view.readUInt32LE(at + 24)
    const right = crc32(view.subarray(at, at + 4), 0xffffffff) === view.readUInt32LE(at + 28)
    // States 3 and 4: the firmware marked this slot invalid, or a trial boot was aborted.
    return right && sequence > 0 && sequence !== 0xffffffff && state !== 3 && state !== 4 ? [sequence] : []
  })
  return valid.length === 0 ? null : Math.max(...valid)
}

function readRow(row: Buffer): PartitionRow {
  if (row[0] !== 0xaa || row[1] !== 0x50) throw damaged('a row does not start with AA 50')
  const label = row.subarray(12, 28)
  const zero = label.indexOf(0)
  const flags = row.readUInt32LE(28)
  return {
    label: label.subarray(0, zero === -1 ? 16 : zero).toString('utf8'),
    type: row.readUInt8(2),
    subtype: row.readUInt8(3),
    offset: row.readUInt32LE(4),
    size: row.readUInt32LE(8),
    encrypted: (flags & 1) !== 0,
    readOnly: (flags & 2) !== 0,
  }
}

function writeRow(target: Buffer, row: PartitionRow): void {
  const label = Buffer.from(row.label, 'utf8')
  if (label.length > 16) throw damaged(`the label "${row.label}" is longer than 16 bytes`)
  target.fill(0)
  target.writeUInt16LE(0x50aa, 0)
  target.writeUInt8(row.type, 2)
  target.writeUInt8(row.subtype, 3)
  target.writeUInt32LE(row.offset, 4)
  target.writeUInt32LE(row.size, 8)
  label.copy(target, 12)
  target.writeUInt32LE((row.encrypted ? 1 : 0) | (row.readOnly ? 2 : 0), 28)
}

function checkRows(rows: readonly PartitionRow[]): void {
  for (const row of rows) {
    const alignment = row.type === appType ? 0x10000 : 0x1000
    if (row.offset % alignment !== 0) throw damaged(`"${row.label}" is not aligned to 0x${alignment.toString(16)}`)
    if (row.size === 0) throw damaged(`"${row.label}" is empty`)
  }
  const sorted = [...rows].sort((a, b) => a.offset - b.offset)
  sorted.forEach((row, index) => {
    const next = sorted[index + 1]
    if (next && row.offset + row.size > next.offset) throw damaged(`"${row.label}" and "${next.label}" overlap`)
  })
}

function checkDigest(rows: Buffer, expected: Buffer): void {
  if (!createHash('md5').update(rows).digest().equals(expected)) throw damaged('its MD5 does not match')
}

function damaged(reason: string): AppError {
  return new AppError('image-bad-partitions', `The partition table cannot be used: ${reason}`)
}
