import { AppError } from '../../base/app-error.ts'
import { type CsvRow, csvRows } from '../../base/csv-rows.ts'
import { valueFault, valueFromText } from '../../contract/thing-engine.ts'
import type { ReplayFault } from '../../contract/thing-replay.ts'
import type { ThingModel, ThingProperty, ThingValue } from '../../contract/thing.ts'

/** The values that change at one time; `atMs` from the first row. */
export interface ReplayRow {
  readonly atMs: number
  readonly values: Readonly<Record<string, ThingValue>>
}

interface Column {
  readonly name: string
  readonly at: number
  readonly property: ThingProperty
}

const maxChars = 700_000
const maxRows = 20_000
const maxFaults = 20
/** A Thing that is drawn for a lesson does not sleep for longer. */
const maxLengthMs = 31 * 24 * 3_600_000

const timeNames = /^(?:time|t|seconds?|secs?|s|timestamp|date|datetime|时间|时刻|秒)(?:$|[\s_([（])/i

/**
 * A file of measurements: a header, a time column (seconds, or ISO 8601) and a column for each property, by its name or
 * a spoken name. Separated by commas, semicolons or tabs. An empty cell changes nothing. Every fault is told, up to 20.
 * Throws thing-replay-bad for a text that is no such table or too large.
 */
export function readReplay(
  text: string,
  { properties }: Pick<ThingModel, 'properties'>,
): { rows: ReplayRow[] } | { faults: ReplayFault[] } {
  const [header, ...lines] = csvRows(text, {
    maxChars,
    maxRows,
    delimiter: delimiterOf(text),
    fault: (why) => new AppError('thing-replay-bad', why),
  })
  if (!header || lines.length === 0) throw new AppError('thing-replay-bad', 'It has no rows below its header')
  const { time, columns, faults } = columnsOf(header, properties)
  // Without it every row would be a fault of its own.
  if (time < 0) return { faults }
  const rows: ReplayRow[] = []
  let first: number | undefined
  for (const row of lines) {
    if (faults.length >= maxFaults) break
    const at = timeOf(row.fields[time] ?? '')
    first ??= at
    const bad = timeFault(at, { first, before: rows.at(-1)?.atMs ?? 0 })
    if (bad) faults.push({ ...bad, line: row.line, column: header.fields[time] ?? '', found: cut(row.fields[time]) })
    const values = valuesOf(row, columns, faults)
    rows.push({ atMs: at !== undefined && first !== undefined ? at - first : (rows.at(-1)?.atMs ?? 0), values })
  }
  return faults.length > 0 ? { faults: faults.slice(0, maxFaults) } : { rows }
}

/** The one that the header has most of. */
function delimiterOf(text: string): ',' | ';' | '\t' {
  const header = text.slice(0, 2000).split(/\r?\n|\r/, 1)[0] ?? ''
  const count = (sign: string) => header.split(sign).length
  return ([',', ';', '\t'] as const).reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}

function columnsOf(header: CsvRow, properties: readonly ThingProperty[]) {
  const names = header.fields.map((name) => name.trim())
  const time = names.findIndex((name) => timeNames.test(name))
  const faults: ReplayFault[] = []
  const fault = (code: ReplayFault['code'], column: string) =>
    void faults.push({ line: header.line, column: cut(column), code, found: '', wanted: '' })
  if (time < 0) fault('no-time', names[0] ?? '')
  const columns: Column[] = []
  names.forEach((name, at) => {
    if (at === time) return
    const property = properties.find((candidate) => isCalled(candidate, name))
    if (!property) fault('unknown-column', name)
    else if (columns.some((one) => one.property === property)) fault('twice', name)
    else columns.push({ name, at, property })
  })
  if (columns.length === 0 && faults.length === 0) fault('no-values', names[time] ?? '')
  return { time, columns, faults }
}

/** "temperature", "Temperature (°C)", 温度. */
function isCalled({ name, names }: ThingProperty, column: string): boolean {
  const plain = (text: string) =>
    text
      .replace(/[([（].*$/, '')
      .trim()
      .toLowerCase()
      .replaceAll(' ', '_')
  return [name, ...names.en, ...names.zh].some((one) => plain(one) === plain(column))
}

function timeOf(text: string): number | undefined {
  const cell = text.trim()
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(cell)) return Number(cell) * 1000
  // Without a zone two rows still have the distance that they say.
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/.test(cell)) return undefined
  const iso = cell.replace(' ', 'T')
  const at = Date.parse(/Z|[+-]\d{2}:?\d{2}$/.test(iso.slice(11)) ? iso : `${iso}Z`)
  return Number.isNaN(at) ? undefined : at
}

function timeFault(
  at: number | undefined,
  { first, before }: { first: number | undefined; before: number },
): Pick<ReplayFault, 'code' | 'wanted'> | undefined {
  if (at === undefined || first === undefined) return { code: 'bad-time', wanted: '' }
  if (at - first < before) return { code: 'time-back', wanted: '' }
  return at - first > maxLengthMs ? { code: 'bad-time', wanted: '' } : undefined
}

function valuesOf(row: CsvRow, columns: readonly Column[], faults: ReplayFault[]): Record<string, ThingValue> {
  const values: Record<string, ThingValue> = {}
  for (const { name, at, property } of columns) {
    const cell = (row.fields[at] ?? '').trim()
    if (cell === '') continue
    const value = valueFromText(property, plainTruth(property, cell))
    if (value !== undefined) values[property.name] = value
    else if (faults.length < maxFaults)
      faults.push({ line: row.line, column: name, code: 'bad-value', found: cut(cell), wanted: wanted(property, cell) })
  }
  return values
}

/** Tables say 1, on or yes as often as true. */
function plainTruth({ type }: ThingProperty, cell: string): string {
  if (type !== 'boolean') return cell
  if (/^(?:1|true|on|yes|开|是)$/i.test(cell)) return 'true'
  return /^(?:0|false|off|no|关|否)$/i.test(cell) ? 'false' : cell
}

function wanted(property: ThingProperty, cell: string): string {
  const value = property.type === 'integer' || property.type === 'number' ? Number(cell) : cell
  return valueFault(property, value) ?? ''
}

function cut(text: string | undefined): string {
  return (text ?? '').slice(0, 60)
}
