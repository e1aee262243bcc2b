import { AppError } from '../../base/app-error.ts'
import { csvRows } from '../../base/csv-rows.ts'
import { type NvsEntry, type NvsType, type NvsValue, integerWidth, isNvsType, nvsEntry, nvsValue } from './nvs-entry.ts'

/** Reads the file that a `file` row names; hand in one that knows the folder of the CSV. */
export type ReadFile = (path: string) => Uint8Array

const maxRows = 10_000
const maxText = 8 * 1024 * 1024

/**
 * The CSV of Espressif's generator: header `key,type,encoding,value`; rows of type `namespace`, `data` or `file`.
 * Throws `nvs-bad-table` for the shape (with the line), `nvs-bad-key`, `nvs-bad-value`.
 */
export function readNvsCsv(text: string, readFile: ReadFile): NvsEntry[] {
  const rows = csvRows(text, { maxChars: maxText, maxRows, fault: (why) => new AppError('nvs-bad-table', why) })
  const columns = rows[0]?.fields.map((field) => field.trim()) ?? []
  if (columns.join(',') !== 'key,type,encoding,value') {
    throw new AppError('nvs-bad-table', 'The first line must be key,type,encoding,value')
  }
  const entries: NvsEntry[] = []
  let namespace: string | undefined
  for (const { line, fields } of rows.slice(1)) {
    const [key = '', kind = '', encoding = '', value = ''] = fields
    if (kind.trim() === 'namespace') {
      namespace = key.trim()
      continue
    }
    if (namespace === undefined)
      throw new AppError('nvs-bad-table', `Line ${String(line)}: no namespace comes before it`)
    const content = kind.trim() === 'file' ? readFile(value.trim()) : kind.trim() === 'data' ? value : undefined
    if (content === undefined)
      throw new AppError('nvs-bad-table', `Line ${String(line)}: type "${kind.slice(0, 20)}" is unknown`)
    entries.push(nvsEntry(namespace, key.trim(), typedValue(encoding.trim(), content, line)))
  }
  return entries
}

/**
 * JSON: `{"entries":[{"namespace","key","type","value"}]}`, as `toNvsJson` makes it, or the array alone. Blobs are hex
 * text, 64-bit numbers may be text. Throws like the CSV reader.
 */
export function readNvsJson(text: string): NvsEntry[] {
  const rows = jsonRows(text)
  return rows.map((row, index) => {
    const { namespace, key, type, value } = Object(row) as Record<string, unknown>
    if (typeof namespace !== 'string' || typeof key !== 'string' || typeof type !== 'string' || !isNvsType(type)) {
      throw new AppError('nvs-bad-table', `Entry ${String(index)} needs namespace, key and a known type`)
    }
    return nvsEntry(namespace, key, { type, value: jsonValue(type, value, index) })
  })
}

export function toNvsJson(entries: readonly NvsEntry[]) {
  return entries.map((entry) => {
    const value = nvsValue(entry)
    const plain = typeof value === 'bigint' ? value.toString() : value instanceof Uint8Array ? hexOf(value) : value
    return { namespace: entry.namespace, key: entry.key, type: entry.type, value: plain }
  })
}

function jsonRows(text: string): readonly unknown[] {
  if (text.length > maxText) throw new AppError('nvs-bad-table', 'The file is larger than 8 MiB')
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw new AppError('nvs-bad-table', 'The file is not JSON', { cause })
  }
  const rows: unknown = Array.isArray(parsed) ? parsed : (Object(parsed) as { entries?: unknown }).entries
  if (!Array.isArray(rows) || rows.length > maxRows)
    throw new AppError('nvs-bad-table', 'The JSON has no list "entries"')
  return rows
}

function jsonValue(type: NvsType, value: unknown, index: number): NvsValue {
  if (integerWidth(type) !== undefined) {
    if (typeof value === 'number') return value
    if (typeof value === 'string') return integerOf(value, `Entry ${String(index)}`)
  } else if (typeof value === 'string') {
    return type === 'string' ? value : bytesOfHex(value, `Entry ${String(index)}`)
  }
  throw new AppError('nvs-bad-value', `Entry ${String(index)}: the value does not fit the type ${type}`)
}

function typedValue(encoding: string, content: string | Uint8Array, line: number): { type: NvsType; value: NvsValue } {
  const where = `Line ${String(line)}`
  const text = () => (typeof content === 'string' ? content : Buffer.from(content).toString('utf8'))
  if (encoding === 'string') return { type: 'string', value: text() }
  if (encoding === 'hex2bin') return { type: 'blob', value: bytesOfHex(text().trim(), where) }
  if (encoding === 'base64') return { type: 'blob', value: Uint8Array.from(Buffer.from(text().trim(), 'base64')) }
  if (encoding === 'binary') {
    return { type: 'blob', value: typeof content === 'string' ? Uint8Array.from(Buffer.from(content)) : content }
  }
  if (!isNvsType(encoding) || integerWidth(encoding) === undefined) {
    throw new AppError('nvs-bad-table', `${where}: encoding "${encoding.slice(0, 20)}" is unknown`)
  }
  return { type: encoding, value: integerOf(text().trim(), where) }
}

function integerOf(text: string, where: string): bigint {
  const match = /^(-?)(0x[0-9a-f]{1,16}|\d{1,20})$/i.exec(text)
  if (!match) throw new AppError('nvs-bad-value', `${where}: the value is no whole number`)
  const size = BigInt(match[2] ?? '')
  return match[1] === '-' ? -size : size
}

function bytesOfHex(text: string, where: string): Uint8Array {
  if (!/^([0-9a-f]{2})*$/i.test(text)) throw new AppError('nvs-bad-value', `${where}: the value is no hex text`)
  return Uint8Array.from(Buffer.from(text, 'hex'))
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
