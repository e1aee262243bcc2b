import { crc32 } from 'node:zlib'

// One page of NVS version 2 by the table of its format (ESP-IDF's nvs_flash): an independent second writer.

export type ForeignEntry =
  | { readonly namespace: string; readonly key: string; readonly string: string }
  | { readonly namespace: string; readonly key: string; readonly u8: number }
  | { readonly namespace: string; readonly key: string; readonly blob: Uint8Array }

const slot = 32
const wordCrc = (bytes: Uint8Array) => crc32(bytes, 0xffffffff)

/** A partition of `size` bytes: one page with the entries in their order, then empty pages. */
export function foreignNvs(entries: readonly ForeignEntry[], size: number): Buffer {
  const slots: Buffer[] = []
  const namespaces: string[] = []
  for (const entry of entries) {
    let index = namespaces.indexOf(entry.namespace) + 1
    if (index === 0) {
      index = namespaces.push(entry.namespace)
      slots.push(head({ ns: 0, type: 0x01, span: 1 }, entry.namespace, Buffer.from([index])))
    }
    if ('u8' in entry) slots.push(head({ ns: index, type: 0x01, span: 1 }, entry.key, Buffer.from([entry.u8])))
    else if ('string' in entry)
      slots.push(...long({ ns: index, type: 0x21 }, entry.key, Buffer.from(`${entry.string}\0`)))
    else {
      slots.push(...long({ ns: index, type: 0x42 }, entry.key, Buffer.from(entry.blob)))
      const value = Buffer.alloc(8, 0xff)
      value.writeUInt32LE(entry.blob.length, 0)
      value.set([1, 0], 4)
      slots.push(head({ ns: index, type: 0x48, span: 1 }, entry.key, value))
    }
  }
  const content = Buffer.concat(slots)
  const used = content.length / slot
  if (used > 126) throw new Error('more than one page')
  const partition = Buffer.alloc(size, 0xff)
  partition.writeUInt32LE(0xfffffffe, 0)
  partition.writeUInt32LE(0, 4)
  partition.writeUInt8(0xfe, 8)
  partition.writeUInt32LE(wordCrc(partition.subarray(4, 28)), 28)
  for (let at = 0; at < used; at += 1) {
    const byte = 32 + (at >> 2)
    partition.writeUInt8(partition.readUInt8(byte) & ~(1 << ((at & 3) * 2)), byte)
  }
  content.copy(partition, 64)
  return partition
}

function head({ ns, type, span, chunk = 0xff }: Head, key: string, value: Uint8Array): Buffer {
  const bytes = Buffer.alloc(slot, 0xff)
  bytes.set([ns, type, span, chunk])
  bytes.fill(0, 8, 24)
  bytes.write(key, 8, 15, 'latin1')
  bytes.set(value, 24)
  bytes.writeUInt32LE(wordCrc(Buffer.concat([bytes.subarray(0, 4), bytes.subarray(8)])), 4)
  return bytes
}

interface Head {
  readonly ns: number
  readonly type: number
  readonly span: number
  readonly chunk?: number
}

function long({ ns, type }: Pick<Head, 'ns' | 'type'>, key: string, data: Buffer): Buffer[] {
  const padded = Buffer.alloc(Math.ceil(data.length / slot) * slot, 0xff)
  data.copy(padded)
  const value = Buffer.alloc(8, 0xff)
  value.writeUInt16LE(data.length, 0)
  value.writeUInt32LE(wordCrc(data), 4)
  const span = 1 + padded.length / slot
  const chunk = type === 0x42 ? 0 : 0xff
  return [head({ ns, type, span, chunk }, key, value), padded]
}
