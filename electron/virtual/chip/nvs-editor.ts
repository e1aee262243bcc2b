import { AppError } from '../../base/app-error.ts'
import type { FlashArray } from './flash-array.ts'
import {
  entryState,
  type NvsEntry,
  nvsCrc,
  nvsEntriesAt,
  nvsEntryCount,
  nvsPageBytes,
  nvsPages,
  type NvsSlot,
  nvsSlots,
  nvsType,
  readNvs,
} from './nvs-reader.ts'
import { words } from './packet.ts'

export interface NvsRange {
  readonly offset: number
  readonly size: number
}

export interface NvsText {
  readonly namespace: string
  readonly key: string
  readonly value: string
}

const active = 0xfffffffe
const full = 0xfffffffc
const chunkLimit = (nvsEntryCount - 1) * 32

/**
 * Sets a string as a board's own NVS library does: the new entry is appended and the old one marked erased, so that an
 * interruption loses neither; a full partition is written anew with all its entries. Throws `nvs-bad-key`,
 * `nvs-bad-value`, `nvs-too-small`.
 */
export function saveNvsString(flash: FlashArray, range: NvsRange, text: NvsText): void {
  for (const name of [text.namespace, text.key]) {
    if (!/^[\x20-\x7e]{1,15}$/.test(name))
      throw new AppError('nvs-bad-key', `"${name}" is no NVS name of 1 to 15 characters`)
  }
  const data = new Uint8Array(Buffer.from(`${text.value}\0`, 'utf8'))
  if (data.length > 4000) throw new AppError('nvs-bad-value', `The value of ${text.key} is longer than 3999 bytes`)
  const entry: NvsEntry = { namespace: text.namespace, key: text.key, type: nvsType.string, data }
  if (!append(flash, range, entry)) rewrite(flash, range, entry)
}

function append(flash: FlashArray, range: NvsRange, entry: NvsEntry): boolean {
  const bytes = flash.read(range.offset, range.size)
  const slots = nvsSlots(bytes)
  const known = slots.find((slot) => slot.namespaceIndex === 0 && slot.key === entry.namespace)
  const index = known ? (bytes[known.offset + 24] ?? 0) : freeNamespaceIndex(bytes, slots)
  const encoded = [
    ...(known ? [] : [namespaceEntry(index, entry.namespace)]),
    ...payloadEntries({ index, key: entry.key, type: entry.type, chunk: 0xff }, entry.data),
  ]
  const page = pageWithRoom(flash, range, encoded.length)
  if (page === undefined) return false
  const start = firstFree(bytes, page)
  const old = slots.filter((slot) => slot.namespaceIndex === index && slot.key === entry.key)
  flash.write(range.offset + page + nvsEntriesAt + start * 32, new Uint8Array(Buffer.concat(encoded)))
  mark(flash, range, { page, index: start, span: encoded.length, state: 2 })
  for (const slot of old) mark(flash, range, { page: slot.page, index: slot.index, span: slot.span, state: 0 })
  return true
}

/** The active page, or a fresh one in its place while another blank page stays as the spare. */
function pageWithRoom(flash: FlashArray, range: NvsRange, entries: number): number | undefined {
  const bytes = flash.read(range.offset, range.size)
  const last = nvsPages(bytes).at(-1)
  if (last?.state !== active) return undefined
  if (firstFree(bytes, last.offset) + entries <= nvsEntryCount) return last.offset
  const blank: number[] = []
  for (let offset = 0; offset < bytes.length; offset += nvsPageBytes) {
    if (bytes.subarray(offset, offset + nvsPageBytes).every((byte) => byte === 0xff)) blank.push(offset)
  }
  const next = blank[0]
  if (next === undefined || blank.length < 2) return undefined
  flash.write(range.offset + last.offset, words(full))
  flash.write(range.offset + next, encodePage([], { sequence: last.sequence + 1, state: active }))
  return next
}

interface Mark {
  readonly page: number
  readonly index: number
  readonly span: number
  readonly state: 0 | 2
}

function mark(flash: FlashArray, range: NvsRange, { page, index, span, state }: Mark): void {
  for (let i = index; i < index + span; i++) {
    const mask = 0xff & ~((3 ^ state) << ((i & 3) * 2))
    flash.write(range.offset + page + 32 + (i >> 2), new Uint8Array([mask]))
  }
}

function firstFree(bytes: Uint8Array, page: number): number {
  let index = nvsEntryCount
  while (index > 0 && entryState(bytes, page, index - 1) === 3) index--
  return index
}

function freeNamespaceIndex(bytes: Uint8Array, slots: readonly NvsSlot[]): number {
  const used = new Set(slots.filter((slot) => slot.namespaceIndex === 0).map((slot) => bytes[slot.offset + 24]))
  for (let index = 1; index < 255; index++) if (!used.has(index)) return index
  throw new AppError('nvs-too-small', 'The NVS partition has no namespace left')
}

/** All entries packed anew, the page sequence from 0; an unreadable partition becomes a sound one. */
function rewrite(flash: FlashArray, range: NvsRange, entry: NvsEntry): void {
  const kept = readNvs(flash.read(range.offset, range.size)).filter(
    (one) => one.namespace !== entry.namespace || one.key !== entry.key,
  )
  const pages = encodePages([...kept, entry])
  if ((pages.length + 1) * nvsPageBytes > range.size) {
    throw new AppError('nvs-too-small', `The NVS partition of ${range.size} bytes is full`)
  }
  flash.erase(range.offset, range.size)
  for (const [index, page] of pages.entries()) flash.write(range.offset + index * nvsPageBytes, page)
}

function encodePages(entries: readonly NvsEntry[]): readonly Uint8Array[] {
  const pages: Uint8Array[][] = [[]]
  const put = (item: readonly Uint8Array[]) => {
    const last = pages.at(-1)
    if (last && last.length + item.length <= nvsEntryCount) last.push(...item)
    else pages.push([...item])
  }
  const indexes = new Map<string, number>()
  for (const { namespace, key, type, data } of entries) {
    let index = indexes.get(namespace)
    if (index === undefined) {
      index = indexes.size + 1
      indexes.set(namespace, index)
      put([namespaceEntry(index, namespace)])
    }
    if (type === nvsType.blobIndex) {
      const chunks = Math.ceil(data.length / chunkLimit)
      for (let chunk = 0; chunk < chunks; chunk++) {
        const part = data.subarray(chunk * chunkLimit, (chunk + 1) * chunkLimit)
        put(payloadEntries({ index, key, type: nvsType.blobData, chunk }, part))
      }
      put([
        plainEntry(
          { index, key, type, chunk: 0xff },
          Buffer.concat([words(data.length), Buffer.from([chunks, 0, 0xff, 0xff])]),
        ),
      ])
    } else if (type === nvsType.string || type === nvsType.blobV1)
      put(payloadEntries({ index, key, type, chunk: 0xff }, data))
    else put([plainEntry({ index, key, type, chunk: 0xff }, data)])
  }
  return pages.map((page, sequence) =>
    encodePage(page, { sequence, state: sequence === pages.length - 1 ? active : full }),
  )
}

function encodePage(
  entries: readonly Uint8Array[],
  { sequence, state }: { sequence: number; state: number },
): Uint8Array {
  const page = new Uint8Array(nvsPageBytes).fill(0xff)
  page.set(words(state, sequence))
  page[8] = 0xfe
  page.set(words(nvsCrc(page.subarray(4, 28))), 28)
  for (const [index, entry] of entries.entries()) {
    page.set(entry, nvsEntriesAt + index * 32)
    const at = 32 + (index >> 2)
    page[at] = (page[at] ?? 0xff) & ~(1 << ((index & 3) * 2))
  }
  return page
}

interface EntryHead {
  readonly index: number
  readonly key: string
  readonly type: number
  readonly chunk: number
}

function namespaceEntry(index: number, name: string): Uint8Array {
  const value = new Uint8Array(8).fill(0xff)
  value[0] = index
  return plainEntry({ index: 0, key: name, type: 0x01, chunk: 0xff }, value)
}

/** `value`: the last 8 bytes of the entry. */
function plainEntry({ index, key, type, chunk }: EntryHead, value: Uint8Array, span = 1): Uint8Array {
  const entry = new Uint8Array(32)
  entry.set([index, type, span, chunk])
  entry.set(Buffer.from(key, 'latin1').subarray(0, 15), 8)
  entry.set(value.subarray(0, 8), 24)
  entry.set(words(nvsCrc(Buffer.concat([entry.subarray(0, 4), entry.subarray(8)]))), 4)
  return entry
}

function payloadEntries(head: EntryHead, data: Uint8Array): Uint8Array[] {
  const count = Math.ceil(data.length / 32)
  const value = Buffer.concat([Buffer.from([data.length & 0xff, data.length >> 8, 0xff, 0xff]), words(nvsCrc(data))])
  const entries = [plainEntry(head, value, count + 1)]
  for (let i = 0; i < count; i++) {
    const part = new Uint8Array(32).fill(0xff)
    part.set(data.subarray(i * 32, (i + 1) * 32))
    entries.push(part)
  }
  return entries
}
