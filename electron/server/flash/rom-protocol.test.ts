import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  checksum,
  createFrameReader,
  decodeAnswer,
  encodeRequest,
  encodeSlip,
  findBootText,
  op,
  reasonText,
  syncData,
  words,
} from './rom-protocol.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytesOf = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

test('requests are the worked frames of the protocol', () => {
  expect(hex(encodeSlip(encodeRequest(op.sync, [syncData])))).toBe(`c0000824000000000007071220${'55'.repeat(32)}c0`)
  expect(hex(encodeSlip(encodeRequest(op.readReg, [words(0x60007050)])))).toBe('c0000a04000000000050700060c0')
  expect(hex(encodeSlip(encodeRequest(op.securityInfo, [])))).toBe('c00014000000000000c0')
  expect(checksum(Buffer.from([1, 2, 4]))).toBe(0xef ^ 7)
  expect(hex(encodeSlip(Buffer.from([0xc0, 0xdb, 1])))).toBe('c0dbdcdbdd01c0')
})

test('an answer is read from the worked frames', () => {
  const frames = createFrameReader().push(bytesOf('C0 01 0A 04 00 00 00 08 02 00 00 00 00 C0'))
  expect(frames.map(decodeAnswer)).toMatchObject([{ opcode: 0x0a, value: 0x02080000 }])
})

test('frames survive noise before, between and behind them, at every split', () => {
  const answer = bytesOf('01 08 04 00 07 07 12 20 00 00 00 00')
  const stream = Buffer.concat([
    Buffer.from('ESP-ROM:esp32s3\r\n\xc0\xdb', 'latin1'),
    encodeSlip(answer),
    Buffer.from([0xc0, 0x01, 0xc0, 0x55]),
    encodeSlip(answer),
    Buffer.from('tail'),
  ])
  for (let split = 0; split <= stream.length; split += 1) {
    const reader = createFrameReader()
    const frames = [...reader.push(stream.subarray(0, split)), ...reader.push(stream.subarray(split))]
    expect(frames.filter((frame) => decodeAnswer(frame) !== null)).toHaveLength(2)
    expect(Buffer.from(reader.rest()).toString()).toBe('tail')
  }
})

test('what is framed is unframed, whatever the bytes and the chunks', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 600 }), fc.integer({ min: 1, max: 64 }), (bytes, size) => {
      const reader = createFrameReader()
      const stream = encodeSlip(bytes)
      const frames: Uint8Array[] = []
      for (let at = 0; at < stream.length; at += size) frames.push(...reader.push(stream.subarray(at, at + size)))
      expect(frames.map(hex)).toEqual([hex(bytes)])
    }),
  )
})

test('text without end is bounded and counted', () => {
  const reader = createFrameReader()
  const frames = reader.push(Buffer.alloc(200_000, 0x41))
  expect(frames).toEqual([])
  expect(reader.rest().length).toBeLessThanOrEqual(16 * 1024)
  expect(reader.takeDropped() + reader.rest().length).toBe(200_000)
})

test('hostile frames are no answers', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const answer = decodeAnswer(bytes)
      expect(answer === null || answer.body.length === bytes.length - 8).toBe(true)
    }),
  )
})

test('a reset line gives the reason and the boot code, the newest counts', () => {
  const text = 'rst:0x1 (POWERON),boot:0x0 (DOWNLOAD)\r\nrst:0xf (BROWNOUT_RST),boot:0x8 (SPI_FAST_FLASH_BOOT)'
  expect(findBootText(text)).toEqual({ reason: 'BROWNOUT_RST', bootCode: 8 })
  expect(findBootText('rst: none')).toBeNull()
  expect(reasonText(0xc9)).toBe('too much data (0xC9)')
})
