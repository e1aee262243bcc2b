import { AppError } from '../../base/app-error.ts'
import { type NvsEntry, type NvsType, integerWidth, nvsTypeCodes } from './nvs-entry.ts'
import { blobIndexCode, entriesPerPage, entrySize, nvsCrc, pageSize, pageStates } from './nvs-image.ts'

export interface NvsPage {
  readonly index: number
  readonly state: keyof typeof pageStates | 'unknown'
  readonly sequence: number | null
  readonly written: number
}

export interface NvsContent {
  /** In the order they were written; of two values of one key the newest. */
  readonly entries: readonly NvsEntry[]
  readonly pages: readonly NvsPage[]
  /** What was skipped: bad CRCs, missing chunks. Values are never named. */
  readonly problems: readonly string[]
}

const maxNvsSize = 4 * 1024 * 1024
const typeNames = new Map<number, NvsType>(Object.entries(nvsTypeCodes).map(([name, code]) => [code, name as NvsType]))

/**
 * Reads a partition as a board would, skipping what is damaged. Throws `nvs-corrupt` when it is not blank and has no
 * page that can be read, or when its size is no multiple of 4096 up to 4 MiB.
 */
export function readNvs(bytes: Uint8Array): NvsContent {
  if (bytes.length === 0 || bytes.length % pageSize !== 0 || bytes.length > maxNvsSize) {
    throw new AppError('nvs-corrupt', `${String(bytes.length)} bytes are no NVS partition`)
  }
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const problems: string[] = []
  const pages = Array.from({ length: view.length / pageSize }, (_, index) =>
    readPage(view.subarray(index * pageSize, (index + 1) * pageSize), { index, problems }),
  )
  const readable = pages.filter(({ items }) => items !== null)
  if (readable.length === 0 && view.some((byte) => byte !== 0xff)) {
    throw new AppError('nvs-corrupt', 'No page of the NVS partition can be read')
  }
  const items = readable
    .sort((a, b) => (a.page.sequence ?? 0) - (b.page.sequence ?? 0))
    .flatMap((page) => page.items ?? [])
  return { entries: collect(items, problems), pages: pages.map(({ page }) => page), problems }
}

interface Item {
  readonly space: number
  readonly code: number
  readonly chunk: number
  readonly key: string
  readonly field: Buffer
  readonly data: Buffer
}

interface PageRead {
  readonly page: NvsPage
  readonly items: Item[] | null
}

interface PageContext {
  readonly index: number
  readonly problems: string[]
}

function readPage(view: Buffer, { index, problems }: PageContext): PageRead {
  const code = view.readUInt32LE(0)
  const name = (Object.keys(pageStates) as (keyof typeof pageStates)[]).find((state) => pageStates[state] === code)
  const blank: NvsPage = { index, state: name ?? 'unknown', sequence: null, written: 0 }
  if (name !== 'active' && name !== 'full' && name !== 'freeing') {
    if (view.some((byte) => byte !== 0xff)) problems.push(`page ${String(index)} has the state ${blank.state}`)
    return { page: blank, items: null }
  }
  if (nvsCrc(view.subarray(4, 28)) !== view.readUInt32LE(28)) {
    problems.push(`page ${String(index)} has a wrong header CRC`)
    return { page: blank, items: null }
  }
  const items: Item[] = []
  let written = 0
  for (let slot = 0; slot < entriesPerPage;) {
    if (((view.readUInt8(32 + (slot >> 2)) >> ((slot & 3) * 2)) & 3) !== 2) {
      slot += 1
      continue
    }
    const read = readItem(view, slot)
    if (read.item) items.push(read.item)
    else problems.push(`page ${String(index)} entry ${String(slot)}: ${read.problem}`)
    written += read.span
    slot += read.span
  }
  return { page: { ...blank, sequence: view.readUInt32LE(4), written }, items }
}

type ItemRead = { item: Item; span: number } | { item: null; span: number; problem: string }

function readItem(view: Buffer, slot: number): ItemRead {
  const at = 64 + slot * entrySize
  const head = view.subarray(at, at + entrySize)
  if (nvsCrc(head.subarray(0, 4), head.subarray(8, 32)) !== head.readUInt32LE(4)) {
    return { item: null, span: 1, problem: 'wrong CRC' }
  }
  const span = head.readUInt8(2)
  const code = head.readUInt8(1)
  const sized = code === nvsTypeCodes.string || code === nvsTypeCodes.blob || code === nvsTypeCodes['blob-v1']
  if (span < 1 || slot + span > entriesPerPage) return { item: null, span: 1, problem: 'runs past its page' }
  const length = sized ? head.readUInt16LE(24) : 0
  if (length > (span - 1) * entrySize) return { item: null, span, problem: 'is longer than its entries' }
  const data = view.subarray(at + entrySize, at + entrySize + length)
  if (sized && nvsCrc(data) !== head.readUInt32LE(28)) return { item: null, span, problem: 'wrong CRC of the data' }
  const key = head.subarray(8, 24)
  const zero = key.indexOf(0)
  return {
    item: {
      space: head.readUInt8(0),
      code,
      chunk: head.readUInt8(3),
      key: key.subarray(0, zero === -1 ? 16 : zero).toString('utf8'),
      field: head.subarray(24, 32),
      data,
    },
    span,
  }
}

function collect(items: readonly Item[], problems: string[]): NvsEntry[] {
  const names = new Map<number, string>()
  for (const item of items) {
    if (item.space === 0) names.set(item.field.readUInt8(0), item.key)
  }
  // A key is written anew before the old entry is erased: after a power cut both exist, and the later one counts.
  const entries = new Map<string, NvsEntry>()
  for (const item of items) {
    if (item.space === 0 || item.code === nvsTypeCodes.blob) continue
    const namespace = names.get(item.space)
    const read = namespace === undefined ? `namespace ${String(item.space)} has no name` : valueOf(item, items)
    if (typeof read === 'string') {
      problems.push(`"${item.key}": ${read}`)
      continue
    }
    const name = `${namespace ?? ''}\0${item.key}`
    entries.delete(name)
    entries.set(name, { namespace: namespace ?? '', key: item.key, ...read })
  }
  return [...entries.values()]
}

/** The typed bytes, or why there are none. */
function valueOf(item: Item, items: readonly Item[]): { type: NvsType; bytes: Uint8Array } | string {
  if (item.code === blobIndexCode) return blobOf(item, items)
  const type = typeNames.get(item.code)
  if (type === undefined) return `unknown type ${String(item.code)}`
  const width = integerWidth(type)
  return { type, bytes: Uint8Array.from(width === undefined ? item.data : item.field.subarray(0, width)) }
}

function blobOf(index: Item, items: readonly Item[]): { type: NvsType; bytes: Uint8Array } | string {
  const size = index.field.readUInt32LE(0)
  const count = index.field.readUInt8(4)
  const first = index.field.readUInt8(5)
  const chunks = Array.from({ length: count }, (_, offset) =>
    items.findLast(
      (item) =>
        item.code === nvsTypeCodes.blob &&
        item.space === index.space &&
        item.key === index.key &&
        item.chunk === first + offset,
    ),
  )
  if (chunks.includes(undefined)) return 'a chunk is missing'
  const bytes = Buffer.concat(chunks.flatMap((chunk) => (chunk ? [chunk.data] : [])))
  return bytes.length === size ? { type: 'blob', bytes: Uint8Array.from(bytes) } : 'its chunks have another size'
}
