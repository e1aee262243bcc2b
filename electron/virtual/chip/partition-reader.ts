import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { wordAt } from './packet.ts'

export const tableOffset = 0x8000
export const tableBytes = 0xc00

export interface Partition {
  readonly label: string
  readonly type: number
  readonly subtype: number
  readonly offset: number
  readonly size: number
}

export type TableResult =
  | { readonly ok: true; readonly partitions: readonly Partition[] }
  | { readonly ok: false; readonly problem: 'magic'; readonly found: number }
  | { readonly ok: false; readonly problem: 'md5' | 'range' }

/** The 0xC00 bytes at 0x8000 (flashing.md §5). A table without the MD5 row is accepted, as the bootloader can be built so. */
export function readPartitionTable(bytes: Uint8Array, flashBytes: number): TableResult {
  const partitions: Partition[] = []
  for (let at = 0; at + 32 <= bytes.length; at += 32) {
    const magic = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
    if (magic === 0xebeb) {
      const digest = createHash('md5').update(bytes.subarray(0, at)).digest()
      if (!digest.equals(bytes.subarray(at + 16, at + 32))) return { ok: false, problem: 'md5' }
      break
    }
    if (magic === 0xffff && at > 0) break
    if (magic !== 0x50aa) return { ok: false, problem: 'magic', found: magic }
    const row = rowAt(bytes.subarray(at, at + 32))
    if (row.offset + row.size > flashBytes) return { ok: false, problem: 'range' }
    partitions.push(row)
  }
  return { ok: true, partitions }
}

function rowAt(row: Uint8Array): Partition {
  const label = row.subarray(12, 28)
  const end = label.indexOf(0)
  return {
    type: row[2] ?? 0,
    subtype: row[3] ?? 0,
    offset: wordAt(row, 4),
    size: wordAt(row, 8),
    label: Buffer.from(end < 0 ? label : label.subarray(0, end)).toString('latin1'),
  }
}

const stateInvalid = 3
const stateAborted = 4

/** App partitions in the order in which the bootloader tries them: what otadata names, then factory, then the slots. */
export function bootOrder(partitions: readonly Partition[], otadata: Uint8Array | undefined): readonly Partition[] {
  const apps = partitions.filter(({ type }) => type === 0)
  const slots = apps.filter(({ subtype }) => subtype >= 0x10 && subtype <= 0x1f).sort((a, b) => a.subtype - b.subtype)
  const factory = apps.filter(({ subtype }) => subtype === 0)
  const sequence = otadata ? chosenSequence(otadata) : undefined
  const chosen = sequence === undefined ? undefined : slots[(sequence - 1) % slots.length]
  return [...new Set([...(chosen ? [chosen] : []), ...factory, ...slots])]
}

/** Two sectors with a row each: sequence, 20 bytes label, state, CRC of the sequence. The higher valid one rules. */
function chosenSequence(otadata: Uint8Array): number | undefined {
  const valid = [0, 0x1000].flatMap((at) => {
    const sequence = wordAt(otadata, at)
    const state = wordAt(otadata, at + 24)
    const sound = crc32(otadata.subarray(at, at + 4), 0xffffffff) === wordAt(otadata, at + 28)
    return sound && sequence > 0 && sequence < 0xffffffff && state !== stateInvalid && state !== stateAborted
      ? [sequence]
      : []
  })
  return valid.length > 0 ? Math.max(...valid) : undefined
}
