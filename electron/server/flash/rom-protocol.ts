/** Opcodes of ROM and stub (flashing.md §1.3). */
export const op = {
  flashBegin: 0x02,
  flashData: 0x03,
  flashEnd: 0x04,
  memBegin: 0x05,
  memEnd: 0x06,
  memData: 0x07,
  sync: 0x08,
  writeReg: 0x09,
  readReg: 0x0a,
  spiSetParams: 0x0b,
  changeBaud: 0x0f,
  deflBegin: 0x10,
  deflData: 0x11,
  deflEnd: 0x12,
  flashMd5: 0x13,
  securityInfo: 0x14,
  eraseFlash: 0xd0,
  eraseRegion: 0xd1,
  readFlash: 0xd2,
  runUserCode: 0xd3,
} as const
export type Opcode = (typeof op)[keyof typeof op]

export const syncData = Uint8Array.from([0x07, 0x07, 0x12, 0x20, ...new Array<number>(32).fill(0x55)])
export const stubHello = Uint8Array.from([0x4f, 0x48, 0x41, 0x49])
const delimiter = 0xc0
const escape = 0xdb
const checksumSeed = 0xef
/** Longest answer is a read-flash frame of 4096 bytes; anything longer is noise. */
const maxFrame = 16 * 1024

export function words(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => bytes.writeUInt32LE(value >>> 0, index * 4))
  return bytes
}

/** XOR of the payload alone, not of its block header. */
export function checksum(payload: Uint8Array): number {
  let sum = checksumSeed
  for (const byte of payload) sum ^= byte
  return sum
}

/** A request without its SLIP frame. `sum` is 0 for all but the three DATA opcodes. */
export function encodeRequest(opcode: Opcode, parts: readonly Uint8Array[], sum = 0): Uint8Array {
  const length = parts.reduce((total, part) => total + part.length, 0)
  const head = Buffer.alloc(8)
  head.writeUInt8(opcode, 1)
  head.writeUInt16LE(length, 2)
  head.writeUInt32LE(sum, 4)
  return Buffer.concat([head, ...parts])
}

export function encodeSlip(bytes: Uint8Array): Uint8Array {
  let length = bytes.length + 2
  for (const byte of bytes) if (byte === delimiter || byte === escape) length += 1
  const frame = Buffer.allocUnsafe(length)
  let at = 0
  frame[at++] = delimiter
  for (const byte of bytes) {
    if (byte === delimiter || byte === escape) {
      frame[at++] = escape
      frame[at++] = byte === delimiter ? 0xdc : 0xdd
    } else frame[at++] = byte
  }
  frame[at] = delimiter
  return frame
}

export interface Answer {
  readonly opcode: number
  readonly value: number
  /** Data and status, as they came. */
  readonly body: Uint8Array
}

/** Null when the bytes are no answer: text, noise, or a bare frame. */
export function decodeAnswer(frame: Uint8Array): Answer | null {
  const view = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
  if (view.length < 10 || view[0] !== 0x01 || view.readUInt16LE(2) !== view.length - 8) return null
  return { opcode: view.readUInt8(1), value: view.readUInt32LE(4), body: view.subarray(8) }
}

/**
 * What lies between two delimiters, unescaped. Every C0 ends one candidate and starts the next, so noise that holds
 * a C0 costs no frame behind it; whoever reads tells frames from noise. Feed it chunks of any size.
 */
export function createFrameReader() {
  let pending = Buffer.alloc(256)
  let length = 0
  let escaped = false
  let dropped = 0

  function put(byte: number): void {
    if (length === maxFrame) {
      // Text without end: its newest half is kept, because a reset banner may be in it.
      dropped += maxFrame / 2
      pending.copyWithin(0, maxFrame / 2, length)
      length = maxFrame / 2
    }
    if (length === pending.length) pending = Buffer.concat([pending], Math.min(maxFrame, pending.length * 4))
    pending[length++] = byte
  }

  return {
    push(chunk: Uint8Array): Uint8Array[] {
      const frames: Uint8Array[] = []
      for (const byte of chunk) {
        if (byte === delimiter) {
          if (length > 0) frames.push(Uint8Array.from(pending.subarray(0, length)))
          length = 0
          escaped = false
        } else if (escaped) {
          escaped = false
          put(byte === 0xdc ? delimiter : byte === 0xdd ? escape : byte)
        } else if (byte === escape) escaped = true
        else put(byte)
      }
      return frames
    },
    /** Bytes since the last delimiter: the start of a frame, or text. */
    rest: (): Uint8Array => pending.subarray(0, length),
    /** Bytes of endless text that were thrown away since the last call. */
    takeDropped(): number {
      const count = dropped
      dropped = 0
      return count
    },
    clear(): void {
      length = 0
      escaped = false
    },
  }
}

const reasons: Readonly<Record<number, string>> = {
  0x01: 'bad parameter',
  0x05: 'message not supported',
  0x06: 'operation failed',
  0x07: 'checksum',
  0x08: 'flash write',
  0x09: 'flash read',
  0x0a: 'read length',
  0x0b: 'deflate',
  0x0c: 'adler checksum of the deflate stream',
  0x0d: 'deflate parameter',
  0x0e: 'RAM size',
  0x0f: 'RAM address',
  0xc0: 'length',
  0xc1: 'checksum',
  0xc2: 'block size',
  0xc3: 'command',
  0xc4: 'SPI operation',
  0xc5: 'SPI unlock',
  0xc6: 'not in flash mode',
  0xc7: 'inflate',
  0xc8: 'not enough data',
  0xc9: 'too much data',
  0xff: 'not implemented',
}

/** Error byte of ROM or stub in words (flashing.md §1.5). */
export function reasonText(reason: number): string {
  return `${reasons[reason] ?? 'unknown'} (0x${reason.toString(16).padStart(2, '0').toUpperCase()})`
}

export function isChecksumReason(reason: number): boolean {
  return reason === 0xc1 || reason === 0x07
}

export interface BootText {
  /** As the ROM names it, such as `RTCWDT_BROWN_OUT_RST`. */
  readonly reason: string
  /** 8 = from flash, 0 = download. */
  readonly bootCode: number
}

/** The last reset line of the ROM in a text, if there is one (flashing.md §9.2). */
export function findBootText(text: string): BootText | null {
  const match = [...text.matchAll(/rst:0x([0-9a-f]{1,2}) \(([^)\r\n]{1,40})\),boot:0x([0-9a-f]{1,2})/gi)].at(-1)
  return match ? { reason: match[2] ?? '', bootCode: parseInt(match[3] ?? '', 16) } : null
}
