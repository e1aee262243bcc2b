import { crc32 } from 'node:zlib'
import { wordAt } from './packet.ts'

/** One value of an NVS partition. `data` is as stored: 8 bytes for integers, text with its final zero, a whole blob. */
export interface NvsEntry {
  readonly namespace: string
  readonly key: string
  readonly type: number
  readonly data: Uint8Array
}

export const nvsType = { string: 0x21, blobV1: 0x41, blobData: 0x42, blobIndex: 0x48 } as const
export const nvsPageBytes = 0x1000
export const nvsEntriesAt = 64
export const nvsEntryCount = 126
const freeing = 0xfffffff8
const full = 0xfffffffc
const active = 0xfffffffe

/** Where an entry lies; `offset` is from the start of the partition. */
export interface NvsSlot {
  readonly offset: number
  readonly page: number
  readonly index: number
  readonly namespaceIndex: number
  readonly type: number
  readonly span: number
  readonly chunk: number
  readonly key: string
}

export interface NvsPage {
  readonly offset: number
  readonly state: number
  readonly sequence: number
}

/** Pages that hold entries, oldest first. Damaged pages are left out: a board goes on with what it can read. */
export function nvsPages(bytes: Uint8Array): readonly NvsPage[] {
  const pages: NvsPage[] = []
  for (let offset = 0; offset + nvsPageBytes <= bytes.length; offset += nvsPageBytes) {
    const state = wordAt(bytes, offset)
    if (state !== active && state !== full && state !== freeing) continue
    if (nvsCrc(bytes.subarray(offset + 4, offset + 28)) !== wordAt(bytes, offset + 28)) continue
    pages.push({ offset, state, sequence: wordAt(bytes, offset + 4) })
  }
  return pages.sort((a, b) => a.sequence - b.sequence)
}

/** Sound entries in the order in which they were written. */
export function nvsSlots(bytes: Uint8Array): readonly NvsSlot[] {
  return nvsPages(bytes).flatMap((page) => slotsOf(bytes, page.offset))
}

function slotsOf(bytes: Uint8Array, page: number): NvsSlot[] {
  const slots: NvsSlot[] = []
  for (let index = 0; index < nvsEntryCount; index++) {
    if (entryState(bytes, page, index) !== 2) continue
    const offset = page + nvsEntriesAt + index * 32
    const entry = bytes.subarray(offset, offset + 32)
    const covered = Buffer.concat([entry.subarray(0, 4), entry.subarray(8, 32)])
    const span = entry[2] ?? 0
    if (nvsCrc(covered) !== wordAt(entry, 4) || span === 0 || index + span > nvsEntryCount) continue
    const type = entry[1] ?? 0
    const chunk = entry[3] ?? 0xff
    slots.push({
      offset,
      page,
      index,
      namespaceIndex: entry[0] ?? 0,
      type,
      span,
      chunk,
      key: textOf(entry.subarray(8, 24)),
    })
    index += span - 1
  }
  return slots
}

/** 3 free, 2 written, 0 erased. */
export function entryState(bytes: Uint8Array, page: number, index: number): number {
  return ((bytes[page + 32 + (index >> 2)] ?? 0) >> ((index & 3) * 2)) & 3
}

/** Tolerant reader of NVS version 2 (flashing.md §6): the last sound value of a key counts, damage is skipped. */
export function readNvs(bytes: Uint8Array): readonly NvsEntry[] {
  const slots = nvsSlots(bytes)
  const names = new Map(
    slots.filter((slot) => slot.namespaceIndex === 0).map((slot) => [bytes[slot.offset + 24] ?? 0, slot.key]),
  )
  const found = new Map<string, NvsEntry>()
  for (const slot of slots) {
    const namespace = names.get(slot.namespaceIndex)
    if (slot.namespaceIndex === 0 || namespace === undefined || slot.type === nvsType.blobData) continue
    const data = dataOf(bytes, slots, slot)
    if (data) found.set(`${namespace}\0${slot.key}`, { namespace, key: slot.key, type: slot.type, data })
  }
  return [...found.values()]
}

/** The text of a string entry; undefined when the key is absent or has another type, as a board sees it. */
export function nvsString(entries: readonly NvsEntry[], namespace: string, key: string): string | undefined {
  const entry = entries.find((one) => one.namespace === namespace && one.key === key && one.type === nvsType.string)
  return entry && Buffer.from(entry.data.subarray(0, -1)).toString('utf8')
}

export function nvsBlob(entries: readonly NvsEntry[], namespace: string, key: string): Uint8Array | undefined {
  return entries.find((one) => one.namespace === namespace && one.key === key && one.type === nvsType.blobIndex)?.data
}

function dataOf(bytes: Uint8Array, slots: readonly NvsSlot[], slot: NvsSlot): Uint8Array | undefined {
  if (slot.type === nvsType.string || slot.type === nvsType.blobV1) return payloadOf(bytes, slot)
  if (slot.type !== nvsType.blobIndex) return bytes.slice(slot.offset + 24, slot.offset + 32)
  const size = wordAt(bytes, slot.offset + 24)
  const count = bytes[slot.offset + 28] ?? 0
  const first = bytes[slot.offset + 29] ?? 0
  const parts: Uint8Array[] = []
  for (let chunk = first; chunk < first + count; chunk++) {
    const part = slots.findLast(
      (one) =>
        one.type === nvsType.blobData &&
        one.namespaceIndex === slot.namespaceIndex &&
        one.key === slot.key &&
        one.chunk === chunk,
    )
    const payload = part && payloadOf(bytes, part)
    if (!payload) return undefined
    parts.push(payload)
  }
  const whole = new Uint8Array(Buffer.concat(parts))
  return whole.length === size ? whole : undefined
}

function payloadOf(bytes: Uint8Array, slot: NvsSlot): Uint8Array | undefined {
  const length = wordAt(bytes, slot.offset + 24) & 0xffff
  if (length > (slot.span - 1) * 32) return undefined
  const payload = bytes.slice(slot.offset + 32, slot.offset + 32 + length)
  return nvsCrc(payload) === wordAt(bytes, slot.offset + 28) ? payload : undefined
}

function textOf(raw: Uint8Array): string {
  const end = raw.indexOf(0)
  return Buffer.from(end < 0 ? raw : raw.subarray(0, end)).toString('latin1')
}

/** IEEE CRC-32 continued from FFFFFFFF (flashing.md §6). */
export function nvsCrc(bytes: Uint8Array): number {
  return crc32(bytes, 0xffffffff)
}
