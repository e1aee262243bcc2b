import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }

export const virtualFirmwareVersion: string = manifest.version

const imageBytes = 0x80000
const tableOffset = 0x8000
const appOffset = 0x20000

/**
 * A merged ESP32-S3 image for offset 0: bootloader, table of the 16 MB layout, app `roost-virtual`; everything else,
 * the NVS range too, is FF (flashing.md §4, §5). 512 KiB, the same bytes for the same version. A version is cut after
 * 31 bytes, as the app descriptor does.
 */
export function makeVirtualImage(options: { version?: string } = {}): Uint8Array {
  const image = new Uint8Array(imageBytes).fill(0xff)
  image.set(makeBootloader())
  image.set(makePartitionTable(), tableOffset)
  image.set(makeApp(options.version ?? virtualFirmwareVersion), appOffset)
  return image
}

interface Segment {
  readonly address: number
  readonly bytes: Uint8Array
}

function makeBootloader(): Uint8Array {
  const code = createCode(0x0b007)
  return packImage(0x403c88b8, [
    { address: 0x3fce2810, bytes: code(0x178c) },
    { address: 0x403c8700, bytes: code(0x0c64) },
    { address: 0x403cb700, bytes: code(0x2fb8) },
  ])
}

function makeApp(version: string): Uint8Array {
  const code = createCode(0x0a99)
  // Data that is read through the flash cache keeps its place within 64 KiB: every such segment starts at xxxx0020.
  const constants = code(0xfff8)
  constants.set(appDescriptor(version))
  return packImage(0x40375a58, [
    { address: 0x3c050020, bytes: constants },
    { address: 0x42000020, bytes: code(0x2fff8) },
    { address: 0x3fc98000, bytes: code(0x4a3c) },
    { address: 0x40374000, bytes: code(0xf2b4) },
  ])
}

/** flashing.md §4: header, segments, checksum as the last byte of 16, SHA-256. */
function packImage(entry: number, segments: readonly Segment[]): Uint8Array {
  const dataEnd = 24 + segments.reduce((sum, { bytes }) => sum + 8 + bytes.length, 0)
  const hashAt = dataEnd + 16 - (dataEnd % 16)
  const image = new Uint8Array(hashAt + 32)
  const view = new DataView(image.buffer)
  // E9, count, DIO, 16 MB at 80 MHz; WP pin off; chip 9, any revision, hash appended.
  image.set([0xe9, segments.length, 0x02, 0x4f])
  view.setUint32(4, entry, true)
  image[8] = 0xee
  view.setUint16(12, 9, true)
  view.setUint16(17, 0xffff, true)
  image[23] = 1
  let at = 24
  let checksum = 0xef
  for (const { address, bytes } of segments) {
    view.setUint32(at, address, true)
    view.setUint32(at + 4, bytes.length, true)
    image.set(bytes, at + 8)
    at += 8 + bytes.length
    for (const byte of bytes) checksum ^= byte
  }
  image[hashAt - 1] = checksum
  image.set(createHash('sha256').update(image.subarray(0, hashAt)).digest(), hashAt)
  return image
}

function appDescriptor(version: string): Uint8Array {
  const descriptor = new Uint8Array(256)
  new DataView(descriptor.buffer).setUint32(0, 0xabcd5432, true)
  const put = (text: string, offset: number, size: number) =>
    descriptor.set(Buffer.from(text).subarray(0, size - 1), offset)
  put(version, 16, 32)
  put('roost-virtual', 48, 32)
  put('00:00:00', 80, 16)
  put('Jan  1 2026', 96, 16)
  put('v5.4', 112, 32)
  descriptor.set(createHash('sha256').update(`roost-virtual ${version}`).digest(), 144)
  return descriptor
}

/** The 16 MB layout of flashing.md §4.2: label, type, subtype, offset, size. */
const rows: readonly (readonly [string, number, number, number, number])[] = [
  ['nvs', 1, 0x02, 0x9000, 0x4000],
  ['otadata', 1, 0x00, 0xd000, 0x2000],
  ['phy_init', 1, 0x01, 0xf000, 0x1000],
  ['ota_0', 0, 0x10, 0x20000, 0x3f0000],
  ['ota_1', 0, 0x11, 0x410000, 0x3f0000],
  ['assets', 1, 0x82, 0x800000, 0x800000],
]

function makePartitionTable(): Uint8Array {
  const table = new Uint8Array(0xc00).fill(0xff)
  const view = new DataView(table.buffer)
  rows.forEach(([label, type, subtype, offset, size], index) => {
    const at = index * 32
    table.fill(0, at, at + 32)
    table.set([0xaa, 0x50, type, subtype], at)
    view.setUint32(at + 4, offset, true)
    view.setUint32(at + 8, size, true)
    table.set(Buffer.from(label), at + 12)
  })
  const end = rows.length * 32
  table.set([0xeb, 0xeb], end)
  table.set(createHash('md5').update(table.subarray(0, end)).digest(), end + 16)
  return table
}

/** Bytes that compress about as well as machine code (half): three-byte instructions out of a few hundred, some literals. */
function createCode(seed: number): (length: number) => Uint8Array {
  let state = seed | 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  const instructions = Array.from({ length: 400 }, () => [next() & 0xff, next() & 0xff, next() & 0xff] as const)
  return (length) => {
    const bytes = new Uint8Array(length)
    for (let at = 0; at < length; at += 3) {
      const random = next()
      const common =
        random % 8 < 5 ? instructions[(random >>> 8) % 40] : instructions[(random >>> 8) % instructions.length]
      bytes.set((common ?? []).slice(0, length - at), at)
    }
    return bytes
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const target = process.argv[2]
  if (target === undefined) {
    process.stderr.write('usage: node firmware/virtual/make-image.ts FILE\n')
    process.exitCode = 2
  } else writeFileSync(target, makeVirtualImage())
}
