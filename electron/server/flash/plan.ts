import { AppError } from '../../base/app-error.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import type { PartitionRow } from '../../contract/flash.ts'
import { type BoardSettings, hasSettings, mergeSettings, settingsToNvs } from '../firmware/board-settings.ts'
import { readEspHeader, withFlashSize } from '../firmware/esp-header.ts'
import type { LoadedImage } from '../firmware/image-file.ts'
import { fatalProblem } from '../firmware/image.ts'
import {
  appType,
  bootPartition,
  dataSubtypes,
  dataType,
  findPartition,
  readPartitionTable,
  tableOffset,
} from '../firmware/partition-table.ts'
import { type Range, contentRanges, cutRange } from './plan-ranges.ts'

export const sectorSize = 0x1000

/** `none` writes what the plan holds and nothing else. */
export type ErasePolicy = 'none' | 'all' | 'keep-settings'

export interface PlanPart {
  readonly image: LoadedImage
  /** Bytes; null: where its kind belongs (merged and bootloader 0, table 0x8000, app the board's app partition). */
  readonly offset: number | null
  /** Written as it is, whatever it looks like: a data file. Needs an offset. */
  readonly raw?: boolean
}

export interface PlanRequest {
  readonly parts: readonly PlanPart[]
  readonly settings?: BoardSettings
  readonly erase: ErasePolicy
  /** Change the flash size in the bootloader's header to the board's, with a new hash, instead of refusing. */
  readonly fixHeader?: boolean
}

/** What was read from the board; null where it was not needed or is not there. */
export interface BoardView {
  readonly flashSize: number
  /** major * 100 + minor. */
  readonly revision: number
  readonly table: readonly PartitionRow[] | null
  readonly otadata: Uint8Array | null
  readonly nvs: Uint8Array | null
}

/** Bytes `start` to `end` of `source` go to `offset`. Lanes with one image share `source`. */
export interface Region {
  readonly name: string
  readonly offset: number
  readonly source: Uint8Array
  readonly start: number
  readonly end: number
}

export interface FlashPlan {
  readonly eraseAll: boolean
  readonly regions: readonly Region[]
}

/**
 * All that can be said without a board; call it before a port is opened. Throws the `image-…` code of a bad image,
 * `flash-wrong-kind`, `flash-bad-plan`, `flash-overlap`.
 */
export function checkRequest(request: PlanRequest): void {
  if (request.parts.length === 0 && !hasSettings(request.settings)) {
    throw new AppError('flash-bad-plan', 'The plan holds neither an image nor settings')
  }
  for (const part of request.parts) checkPart(part)
  const placed = request.parts.flatMap((part) => {
    const offset = fixedOffset(part)
    return offset === null ? [] : [{ name: part.image.name, start: offset, end: offset + part.image.bytes.length }]
  })
  checkOverlaps(placed)
}

/** What has to be read from the board before `resolvePlan`. */
export function boardNeeds(request: PlanRequest): { table: boolean; nvs: boolean } {
  const settings = hasSettings(request.settings) || request.erase === 'keep-settings'
  const ownTable = tableOfParts(request.parts) !== null
  const looseApp = request.parts.some((part) => fixedOffset(part) === null)
  const nvs = request.erase === 'keep-settings'
  return { table: looseApp || nvs || (settings && !ownTable), nvs }
}

/** The NVS partition that the board holds now, by its own table. */
export function nvsRow(table: readonly PartitionRow[] | null): PartitionRow | undefined {
  return table ? findPartition(table, dataType, dataSubtypes.nvs) : undefined
}

/**
 * The plan for one board. Pure. Throws `flash-no-table`, `flash-no-nvs`, `flash-too-small`, `flash-wrong-revision`,
 * `flash-wrong-kind`, `flash-overlap`, `flash-protected`, and what settings throw.
 */
export function resolvePlan(request: PlanRequest, board: BoardView): FlashPlan {
  checkRequest(request)
  const table = tableOfParts(request.parts) ?? board.table
  const placed = request.parts.map((part) => placePart(part, { request, board, table }))
  checkOverlaps(placed.map(({ name, offset, source }) => ({ name, start: offset, end: offset + source.length })))
  for (const part of placed) {
    checkFit(part.name, part.offset + part.source.length, board)
  }
  const regions = placed.flatMap((part) => {
    const ranges = part.merged && table ? contentRanges(part.source, table) : [{ start: 0, end: part.source.length }]
    return ranges.map((range) => ({
      name: part.name,
      source: part.source,
      offset: part.offset + range.start,
      ...range,
    }))
  })
  return { eraseAll: request.erase === 'all', regions: withNvs(regions, { request, board, table }) }
}

interface PlanContext {
  readonly request: PlanRequest
  readonly board: BoardView
  readonly table: readonly PartitionRow[] | null
}

interface Placed {
  readonly name: string
  readonly offset: number
  readonly source: Uint8Array
  readonly merged: boolean
}

function checkPart({ image, offset, raw = false }: PlanPart): void {
  const { kind } = image.info
  if (offset !== null && (!Number.isInteger(offset) || offset < 0 || offset % sectorSize !== 0)) {
    throw new AppError('flash-bad-plan', `${image.name}: the offset must be a multiple of 4096`)
  }
  if (raw) {
    if (offset === null) throw new AppError('flash-bad-plan', `${image.name}: a raw part needs an offset`)
    return
  }
  if (kind === 'elf') throw wrongKind(`${image.name} is an ELF file; flash the .bin that was made from it`)
  if (kind === 'unknown') {
    // A data file (file system, model) may stand anywhere but where an image must be.
    if (offset !== null && offset !== 0 && offset !== tableOffset) return
    throw imageError(image)
  }
  if (fatalProblem(image.info)) throw imageError(image)
  const home = homeOffset[kind]
  if (kind === 'app' && offset === 0) throw wrongKind(`${image.name} is an app: it goes to an app partition, not to 0`)
  if (home !== null && offset !== null && offset !== home) {
    throw wrongKind(
      `${image.name} is a ${kind} image: it belongs at 0x${home.toString(16)}, not at 0x${offset.toString(16)}`,
    )
  }
}

const homeOffset = { merged: 0, bootloader: 0, 'partition-table': tableOffset, app: null } as const

function imageError(image: LoadedImage): AppError {
  const problem = fatalProblem(image.info)
  // Problems of the reader carry codes of the registry.
  return new AppError(
    (problem?.code ?? 'image-not-esp') as ErrorCode,
    `${image.name}: ${problem?.message ?? 'not an image'}`,
  )
}

function fixedOffset({ image, offset }: PlanPart): number | null {
  if (offset !== null) return offset
  const { kind } = image.info
  return kind === 'unknown' || kind === 'elf' ? null : homeOffset[kind]
}

function tableOfParts(parts: readonly PlanPart[]): readonly PartitionRow[] | null {
  const holder = parts.find(({ image, raw }) => !raw && ['merged', 'partition-table'].includes(image.info.kind))
  return holder ? holder.image.info.partitions : null
}

function placePart(part: PlanPart, { request, board, table }: PlanContext): Placed {
  const { name, info } = part.image
  const fixed = fixedOffset(part)
  const merged = info.kind === 'merged' && !part.raw
  if (part.raw || info.kind === 'unknown') return { name, offset: fixed ?? 0, source: part.image.bytes, merged }
  checkRevision(part.image, board.revision)
  if (info.kind === 'app') return placeApp(part, { request, board, table })
  return { name, offset: fixed ?? 0, source: headerFor(part.image, request, board), merged }
}

function placeApp(part: PlanPart, { board, table }: PlanContext): Placed {
  const { name, bytes } = part.image
  if (part.offset === null) {
    const row = table && bootPartition(table, board.otadata)
    if (!row)
      throw new AppError('flash-no-table', `${name} is an app, and the board holds no table with an app partition`)
    checkApp(name, bytes, row)
    return { name, offset: row.offset, source: bytes, merged: false }
  }
  const row = table?.find((candidate) => candidate.type === appType && candidate.offset === part.offset)
  if (table && !row) throw wrongKind(`${name} is an app, and no app partition starts at 0x${part.offset.toString(16)}`)
  if (row) checkApp(name, bytes, row)
  return { name, offset: part.offset, source: bytes, merged: false }
}

function checkApp(name: string, bytes: Uint8Array, row: PartitionRow): void {
  if (bytes.length <= row.size) return
  const message = `${name} has ${String(bytes.length)} bytes; the partition "${row.label}" has ${String(row.size)}`
  throw new AppError('flash-too-small', message)
}

/** 0 and 65535 in the header mean "no limit" (flashing.md §4). */
function checkRevision(image: LoadedImage, revision: number): void {
  const { minRevision, maxRevision } = image.info
  const max = maxRevision === null || maxRevision === 0 ? 65535 : maxRevision
  if (revision >= (minRevision ?? 0) && revision <= max) return
  const message = `${image.name} is for chip revisions ${String(minRevision ?? 0)} to ${String(max)}, the board has ${String(revision)}`
  throw new AppError('flash-wrong-revision', message)
}

/** A bootloader that expects more flash than there is stops with an assertion (flashing.md §11 row 21). */
function headerFor(image: LoadedImage, request: PlanRequest, board: BoardView): Uint8Array {
  const wanted = image.info.flashSize
  if (wanted === null || wanted <= board.flashSize || image.info.kind === 'partition-table') return image.bytes
  const boot = readEspHeader(image.bytes)
  const patched = request.fixHeader ? withFlashSize(image.bytes.subarray(0, boot.length), board.flashSize) : null
  if (!patched) {
    const message = `${image.name} is made for ${String(wanted)} bytes of flash, the board has ${String(board.flashSize)}`
    throw new AppError('flash-too-small', message)
  }
  const copy = Uint8Array.from(image.bytes)
  copy.set(patched, 0)
  return copy
}

function checkFit(name: string, end: number, board: BoardView): void {
  if (end <= board.flashSize) return
  const message = `${name} ends at ${String(end)} bytes, the flash of the board has ${String(board.flashSize)}`
  throw new AppError('flash-too-small', message)
}

/** Settings are laid over the image: the NVS partition is the one made from them (contracts.md §1). */
function withNvs(regions: readonly Region[], { request, board, table }: PlanContext): Region[] {
  const keep = request.erase === 'keep-settings'
  const row = nvsRow(table)
  if (!keep && !hasSettings(request.settings)) return [...regions]
  if (!row) {
    if (!hasSettings(request.settings)) return [...regions]
    if (!table)
      throw new AppError('flash-no-table', 'Neither the plan nor the board has a partition table for the settings')
    throw new AppError('flash-no-nvs', 'The partition table has no NVS partition for the settings')
  }
  const range: Range = { start: row.offset, end: row.offset + row.size }
  if (keep) checkProtected(request.parts, range)
  checkFit(`The partition "${row.label}"`, range.end, board)
  const rest = regions.flatMap((region) => cutRange(region, range))
  const nvs = nvsBytes(row, { request, board, table })
  return nvs ? [...rest, { name: row.label, offset: row.offset, source: nvs, start: 0, end: nvs.length }] : rest
}

/** Null when the board keeps its NVS where it is. */
function nvsBytes(row: PartitionRow, { request, board }: PlanContext): Uint8Array | null {
  const settings = request.settings ?? {}
  if (request.erase !== 'keep-settings' || !board.nvs)
    return hasSettings(settings) ? settingsToNvs(settings, row.size) : null
  const old = nvsRow(board.table)
  if (!hasSettings(settings) && old?.offset === row.offset && old.size === row.size) return null
  return mergeSettings(board.nvs, settings, row.size)
}

function checkProtected(parts: readonly PlanPart[], range: Range): void {
  for (const { image, offset, raw } of parts) {
    if (offset === null || (image.info.kind === 'merged' && !raw)) continue
    if (offset < range.end && offset + image.bytes.length > range.start) {
      throw new AppError('flash-protected', `${image.name} would overwrite the settings that are to be kept`)
    }
  }
}

function checkOverlaps(parts: readonly { name: string; start: number; end: number }[]): void {
  const sectors = parts
    .map(({ name, start, end }) => ({ name, start, end: Math.ceil(end / sectorSize) * sectorSize }))
    .sort((a, b) => a.start - b.start)
  sectors.forEach((part, index) => {
    const next = sectors[index + 1]
    if (next && part.end > next.start) {
      throw new AppError('flash-overlap', `${part.name} and ${next.name} share flash at 0x${next.start.toString(16)}`)
    }
  })
}

function wrongKind(message: string): AppError {
  return new AppError('flash-wrong-kind', message)
}

/** A table as the board gave it; null when there is none to be read. */
export function tableFrom(bytes: Uint8Array): PartitionRow[] | null {
  try {
    return readPartitionTable(bytes)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
