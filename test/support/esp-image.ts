import { createHash, randomBytes } from 'node:crypto'
import { type PartitionRow } from '../../electron/contract/flash.ts'
import { readImage } from '../../electron/server/firmware/image.ts'
import { writePartitionTable } from '../../electron/server/firmware/partition-table.ts'

export interface SampleOptions {
  readonly chipId?: number
  readonly sizeCode?: number
  readonly minRevision?: number
  readonly maxRevision?: number
  readonly hashed?: boolean
  /** Bytes of the only segment. */
  readonly length?: number
  /** Half random, half repeated, so that it compresses to about half. */
  readonly random?: boolean
}

/** A well-formed image after flashing.md §4, built apart from the reader under test. */
export function sampleBootloader(options: SampleOptions = {}): Buffer {
  return espImage(options, 0x403c8700, filled(options.length ?? 0x3000, options.random ?? false))
}

export function sampleApp(options: SampleOptions & { version?: string } = {}): Buffer {
  const data = filled(options.length ?? 0x8000, options.random ?? false)
  data.fill(0, 0, 256)
  data.writeUInt32LE(0xabcd5432, 0)
  data.write(options.version ?? '1.2.3', 16)
  data.write('sample', 48)
  data.write('12:00:00', 80)
  data.write('Jan  1 2026', 96)
  data.write('v5.4.1', 112)
  data.fill(0x5a, 144, 176)
  return espImage(options, 0x3c020020, data)
}

export const sampleRows: readonly PartitionRow[] = [
  row('nvs', [1, 2], [0x9000, 0x4000]),
  row('otadata', [1, 0], [0xd000, 0x2000]),
  row('phy_init', [1, 1], [0xf000, 0x1000]),
  row('ota_0', [0, 0x10], [0x20000, 0x3f0000]),
  row('ota_1', [0, 0x11], [0x410000, 0x3f0000]),
  row('assets', [1, 0x82], [0x800000, 0x800000]),
]

export function sampleMerged(options: SampleOptions & { app?: Buffer; rows?: readonly PartitionRow[] } = {}): Buffer {
  const app = options.app ?? sampleApp(options)
  const rows = options.rows ?? sampleRows
  const at = rows.find(({ type }) => type === 0)?.offset ?? 0x20000
  const merged = Buffer.alloc(at + app.length, 0xff)
  sampleBootloader({ ...options, length: 0x3000 }).copy(merged, 0)
  Buffer.from(writePartitionTable(rows)).copy(merged, 0x8000)
  app.copy(merged, at)
  return merged
}

function row(label: string, kind: [number, number], place: [number, number]): PartitionRow {
  return { label, type: kind[0], subtype: kind[1], offset: place[0], size: place[1], encrypted: false, readOnly: false }
}

function espImage(options: SampleOptions, address: number, data: Buffer): Buffer {
  const header = Buffer.alloc(32)
  header.writeUInt8(0xe9, 0)
  header.writeUInt8(1, 1)
  header.writeUInt8(2, 2)
  header.writeUInt8(((options.sizeCode ?? 4) << 4) | 0x0f, 3)
  header.writeUInt32LE(0x40375000, 4)
  header.writeUInt8(0xee, 8)
  header.writeUInt16LE(options.chipId ?? 9, 12)
  header.writeUInt16LE(options.minRevision ?? 0, 15)
  header.writeUInt16LE(options.maxRevision ?? 99, 17)
  header.writeUInt8((options.hashed ?? true) ? 1 : 0, 23)
  header.writeUInt32LE(address, 24)
  header.writeUInt32LE(data.length, 28)
  const body = Buffer.concat([header, data])
  const padded = Buffer.concat([body, Buffer.alloc(15 - (body.length % 16))])
  const sum = data.reduce((value, byte) => value ^ byte, 0xef)
  const image = Buffer.concat([padded, Buffer.from([sum])])
  if (options.hashed === false) return image
  return Buffer.concat([image, createHash('sha256').update(image).digest()])
}

function filled(length: number, random: boolean): Buffer {
  const data = Buffer.alloc(length)
  for (let at = 0; at < length; at += 1) data[at] = (at * 7 + (at >> 8)) & 0x3f
  if (random) for (let at = 0; at < length; at += 0x1000) randomBytes(Math.min(0x800, length - at)).copy(data, at)
  return data
}

export function imageOf(bytes: Uint8Array, name = 'image.bin') {
  return { name, bytes, info: readImage(bytes) }
}
