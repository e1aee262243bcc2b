import type { PartitionRow } from '../../contract/flash.ts'
import { readEspHeader } from '../firmware/esp-header.ts'
import { appLength } from '../firmware/image.ts'
import { appType, dataType, tableOffset } from '../firmware/partition-table.ts'

const sector = 0x1000

/** Half open, in bytes. */
export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * What of a merged file is content, in whole sectors: bootloader, table, each app to its end, and data partitions. A
 * blank system partition (otadata, NVS, PHY) is content, because what the board holds there would decide how the new
 * image starts; a blank file system and the FF between parts are not (flashing.md §4.2).
 */
export function contentRanges(bytes: Uint8Array, table: readonly PartitionRow[]): Range[] {
  const used = new Uint8Array(Math.ceil(bytes.length / sector))
  const claim = (start: number, end: number) => {
    if (start < bytes.length && end > start) used.fill(1, Math.floor(start / sector), Math.ceil(end / sector))
  }
  for (let at = 0; at < used.length; at += 1) {
    if (isUsed(bytes.subarray(at * sector, (at + 1) * sector))) used[at] = 1
  }
  claim(0, readEspHeader(bytes).length)
  claim(tableOffset, tableOffset + sector)
  for (const row of table) {
    const end = row.offset + row.size
    if (row.type === appType) claim(row.offset, row.offset + appLength(bytes, row))
    else if (isSystem(row) || isUsed(bytes.subarray(row.offset, end))) claim(row.offset, end)
  }
  return rangesOf(used, bytes.length)
}

interface Piece {
  readonly name: string
  readonly offset: number
  readonly source: Uint8Array
  readonly start: number
  readonly end: number
}

/** The region without the flash addresses of `hole`: none, one or two pieces. */
export function cutRange(region: Piece, hole: Range): Piece[] {
  const end = region.offset + region.end - region.start
  if (hole.start >= end || hole.end <= region.offset) return [region]
  const before = { ...region, end: region.start + hole.start - region.offset }
  const skipped = hole.end - region.offset
  const after = { ...region, offset: hole.end, start: region.start + skipped }
  return [before, after].filter((piece) => piece.end > piece.start)
}

function isSystem(row: PartitionRow): boolean {
  return row.type === dataType && row.subtype < 0x80
}

function isUsed(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte !== 0xff)
}

function rangesOf(used: Uint8Array, length: number): Range[] {
  const ranges: Range[] = []
  for (let at = 0; at < used.length; at += 1) {
    if (used[at] !== 1) continue
    let end = at
    while (used[end] === 1) end += 1
    ranges.push({ start: at * sector, end: Math.min(end * sector, length) })
    at = end
  }
  return ranges
}
