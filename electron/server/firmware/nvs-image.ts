import { crc32 } from 'node:zlib'
import { AppError } from '../../base/app-error.ts'
import { type NvsEntry, type NvsType, integerWidth, nvsTypeCodes } from './nvs-entry.ts'

export const pageSize = 4096
export const entrySize = 32
export const entriesPerPage = 126
/** Bytes; one page to write, one to move to, one spare. */
export const minNvsSize = 3 * pageSize
export const pageStates = {
  active: 0xfffffffe,
  full: 0xfffffffc,
  freeing: 0xfffffff8,
  corrupt: 0xfffffff0,
  invalid: 0,
  empty: 0xffffffff,
} as const
export const blobIndexCode = 0x48
export const anyChunk = 0xff
const maxNamespaces = 254

/** IEEE CRC-32 continued from all ones (flashing.md §6). */
export function nvsCrc(...parts: readonly Uint8Array[]): number {
  return parts.reduce((value, part) => crc32(part, value), 0xffffffff)
}

/**
 * An NVS version 2 partition of exactly `size` bytes, byte for byte what Espressif's generator makes for the same rows
 * in the same order. The last page stays erased as spare. Throws `nvs-too-small` when the entries do not fit or `size`
 * is no multiple of 4096 of at least 0x3000.
 */
export function writeNvs(entries: readonly NvsEntry[], size: number): Uint8Array {
  if (size % pageSize !== 0 || size < minNvsSize) {
    throw new AppError('nvs-too-small', `${String(size)} bytes: a partition has at least 12288, in steps of 4096`)
  }
  const pages = createPages(size)
  const namespaces = new Map<string, number>()
  for (const entry of entries) {
    let index = namespaces.get(entry.namespace)
    if (index === undefined) {
      index = namespaces.size + 1
      if (index > maxNamespaces) throw new AppError('nvs-too-small', 'More than 254 namespaces')
      namespaces.set(entry.namespace, index)
      pages.reserve(1)
      pages.put(header({ space: 0, type: 'u8', span: 1, key: entry.namespace }, Buffer.from([index])))
    }
    putEntry(pages, index, entry)
  }
  return pages.bytes
}

type Pages = ReturnType<typeof createPages>

function createPages(size: number) {
  const bytes = Buffer.alloc(size, 0xff)
  const usable = size / pageSize - 1
  let page = -1
  let used = entriesPerPage

  function next(): void {
    if (page >= 0) bytes.writeUInt32LE(pageStates.full, page * pageSize)
    page += 1
    if (page >= usable) throw new AppError('nvs-too-small', `The settings do not fit into ${String(size)} bytes`)
    const start = page * pageSize
    bytes.writeUInt32LE(pageStates.active, start)
    bytes.writeUInt32LE(page, start + 4)
    bytes.writeUInt8(0xfe, start + 8)
    bytes.writeUInt32LE(nvsCrc(bytes.subarray(start + 4, start + 28)), start + 28)
    used = 0
  }

  /** Each pair of bitmap bits goes from 11 to 10 when its entry is written. */
  function mark(count: number): void {
    for (let index = used; index < used + count; index += 1) {
      const at = page * pageSize + 32 + (index >> 2)
      bytes.writeUInt8(bytes.readUInt8(at) & ~(1 << ((index & 3) * 2)), at)
    }
  }

  return {
    bytes,
    room: () => entriesPerPage - used,
    next,
    /** A new page when fewer than `count` entries are free here. */
    reserve(count: number): void {
      if (entriesPerPage - used < count) next()
    },
    put(content: Buffer): void {
      const count = Math.ceil(content.length / entrySize)
      content.copy(bytes, page * pageSize + 64 + used * entrySize)
      mark(count)
      used += count
    },
  }
}

function putEntry(pages: Pages, space: number, entry: NvsEntry): void {
  const value = Buffer.from(entry.bytes)
  if (integerWidth(entry.type) !== undefined) {
    pages.reserve(1)
    pages.put(header({ space, type: entry.type, span: 1, key: entry.key }, value))
    return
  }
  if (entry.type === 'blob') return putBlob(pages, space, entry)
  const span = 1 + Math.ceil(value.length / entrySize)
  // The generator never fills a page to its last entry with a string; to stay byte-identical neither do we.
  pages.reserve(Math.min(entriesPerPage, span + 1))
  pages.put(withData(header({ space, type: entry.type, span, key: entry.key }, dataField(value)), value))
}

/** A blob is cut into chunks that fill the page; an index entry follows the last one. */
function putBlob(pages: Pages, space: number, entry: NvsEntry): void {
  const value = Buffer.from(entry.bytes)
  let chunk = 0
  let at = 0
  pages.reserve(1)
  do {
    // A header with no room behind it would hold an empty chunk.
    if (pages.room() < 2) pages.next()
    const length = Math.min(value.length - at, (pages.room() - 1) * entrySize)
    const part = value.subarray(at, at + length)
    const span = 1 + Math.ceil(length / entrySize)
    pages.put(withData(header({ space, type: 'blob', span, key: entry.key, chunk }, dataField(part)), part))
    at += length
    chunk += 1
    if (at < value.length) pages.next()
  } while (at < value.length)
  const index = Buffer.alloc(8, 0xff)
  index.writeUInt32LE(value.length, 0)
  index.writeUInt8(chunk, 4)
  index.writeUInt8(0, 5)
  pages.reserve(1)
  pages.put(header({ space, type: blobIndexCode, span: 1, key: entry.key }, index))
}

interface EntryHead {
  readonly space: number
  readonly type: NvsType | typeof blobIndexCode
  readonly span: number
  readonly key: string
  readonly chunk?: number
}

function header(head: EntryHead, field: Buffer): Buffer {
  const entry = Buffer.alloc(entrySize, 0xff)
  entry.writeUInt8(head.space, 0)
  entry.writeUInt8(typeof head.type === 'number' ? head.type : nvsTypeCodes[head.type], 1)
  entry.writeUInt8(head.span, 2)
  entry.writeUInt8(head.chunk ?? anyChunk, 3)
  entry.fill(0, 8, 24)
  entry.write(head.key, 8, 'utf8')
  field.copy(entry, 24)
  entry.writeUInt32LE(nvsCrc(entry.subarray(0, 4), entry.subarray(8, 32)), 4)
  return entry
}

function dataField(value: Buffer): Buffer {
  const field = Buffer.alloc(8, 0xff)
  field.writeUInt16LE(value.length, 0)
  field.writeUInt32LE(nvsCrc(value), 4)
  return field
}

function withData(head: Buffer, value: Buffer): Buffer {
  const padding = Buffer.alloc((entrySize - (value.length % entrySize)) % entrySize, 0xff)
  return Buffer.concat([head, value, padding])
}
