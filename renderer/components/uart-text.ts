import type { UartFault, UartLine, UartSession } from '../../electron/contract/uart.ts'

/** A line's bytes from its base64. */
export function bytesOf(raw: string): Uint8Array {
  return Uint8Array.from(atob(raw), (char) => char.charCodeAt(0))
}

export interface HexRow {
  readonly offset: number
  readonly bytes: readonly { readonly at: number; readonly hex: string; readonly char: string }[]
}

const PRINTABLE = { from: 0x20, to: 0x7e }

/** Sixteen bytes a row, as hex and as ASCII; what cannot be printed is a dot. */
export function hexRows(bytes: Uint8Array): HexRow[] {
  const rows = Math.ceil(bytes.length / 16)
  return Array.from({ length: rows }, (_, row) => ({
    offset: row * 16,
    bytes: [...bytes.slice(row * 16, row * 16 + 16)].map((byte, index) => ({
      at: row * 16 + index,
      hex: byte.toString(16).padStart(2, '0').toUpperCase(),
      char: byte >= PRINTABLE.from && byte <= PRINTABLE.to ? String.fromCharCode(byte) : '·',
    })),
  }))
}

export interface TextPiece {
  readonly text: string
  readonly fault: UartFault | null
}

/** The text of a line, cut where rules break: faults count bytes, a page counts characters. */
export function markedText(text: string, faults: readonly UartFault[]): TextPiece[] {
  const sorted = [...faults].sort((left, right) => left.byte - right.byte)
  const chars = Array.from(text)
  const pieces: TextPiece[] = []
  let [bytes, plain, next] = [0, '', 0]
  const flush = () => {
    if (plain !== '') pieces.push({ text: plain, fault: null })
    plain = ''
  }
  for (const char of chars) {
    const width = new TextEncoder().encode(char).length
    const fault = sorted[next]
    if (fault && fault.byte < bytes + width) {
      flush()
      pieces.push({ text: char, fault })
      while (sorted[next] && (sorted[next]?.byte ?? 0) < bytes + width) next++
    } else plain += char
    bytes += width
  }
  flush()
  // A rule that breaks at the end of the line, such as the missing \r\n, has no character of its own.
  if (sorted[next]) pieces.push({ text: '␤', fault: sorted[next] ?? null })
  return pieces
}

/** Words that all must be in a line; `errors` stands for lines with a fault. */
export function filterLines(lines: readonly UartLine[], query: string): readonly UartLine[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return lines
  return lines.filter((line) => {
    const text = `${line.kind} ${line.from} ${line.decoded} ${line.text}`.toLowerCase()
    return words.every((word) => (word === 'errors' ? line.faults.length > 0 : text.includes(word)))
  })
}

/** The newest open port, else the newest one. */
export function firstSession(sessions: readonly UartSession[]): UartSession | null {
  return sessions.find(({ state }) => state === 'open') ?? sessions[0] ?? null
}

/** How many lines joined (or, negative, left) above those that both windows hold; 0 when they share none. */
export function linesAbove(before: readonly Pick<UartLine, 'seq'>[], now: readonly Pick<UartLine, 'seq'>[]): number {
  const [old, first] = [before[0]?.seq, now[0]?.seq]
  if (old === undefined || first === undefined || old === first) return 0
  const joined = now.findIndex(({ seq }) => seq === old)
  const left = before.findIndex(({ seq }) => seq === first)
  if (first < old) return Math.max(0, joined)
  return left > 0 ? -left : 0
}
