/** Requests and responses of the ROM and of the stub (flashing.md §1.2, §1.3). All integers little-endian. */
export const opcode = {
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
  spiAttach: 0x0d,
  readFlashSlow: 0x0e,
  changeBaud: 0x0f,
  deflBegin: 0x10,
  deflData: 0x11,
  deflEnd: 0x12,
  md5: 0x13,
  securityInfo: 0x14,
  eraseFlash: 0xd0,
  eraseRegion: 0xd1,
  readFlash: 0xd2,
  runUserCode: 0xd3,
} as const

export interface Request {
  readonly op: number
  readonly data: Uint8Array
  readonly checksum: number
  /** False when the length field disagrees with the bytes that came. */
  readonly sound: boolean
}

/** Undefined for a frame that is no request (too short, or not `00` first). */
export function parseRequest(frame: Uint8Array): Request | undefined {
  if (frame.length < 8 || frame[0] !== 0) return undefined
  const data = frame.subarray(8)
  return {
    op: frame[1] ?? 0,
    data,
    checksum: wordAt(frame, 4),
    sound: ((frame[2] ?? 0) | ((frame[3] ?? 0) << 8)) === data.length,
  }
}

export interface Response {
  readonly op: number
  readonly value?: number
  readonly data?: Uint8Array
  /** 4 bytes from the ROM of an S3, 2 from the stub. */
  readonly status: Uint8Array
}

export function encodeResponse({ op, value = 0, data, status }: Response): Uint8Array {
  const length = (data?.length ?? 0) + status.length
  const frame = new Uint8Array(8 + length)
  const view = new DataView(frame.buffer)
  frame[0] = 1
  frame[1] = op
  view.setUint16(2, length, true)
  view.setUint32(4, value >>> 0, true)
  if (data) frame.set(data, 8)
  frame.set(status, 8 + (data?.length ?? 0))
  return frame
}

/** XOR of the payload bytes, seed EF. */
export function checksumOf(bytes: Uint8Array): number {
  let sum = 0xef
  for (const byte of bytes) sum ^= byte
  return sum
}

/** The word at `offset`; bytes past the end read as 0, as short requests do on the chip. */
export function wordAt(bytes: Uint8Array, offset: number): number {
  const byte = (index: number) => bytes[offset + index] ?? 0
  return (byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24)) >>> 0
}

export function words(...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4)
  const view = new DataView(bytes.buffer)
  values.forEach((value, index) => view.setUint32(index * 4, value >>> 0, true))
  return bytes
}
