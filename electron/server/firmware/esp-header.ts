import { createHash } from 'node:crypto'

/** Chip ids of the image header (flashing.md §4). */
export const chipNames: Readonly<Record<number, string>> = {
  0: 'ESP32',
  2: 'ESP32-S2',
  5: 'ESP32-C3',
  9: 'ESP32-S3',
  12: 'ESP32-C2',
  13: 'ESP32-C6',
  16: 'ESP32-H2',
  18: 'ESP32-P4',
  20: 'ESP32-C61',
  23: 'ESP32-C5',
  32: 'ESP32-S31',
}
export const supportedChipId = 9

export function chipName(id: number): string {
  return chipNames[id] ?? `chip id ${String(id)}`
}

const flashModes = ['QIO', 'QOUT', 'DIO', 'DOUT']
const headerLength = 24
const maxSegments = 16

export type HeaderFault = 'not-esp' | 'truncated' | 'bad-checksum' | 'bad-hash'

export interface AppDescription {
  readonly version: string
  readonly project: string
  readonly built: string
  readonly idfVersion: string
  /** Hex. */
  readonly elfSha256: string
}

export interface EspHeader {
  readonly chipId: number
  /** Bytes, as the header's size nibble says. */
  readonly flashSize: number | null
  readonly flashMode: string | null
  /** major * 100 + minor. */
  readonly minRevision: number
  /** 65535 and 0 mean "no limit". */
  readonly maxRevision: number
  readonly segments: readonly { readonly address: number; readonly offset: number; readonly length: number }[]
  readonly description: AppDescription | null
  /** Length in bytes up to and with the checksum and the hash; of what there is when the image is cut off. */
  readonly length: number
  readonly fault: HeaderFault | null
}

/** One ESP image (bootloader or app) at the start of `bytes`. Never throws: what is wrong is its `fault`. */
export function readEspHeader(bytes: Uint8Array): EspHeader {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.length === 0 || view[0] !== 0xe9) return brokenHeader('not-esp')
  if (view.length < headerLength) return brokenHeader('truncated')
  const count = view.readUInt8(1)
  const hashFlag = view.readUInt8(23)
  const fields = headerFields(view)
  const walk = walkSegments(view, count)
  const description = readDescription(view)
  if (count === 0 || count > maxSegments || hashFlag > 1) return { ...brokenHeader('not-esp'), ...fields }
  const checksumAt = walk.end + 15 - (walk.end % 16)
  const length = checksumAt + 1 + (hashFlag === 1 ? 32 : 0)
  const known = { ...fields, segments: walk.segments, description }
  if (walk.truncated || length > view.length) return { ...known, length: view.length, fault: 'truncated' }
  return { ...known, length, fault: sumsFault(view, { segments: walk.segments, checksumAt, hashed: hashFlag === 1 }) }
}

/** A copy whose header names `flashSize` bytes, with the hash made again (flashing.md §3.1 row 11). Null when the size has no code. */
export function withFlashSize(bytes: Uint8Array, flashSize: number): Uint8Array | null {
  const code = Math.log2(flashSize / 0x100000)
  const header = readEspHeader(bytes)
  if (!Number.isInteger(code) || code < 0 || code > 7 || header.fault) return null
  const copy = Buffer.from(bytes)
  copy[3] = (code << 4) | (copy.readUInt8(3) & 0x0f)
  if (copy[23] === 1) sha256(copy.subarray(0, header.length - 32)).copy(copy, header.length - 32)
  return copy
}

function headerFields(view: Buffer) {
  return {
    chipId: view.readUInt16LE(12),
    flashSize: view.readUInt8(3) >> 4 <= 7 ? 0x100000 << (view.readUInt8(3) >> 4) : null,
    flashMode: flashModes[view.readUInt8(2)] ?? null,
    minRevision: view.readUInt16LE(15),
    maxRevision: view.readUInt16LE(17),
  }
}

function walkSegments(view: Buffer, count: number) {
  const segments: { address: number; offset: number; length: number }[] = []
  let at = headerLength
  for (let index = 0; index < Math.min(count, maxSegments); index += 1) {
    if (at + 8 > view.length) return { segments, end: view.length, truncated: true }
    const length = view.readUInt32LE(at + 4)
    segments.push({ address: view.readUInt32LE(at), offset: at + 8, length })
    at += 8 + length
    if (at > view.length) return { segments, end: view.length, truncated: true }
  }
  return { segments, end: at, truncated: false }
}

interface Sums {
  readonly segments: EspHeader['segments']
  readonly checksumAt: number
  readonly hashed: boolean
}

/** A wrong checksum hides the hash: it covers the checksum byte, so it cannot be right either. */
function sumsFault(view: Buffer, sums: Sums): HeaderFault | null {
  let checksum = 0xef
  for (const { offset, length } of sums.segments) {
    for (let at = offset; at < offset + length; at += 1) checksum ^= view[at] ?? 0
  }
  if (checksum !== view[sums.checksumAt]) return 'bad-checksum'
  if (!sums.hashed) return null
  const end = sums.checksumAt + 1
  return sha256(view.subarray(0, end)).equals(view.subarray(end, end + 32)) ? null : 'bad-hash'
}

/** The app descriptor lies at the start of the first segment's data (flashing.md §4). */
function readDescription(view: Buffer): AppDescription | null {
  if (view.length < 0x20 + 176 || view.readUInt32LE(0x20) !== 0xabcd5432) return null
  const text = (at: number, length: number) => textOf(view.subarray(0x20 + at, 0x20 + at + length))
  return {
    version: text(16, 32),
    project: text(48, 32),
    built: [text(96, 16), text(80, 16)].filter((part) => part !== '').join(' '),
    idfVersion: text(112, 32),
    elfSha256: view.subarray(0x20 + 144, 0x20 + 176).toString('hex'),
  }
}

/** Text to its first zero; control characters of a damaged file never reach a terminal. */
function textOf(bytes: Buffer): string {
  const zero = bytes.indexOf(0)
  const text = bytes.subarray(0, zero === -1 ? bytes.length : zero).toString('utf8')
  return Array.from(text, (char) => (char < ' ' || char === '\u007f' ? '·' : char)).join('')
}

function brokenHeader(fault: HeaderFault): EspHeader {
  return {
    chipId: -1,
    flashSize: null,
    flashMode: null,
    minRevision: 0,
    maxRevision: 0,
    segments: [],
    description: null,
    length: 0,
    fault,
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
