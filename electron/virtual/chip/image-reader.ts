import { createHash } from 'node:crypto'
import { checksumOf, wordAt } from './packet.ts'

export interface ImageSegment {
  /** Where its bytes begin, from the start of the image. */
  readonly offset: number
  readonly address: number
  readonly length: number
}

export interface AppDescriptor {
  readonly version: string
  readonly project: string
  readonly time: string
  readonly date: string
  readonly idf: string
  readonly elfSha256: string
}

export type ImageProblem =
  | { readonly problem: 'magic'; readonly found: number }
  | { readonly problem: 'chip'; readonly found: number }
  | { readonly problem: 'segments'; readonly count: number }
  | { readonly problem: 'checksum'; readonly found: number; readonly expected: number }
  | { readonly problem: 'hash'; readonly found: string; readonly expected: string; readonly image: FlashedImage }

export interface FlashedImage {
  readonly entry: number
  readonly mode: number
  /** Bytes that the header says the flash has. */
  readonly flashBytes: number
  readonly segments: readonly ImageSegment[]
  readonly descriptor: AppDescriptor | undefined
}

export type ImageResult = { readonly ok: true; readonly image: FlashedImage } | ({ readonly ok: false } & ImageProblem)

const headerBytes = 24
const segmentLimit = 16
const descriptorMagic = 0xabcd5432

/** What a ROM or bootloader makes of the bytes at an image's start (flashing.md §4). `bytes` may go on after the image. */
export function readFlashedImage(bytes: Uint8Array, chipId: number): ImageResult {
  if (bytes[0] !== 0xe9) return { ok: false, problem: 'magic', found: wordAt(bytes, 0) }
  const found = (bytes[12] ?? 0) | ((bytes[13] ?? 0) << 8)
  if (found !== chipId) return { ok: false, problem: 'chip', found }
  const count = bytes[1] ?? 0
  const segments = segmentsOf(bytes, count)
  if (!segments) return { ok: false, problem: 'segments', count }
  const dataEnd = segments.reduce((end, segment) => Math.max(end, segment.offset + segment.length), headerBytes)
  // Padded so that the checksum is the last byte of 16.
  const checksumAt = dataEnd + 15 - (dataEnd % 16)
  const expected = segments.reduce((sum, { offset, length }) => {
    // Seeds cancel out in pairs: checksumOf() starts from EF each time.
    return sum ^ checksumOf(bytes.subarray(offset, offset + length)) ^ 0xef
  }, 0xef)
  if (bytes[checksumAt] !== expected) {
    return { ok: false, problem: 'checksum', found: bytes[checksumAt] ?? 0xff, expected }
  }
  const image: FlashedImage = {
    entry: wordAt(bytes, 4),
    mode: bytes[2] ?? 0,
    flashBytes: 2 ** ((bytes[3] ?? 0) >> 4) * 0x100000,
    segments,
    descriptor: descriptorOf(bytes, segments[0]),
  }
  const mismatch = bytes[23] === 1 ? hashMismatch(bytes, checksumAt + 1) : undefined
  return mismatch ? { ok: false, problem: 'hash', ...mismatch, image } : { ok: true, image }
}

function segmentsOf(bytes: Uint8Array, count: number): ImageSegment[] | undefined {
  if (count === 0 || count > segmentLimit) return undefined
  const segments: ImageSegment[] = []
  let at = headerBytes
  for (let i = 0; i < count; i++) {
    const length = wordAt(bytes, at + 4)
    if (at + 8 + length > bytes.length) return undefined
    segments.push({ offset: at + 8, address: wordAt(bytes, at), length })
    at += 8 + length
  }
  return segments
}

function hashMismatch(bytes: Uint8Array, hashAt: number): { found: string; expected: string } | undefined {
  const expected = Buffer.from(bytes.subarray(hashAt, hashAt + 32)).toString('hex')
  const found = createHash('sha256').update(bytes.subarray(0, hashAt)).digest('hex')
  return found === expected ? undefined : { found, expected }
}

function descriptorOf(bytes: Uint8Array, first: ImageSegment | undefined): AppDescriptor | undefined {
  if (!first || first.length < 256 || wordAt(bytes, first.offset) !== descriptorMagic) return undefined
  const text = (offset: number, length: number) => {
    const raw = bytes.subarray(first.offset + offset, first.offset + offset + length)
    const end = raw.indexOf(0)
    return Buffer.from(end < 0 ? raw : raw.subarray(0, end)).toString('latin1')
  }
  return {
    version: text(16, 32),
    project: text(48, 32),
    time: text(80, 16),
    date: text(96, 16),
    idf: text(112, 32),
    elfSha256: Buffer.from(bytes.subarray(first.offset + 144, first.offset + 176)).toString('hex'),
  }
}
