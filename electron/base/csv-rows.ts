export interface CsvRow {
  /** The line of the text on which it begins, from 1. */
  readonly line: number
  readonly fields: string[]
}

export interface CsvLimits {
  readonly maxChars: number
  readonly maxRows: number
  /** One character; a comma by default. */
  readonly delimiter?: ',' | ';' | '\t'
  /** What is thrown for a text that is no table; `why` is a whole clause. */
  readonly fault: (why: string) => Error
}

const fields = {
  ',': /("(?:[^"]|"")*"|(?!")[^,\r\n]*)(,|\r?\n|\r|$)/y,
  ';': /("(?:[^"]|"")*"|(?!")[^;\r\n]*)(;|\r?\n|\r|$)/y,
  '\t': /("(?:[^"]|"")*"|(?!")[^\t\r\n]*)(\t|\r?\n|\r|$)/y,
}

/** RFC 4180 with either line end; quoted fields may hold commas, quotes (doubled) and line ends. `#` starts a comment line. */
export function csvRows(text: string, { maxChars, maxRows, delimiter = ',', fault }: CsvLimits): CsvRow[] {
  if (text.length > maxChars) throw fault(`The file has more than ${String(maxChars)} characters`)
  const rows: CsvRow[] = []
  const field = new RegExp(fields[delimiter])
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  let row: string[] = []
  let line = 1
  let start = 1
  while (field.lastIndex < source.length || row.length > 0) {
    const match = field.exec(source)
    if (!match) throw fault(`Line ${String(line)}: a quote is not closed`)
    const [, raw = '', end = ''] = match
    row.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw)
    line += raw.split('\n').length - 1
    if (end === delimiter) continue
    if (row.length > 1 || (row[0] ?? '').trim() !== '') {
      if (!(row[0] ?? '').startsWith('#')) rows.push({ line: start, fields: row })
    }
    if (rows.length > maxRows) throw fault(`More than ${String(maxRows)} rows`)
    row = []
    line += 1
    start = line
  }
  return rows
}
