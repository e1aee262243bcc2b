import { boardLine, boardStates, mcuLine } from './uart-wire.ts'

// What a serial receiver makes of a sender that has another speed: 8 data bits, no parity, 1 stop bit (uart-mcp.md §1).

/** Speeds that programs really use, the usual first. */
const knownBauds = [
  115_200, 9600, 57_600, 38_400, 19_200, 921_600, 460_800, 230_400, 74_880, 4800, 2400, 1200, 600, 300, 1_000_000,
  1_500_000, 2_000_000,
] as const

/** How far a receiver may be off: about half a bit over ten. */
const tolerance = 0.045

export function speedsFit(a: number, b: number): boolean {
  return Math.abs(a - b) / b <= tolerance
}

/**
 * The bytes that a receiver at `to` reads when a sender at `from` sends these after a silence, sampled in the middle of
 * each bit. Equal speeds change nothing.
 */
export function garbled(bytes: Uint8Array, from: number, to: number): Uint8Array {
  if (speedsFit(from, to)) return bytes
  const bits = bytes.length * 10
  const bitAt = (time: number) => Math.floor(time * from)
  const read: number[] = []
  for (let time = 0; bitAt(time) < bits;) {
    const start = firstBit(bytes, bitAt(time), 0)
    if (start >= bits) break
    const edge = Math.max(time, start / from)
    let byte = 0
    for (let at = 0; at < 8; at += 1) byte |= levelAt(bytes, bitAt(edge + (at + 1.5) / to)) << at
    read.push(byte)
    // The next start bit is looked for from the middle of the stop bit on, and not before the line was high.
    const stop = edge + 9.5 / to
    time = Math.max(stop, firstBit(bytes, bitAt(stop), 1) / from)
  }
  return Uint8Array.from(read)
}

/** The first bit of the sender from `bit` on that has this level. */
function firstBit(bytes: Uint8Array, bit: number, level: 0 | 1): number {
  let at = bit
  while (at < bytes.length * 10 && levelAt(bytes, at) !== level) at += 1
  return at
}

/** The line at a bit of the sender: start bit low, data with the lowest bit first, stop bit high; idle is high. */
function levelAt(bytes: Uint8Array, bit: number): 0 | 1 {
  const byte = bytes[Math.floor(bit / 10)]
  const at = bit % 10
  if (byte === undefined || bit < 0 || at === 9) return 1
  return at > 0 && (byte >> (at - 1)) & 1 ? 1 : 0
}

/** How lines of either side begin; the first bytes after a silence are one of these. */
const beginnings = [
  mcuLine({ type: 'mcp-responsive', status: 'true' }),
  mcuLine({ type: 'mcp-responsive', status: 'false' }),
  mcuLine({ type: 'volume-check' }),
  mcuLine({ type: 'volume-set', volume: 70 }),
  mcuLine({ type: 'wake-up', seconds: 30 }),
  mcuLine({ type: 'baudrate-set', baud: 115_200 }),
  mcuLine({ type: 'mcp-tool', tools: [{ name: '', description: '', properties: {} }] }).slice(0, 60),
  boardLine({ type: 'call', name: '', arguments: {} }).slice(0, 40),
  boardLine({ type: 'subtitle-end' }),
  ...boardStates.map((state) => boardLine({ type: 'state', state })),
].map((text) => new TextEncoder().encode(text))

/** Shorter agreement may be chance. */
const leastAgreement = 5

interface Explanation {
  readonly baud: number
  readonly bytes: Uint8Array
}

/** What each known speed makes of each beginning for a receiver at `baud`; kept for the speed that was asked last. */
let explained: { readonly baud: number; readonly all: readonly Explanation[] } | undefined

function explanationsFor(baud: number): readonly Explanation[] {
  if (explained?.baud !== baud) {
    const others = knownBauds.filter((known) => !speedsFit(known, baud))
    const all = others.flatMap((from) => beginnings.map((text) => ({ baud: from, bytes: garbled(text, from, baud) })))
    explained = { baud, all }
  }
  return explained.all
}

/**
 * The speed at which the sender of these bytes, read at `baud` right after a silence, seems to send; undefined when no
 * known speed explains them.
 */
export function guessBaud(bytes: Uint8Array, baud: number): number | undefined {
  let best: { baud: number; agreement: number } | undefined
  for (const { baud: from, bytes: expected } of explanationsFor(baud)) {
    const agreement = commonStart(expected, bytes)
    const enough = Math.min(leastAgreement, expected.length)
    if (agreement >= enough && agreement > (best?.agreement ?? 1)) best = { baud: from, agreement }
  }
  return best?.baud
}

function commonStart(a: Uint8Array, b: Uint8Array): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return length
}
