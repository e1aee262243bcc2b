// Lines out of bytes, as either side of UART-MCP reads them (uart-mcp.md §1).

/** Longest line that is kept. A whole set of tools must fit in one (`mcp-tool`). */
export const longestLine = 32_768

/** One line as it crossed the wire, with its line end. */
export interface WireLine {
  readonly raw: Uint8Array
  /** Without line end; bytes that are no UTF-8 are replaced. */
  readonly text: string
  /** `none`: silence ended it, or it was cut at the limit. */
  readonly end: 'crlf' | 'lf' | 'none'
  /** Offset of the first byte that is no UTF-8; null where all is. */
  readonly badByte: number | null
  readonly cut: boolean
}

export interface LineSplitter {
  /** The lines that these bytes complete. A character may lie over two chunks. */
  push(bytes: Uint8Array): WireLine[]
  /** What waits for its line end becomes a line without one; undefined when nothing waits. */
  flush(): WireLine | undefined
  readonly waiting: number
}

const newline = 0x0a
const carriageReturn = 0x0d
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** `limit`: bytes of a line; what goes beyond is cut off as a line of its own, marked `cut`. */
export function createLineSplitter(limit = longestLine): LineSplitter {
  let kept: Uint8Array[] = []
  let waiting = 0

  function finish(cut: boolean): WireLine {
    const raw = joined(kept, waiting)
    kept = []
    waiting = 0
    return wireLine(raw, cut)
  }

  function keep(part: Uint8Array): void {
    if (part.length === 0) return
    // A copy: the reader's buffer may be filled again.
    kept.push(Uint8Array.from(part))
    waiting += part.length
  }

  return {
    push(bytes) {
      const lines: WireLine[] = []
      let start = 0
      while (start < bytes.length) {
        const found = bytes.indexOf(newline, start)
        const end = found === -1 ? bytes.length : found + 1
        const room = limit - waiting
        if (end - start > room) {
          keep(bytes.subarray(start, start + room))
          start += room
          lines.push(finish(true))
          continue
        }
        keep(bytes.subarray(start, end))
        start = end
        if (found !== -1) lines.push(finish(false))
      }
      return lines
    },
    flush: () => (waiting === 0 ? undefined : finish(false)),
    get waiting() {
      return waiting
    },
  }
}

/** The line of bytes that are one. */
export function wireLine(raw: Uint8Array, cut = false): WireLine {
  const end = raw.at(-1) !== newline ? 'none' : raw.at(-2) === carriageReturn ? 'crlf' : 'lf'
  const body = raw.subarray(0, raw.length - (end === 'crlf' ? 2 : end === 'lf' ? 1 : 0))
  return { raw, text: decoder.decode(body), end, badByte: badUtf8(body), cut }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1 && parts[0]) return parts[0]
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Offset of the first byte that no UTF-8 text has there; null when all is well. */
function badUtf8(bytes: Uint8Array): number | null {
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at)
    if (length === 0) return at
    at += length
  }
  return null
}

function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const length =
    first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0
  for (let more = 1; more < length; more += 1) {
    const [low, high] = more === 1 ? secondByte(first) : [0x80, 0xbf]
    const byte = bytes[at + more] ?? 0
    if (byte < low || byte > high) return 0
  }
  return length
}

/** Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte. */
function secondByte(first: number): readonly [number, number] {
  if (first === 0xe0) return [0xa0, 0xbf]
  if (first === 0xed) return [0x80, 0x9f]
  if (first === 0xf0) return [0x90, 0xbf]
  return first === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf]
}
