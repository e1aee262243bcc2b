/**
 * SLIP framing (flashing.md §1.1). The decoder is a function from (state, chunk) to (state, frames): bytes outside a
 * frame are a result (`noise`), a broken or endless frame is dropped and counted.
 */
export interface SlipState {
  readonly open: boolean
  readonly escaping: boolean
  /** Unescaped bytes of the frame that is still open. */
  readonly partial: Uint8Array
}

export interface SlipResult {
  readonly state: SlipState
  readonly frames: readonly Uint8Array[]
  readonly noise: number
  readonly broken: number
}

const END = 0xc0
const ESC = 0xdb
const ESC_END = 0xdc
const ESC_ESC = 0xdd

/** The largest frame that a flasher sends is a 0x4000 block with its two headers; four times that is surely lost sync. */
export const slipFrameLimit = 0x10000

export const slipStart: SlipState = { open: false, escaping: false, partial: new Uint8Array(0) }

export function decodeSlip(start: SlipState, chunk: Uint8Array): SlipResult {
  const frames: Uint8Array[] = []
  let { open, escaping } = start
  let noise = 0
  let broken = 0
  let out = new Uint8Array(start.partial.length + chunk.length)
  out.set(start.partial)
  let length = start.partial.length

  const drop = () => {
    open = false
    escaping = false
    length = 0
    broken++
  }

  for (let i = 0; i < chunk.length; i++) {
    const byte = chunk[i] ?? 0
    if (byte === END) {
      if (!open) open = true
      else if (escaping) drop()
      else if (length > 0) {
        frames.push(out.subarray(0, length))
        out = new Uint8Array(chunk.length - i)
        length = 0
        open = false
      }
    } else if (!open) noise++
    else if (escaping) {
      escaping = false
      if (byte === ESC_END) out[length++] = END
      else if (byte === ESC_ESC) out[length++] = ESC
      else drop()
    } else if (byte === ESC) escaping = true
    else out[length++] = byte
    if (length > slipFrameLimit) drop()
  }
  return { state: { open, escaping, partial: out.slice(0, length) }, frames, noise, broken }
}

export function encodeSlip(payload: Uint8Array): Uint8Array {
  let escapes = 0
  for (const byte of payload) if (byte === END || byte === ESC) escapes++
  const out = new Uint8Array(payload.length + escapes + 2)
  let at = 0
  out[at++] = END
  for (const byte of payload) {
    if (byte === END || byte === ESC) {
      out[at++] = ESC
      out[at++] = byte === END ? ESC_END : ESC_ESC
    } else out[at++] = byte
  }
  out[at] = END
  return out
}
