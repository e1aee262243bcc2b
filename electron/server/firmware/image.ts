import { createHash } from 'node:crypto'
import { isAppError } from '../../base/app-error.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import type { ImageInfo, ImageKind, ImageProblem, PartitionRow } from '../../contract/flash.ts'
import { type EspHeader, type HeaderFault, chipName, readEspHeader, supportedChipId } from './esp-header.ts'
import { appType, looksLikeTable, readPartitionTable, tableOffset, tableSize } from './partition-table.ts'

/** Bytes; larger files are not read at all. */
export const maxImageSize = 128 * 1024 * 1024

const faultCodes = {
  'not-esp': 'image-not-esp',
  truncated: 'image-truncated',
  'bad-checksum': 'image-bad-checksum',
  'bad-hash': 'image-bad-hash',
} as const satisfies Record<HeaderFault, ErrorCode>

const faultTexts: Readonly<Record<HeaderFault, string>> = {
  'not-esp': 'does not start with an ESP image header (E9, 1 to 16 segments)',
  truncated: 'is cut off: a segment, the checksum or the hash lies past the end',
  'bad-checksum': 'has a wrong checksum over its segments',
  'bad-hash': 'has a SHA-256 that does not match its content',
}

/** What a file is, with every problem found. Never throws: hostile bytes give problems (flashing.md §4.1). */
export function readImage(bytes: Uint8Array): ImageInfo {
  const base = { ...blankInfo, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  if (bytes.length === 0) return { ...base, problems: [fatal('image-empty', 'The file has no bytes')] }
  if (bytes[0] === 0x7f && Buffer.from(bytes.subarray(1, 4)).toString('latin1') === 'ELF') return elfInfo(base, bytes)
  if (looksLikeTable(bytes)) return tableInfo(base, bytes)
  const header = readEspHeader(bytes)
  const kind = kindOf(bytes, header)
  if (kind === 'merged') return mergedInfo(base, bytes, header)
  const problems = headerProblems(header, 'The image')
  if (header.fault === null) problems.push(...trailingProblems(bytes, header))
  return { ...base, ...headerInfo(header), kind, problems }
}

/** The fatal problem to refuse an image with, if there is one. */
export function fatalProblem(info: ImageInfo): ImageProblem | undefined {
  return info.problems.find((problem) => problem.fatal)
}

/** Where the content of each app image inside a merged file ends, by partition; used to find what has to be written. */
export function appLength(bytes: Uint8Array, row: PartitionRow): number {
  const header = readEspHeader(bytes.subarray(row.offset, row.offset + row.size))
  return header.fault === null ? header.length : 0
}

const blankInfo: ImageInfo = {
  kind: 'unknown',
  size: 0,
  sha256: '',
  chip: null,
  chipId: null,
  flashSize: null,
  flashMode: null,
  minRevision: null,
  maxRevision: null,
  project: null,
  version: null,
  idfVersion: null,
  built: null,
  elfSha256: null,
  partitions: [],
  problems: [],
}

function headerInfo(header: EspHeader): Partial<ImageInfo> {
  if (header.chipId < 0) return {}
  return {
    chip: chipName(header.chipId),
    chipId: header.chipId,
    flashSize: header.flashSize,
    flashMode: header.flashMode,
    minRevision: header.minRevision,
    maxRevision: header.maxRevision,
    ...descriptionInfo(header),
  }
}

function descriptionInfo(header: EspHeader | undefined): Partial<ImageInfo> {
  if (!header?.description) return {}
  const { project, version, idfVersion, built, elfSha256 } = header.description
  return { project, version, idfVersion, built, elfSha256 }
}

/** An app is told by its descriptor, or by segments that are mapped from flash: a bootloader has neither. */
function kindOf(bytes: Uint8Array, header: EspHeader): ImageKind {
  if (header.description) return 'app'
  if (header.fault === 'not-esp') return header.chipId < 0 ? 'unknown' : 'bootloader'
  if (header.length <= tableOffset && looksLikeTable(bytes.subarray(tableOffset))) return 'merged'
  const mapped = header.segments.some(
    ({ address }) => (address >= 0x3c000000 && address < 0x3e000000) || (address >= 0x42000000 && address < 0x44000000),
  )
  return mapped ? 'app' : 'bootloader'
}

function headerProblems(header: EspHeader, what: string): ImageProblem[] {
  const problems: ImageProblem[] = []
  if (header.chipId >= 0 && header.chipId !== supportedChipId) {
    const message = `${what} is for ${chipName(header.chipId)}, not for ${chipName(supportedChipId)}`
    problems.push(fatal('image-wrong-chip', message))
  }
  if (header.fault) problems.push(fatal(faultCodes[header.fault], `${what} ${faultTexts[header.fault]}`))
  return problems
}

/** FF or 00 padding and a signature block (E7 on a sector boundary) may follow; anything else is another file's bytes. */
function trailingProblems(bytes: Uint8Array, header: EspHeader): ImageProblem[] {
  const signature = Math.ceil(header.length / 0x1000) * 0x1000
  const end = bytes[signature] === 0xe7 ? signature : bytes.length
  const rest = bytes.subarray(header.length, end)
  if (rest.every((byte) => byte === 0xff) || rest.every((byte) => byte === 0)) return []
  const message = `${String(rest.length)} bytes that are neither padding nor a signature follow the image`
  return [fatal('image-trailing-data', message)]
}

function tableInfo(base: ImageInfo, bytes: Uint8Array): ImageInfo {
  const table = tableOf(bytes)
  return { ...base, kind: 'partition-table', partitions: table.rows, problems: table.problems }
}

function tableOf(bytes: Uint8Array): { rows: PartitionRow[]; problems: ImageProblem[] } {
  try {
    return { rows: readPartitionTable(bytes), problems: [] }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { rows: [], problems: [fatal(error.code, error.message)] }
  }
}

function mergedInfo(base: ImageInfo, bytes: Uint8Array, boot: EspHeader): ImageInfo {
  const table = tableOf(bytes.subarray(tableOffset, tableOffset + tableSize))
  const apps = table.rows.filter(
    (row) => row.type === appType && isUsed(bytes.subarray(row.offset, row.offset + row.size)),
  )
  const headers = apps.map((row) => ({
    row,
    header: readEspHeader(bytes.subarray(row.offset, row.offset + row.size)),
  }))
  const problems = [
    ...headerProblems(boot, 'The bootloader'),
    ...table.problems,
    ...headers.flatMap(({ row, header }) => headerProblems(header, `The app in "${row.label}"`)),
  ]
  if (apps.length === 0 && table.problems.length === 0) {
    problems.push(fatal('image-bad-partitions', 'No app lies where the partition table says'))
  }
  if (boot.flashSize !== null) problems.push(...reachProblems(table.rows, boot.flashSize))
  const first = headers[0]?.header
  const info = { ...headerInfo(boot), ...descriptionInfo(first) }
  const revisions = first && first.chipId >= 0 ? { minRevision: Math.max(boot.minRevision, first.minRevision) } : {}
  return { ...base, ...info, ...revisions, kind: 'merged', partitions: table.rows, problems }
}

function reachProblems(rows: readonly PartitionRow[], flashSize: number): ImageProblem[] {
  return rows
    .filter((row) => row.offset + row.size > flashSize)
    .map((row) => ({
      code: 'image-bad-partitions',
      message: `"${row.label}" ends at ${String(row.offset + row.size)}, but the header says ${String(flashSize)} bytes of flash`,
      fatal: true,
    }))
}

function isUsed(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte !== 0xff)
}

/** An ELF is no image to flash: it is kept to decode crash logs, bound to its app by the file's SHA-256. */
function elfInfo(base: ImageInfo, bytes: Uint8Array): ImageInfo {
  const xtensa = bytes.length > 20 && bytes[18] === 94 && bytes[19] === 0
  const problems = xtensa
    ? []
    : [{ ...fatal('image-wrong-chip', 'The ELF file is not for an Xtensa chip'), fatal: false }]
  return { ...base, kind: 'elf', elfSha256: base.sha256, problems }
}

function fatal(code: ErrorCode, message: string): ImageProblem {
  return { code, message, fatal: true }
}
