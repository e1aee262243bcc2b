import { AppError } from '../../base/app-error.ts'

/** Type byte of an entry (flashing.md §6). `blob-v1` is the one-page blob of old firmware: kept as it is. */
export const nvsTypeCodes = {
  u8: 0x01,
  i8: 0x11,
  u16: 0x02,
  i16: 0x12,
  u32: 0x04,
  i32: 0x14,
  u64: 0x08,
  i64: 0x18,
  string: 0x21,
  'blob-v1': 0x41,
  blob: 0x42,
} as const
export type NvsType = keyof typeof nvsTypeCodes

/** Value as stored: integers little-endian, a string with its final zero, a blob as it is. */
export interface NvsEntry {
  readonly namespace: string
  readonly key: string
  readonly type: NvsType
  readonly bytes: Uint8Array
}

export type NvsValue = number | bigint | string | Uint8Array

/** Longest string in bytes, with its final zero. */
export const maxStringBytes = 4000
const maxBlobBytes = 508_000
const maxKeyLength = 15

export function isNvsType(name: string): name is NvsType {
  return Object.hasOwn(nvsTypeCodes, name)
}

/** Throws `nvs-bad-key` (namespace or key not 1 to 15 bytes) and `nvs-bad-value` (range, length, zero inside a text). */
export function nvsEntry(namespace: string, key: string, typed: { type: NvsType; value: NvsValue }): NvsEntry {
  checkKey('namespace', namespace)
  checkKey('key', key)
  return {
    namespace,
    key,
    type: typed.type,
    bytes: Uint8Array.from(encode(`${namespace}/${key}`, typed.type, typed.value)),
  }
}

/** The value as a program reads it: number up to 32 bits, bigint for 64, text, bytes. */
export function nvsValue(entry: NvsEntry): NvsValue {
  const view = Buffer.from(entry.bytes.buffer, entry.bytes.byteOffset, entry.bytes.byteLength)
  switch (entry.type) {
    case 'u8':
    case 'u16':
    case 'u32':
      return view.readUIntLE(0, view.length)
    case 'i8':
    case 'i16':
    case 'i32':
      return view.readIntLE(0, view.length)
    case 'u64':
      return view.readBigUInt64LE(0)
    case 'i64':
      return view.readBigInt64LE(0)
    case 'string':
      return view.subarray(0, Math.max(0, view.length - 1)).toString('utf8')
    case 'blob':
    case 'blob-v1':
      return entry.bytes
  }
}

/** Bytes of an integer type, undefined for strings and blobs. */
export function integerWidth(type: NvsType): number | undefined {
  const width = nvsTypeCodes[type] & 0x0f
  return nvsTypeCodes[type] < 0x20 ? width : undefined
}

function checkKey(what: string, name: string): void {
  const length = Buffer.byteLength(name)
  if (length < 1 || length > maxKeyLength || name.includes('\0')) {
    throw new AppError(
      'nvs-bad-key',
      `The ${what} "${name.slice(0, 40)}" has ${String(length)} bytes; 1 to 15 are allowed`,
    )
  }
}

/** Messages name the entry, never its value: it may be a password. */
function encode(where: string, type: NvsType, value: NvsValue): Uint8Array {
  const width = integerWidth(type)
  if (width !== undefined) return encodeInteger(where, { type, width }, value)
  if (type === 'string') {
    if (typeof value !== 'string') throw new AppError('nvs-bad-value', `${where} is a string, but the value is none`)
    const bytes = Buffer.from(`${value}\0`, 'utf8')
    if (value.includes('\0')) throw new AppError('nvs-bad-value', `${where} has a zero byte inside`)
    if (bytes.length > maxStringBytes) {
      throw new AppError('nvs-bad-value', `${where} has ${String(bytes.length - 1)} bytes; 3999 are allowed`)
    }
    return bytes
  }
  if (!(value instanceof Uint8Array)) throw new AppError('nvs-bad-value', `${where} is a blob, but the value is none`)
  const limit = type === 'blob' ? maxBlobBytes : 1984
  if (value.length > limit) {
    throw new AppError('nvs-bad-value', `${where} has ${String(value.length)} bytes; ${String(limit)} are allowed`)
  }
  return value
}

function encodeInteger(where: string, kind: { type: NvsType; width: number }, value: NvsValue): Uint8Array {
  if (typeof value === 'number' ? !Number.isSafeInteger(value) : typeof value !== 'bigint') {
    throw new AppError('nvs-bad-value', `${where} is a ${kind.type}, but the value is no whole number`)
  }
  const number = BigInt(value as number | bigint)
  const bits = BigInt(kind.width * 8)
  const signed = kind.type.startsWith('i')
  const low = signed ? -(1n << (bits - 1n)) : 0n
  const high = signed ? (1n << (bits - 1n)) - 1n : (1n << bits) - 1n
  if (number < low || number > high) throw new AppError('nvs-bad-value', `${where} does not fit into a ${kind.type}`)
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt.asUintN(64, number))
  return bytes.subarray(0, kind.width)
}
