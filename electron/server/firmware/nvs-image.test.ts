import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isAppError } from '../../base/app-error.ts'
import { type NvsType, type NvsValue, nvsEntry, nvsValue } from './nvs-entry.ts'
import { writeNvs } from './nvs-image.ts'
import { readNvs } from './nvs-reader.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const reference = [
  nvsEntry('wifi', 'ssid', { type: 'string', value: 'TestNet' }),
  nvsEntry('wifi', 'force_ap', { type: 'u8', value: 1 }),
  nvsEntry('wifi', 'blob', { type: 'blob', value: Buffer.from('0011223344', 'hex') }),
]
const refused = (code: string, run: () => unknown) => expect(run).toThrow(expect.objectContaining({ code }))

test('the reference partition is made byte for byte', () => {
  const image = writeNvs(reference, 0x3000)
  expect(hex(image.subarray(0, 32))).toBe('feffffff00000000fe' + 'ff'.repeat(19) + '842dbab9')
  expect(hex(image.subarray(32, 36))).toBe('aaeaffff')
  expect(hex(image.subarray(64, 72))).toBe('000101ff59113127')
  expect(hex(image.subarray(96, 104))).toBe('012102ffc313b6cf')
  expect(hex(image.subarray(64 + 6 * 32, 64 + 6 * 32 + 8))).toBe('014801ff3ef13434')
  expect(createHash('sha256').update(image).digest('hex')).toBe(
    'b8f41813d7dce93828e62a7f70d360769ffec17fbd4296290009b7717cd4e0ef',
  )
})

test('a blob over three pages, a long string and every number come back', () => {
  const big = Uint8Array.from({ length: 9000 }, (_, at) => (at * 31) & 0xff)
  const values: [string, NvsType, NvsValue][] = [
    ['u8', 'u8', 255],
    ['i8', 'i8', -128],
    ['u16', 'u16', 65535],
    ['i32', 'i32', -2],
    ['u64', 'u64', 2n ** 64n - 1n],
    ['i64', 'i64', -(2n ** 63n)],
    ['big', 'blob', big],
    ['long', 'string', 'ü'.repeat(1500)],
    ['none', 'blob', new Uint8Array()],
    ['old', 'blob-v1', Uint8Array.from([1, 2, 3])],
  ]
  const image = writeNvs(
    values.map(([key, type, value]) => nvsEntry('a', key, { type, value })),
    0x6000,
  )
  const content = readNvs(image)
  expect(content.problems).toEqual([])
  expect(content.entries.map((entry) => [entry.key, entry.type, nvsValue(entry)])).toEqual(values)
  expect(content.pages.filter(({ state }) => state === 'full').length).toBeGreaterThanOrEqual(2)
})

test('what does not fit is refused with a code of its own', () => {
  refused('nvs-bad-key', () => nvsEntry('wifi', 'a-key-of-16-char', { type: 'u8', value: 1 }))
  refused('nvs-bad-value', () => nvsEntry('wifi', 'k', { type: 'string', value: 'x'.repeat(4000) }))
  refused('nvs-bad-value', () => nvsEntry('wifi', 'k', { type: 'u8', value: 256 }))
  refused('nvs-bad-value', () => nvsEntry('wifi', 'k', { type: 'i8', value: 1.5 }))
  refused('nvs-too-small', () => writeNvs(reference, 0x2000))
  const blob = nvsEntry('a', 'b', { type: 'blob', value: new Uint8Array(9000) })
  refused('nvs-too-small', () => writeNvs([blob], 0x3000))
})

test('a partition that is not blank and has no readable page is damaged; a blank one is empty', () => {
  expect(readNvs(Buffer.alloc(0x3000, 0xff)).entries).toEqual([])
  refused('nvs-corrupt', () => readNvs(Buffer.alloc(0x3000, 0x55)))
  refused('nvs-corrupt', () => readNvs(Buffer.alloc(100, 0xff)))
})

test('of two entries of one key the newer one counts, and a damaged one is skipped', () => {
  const image = Buffer.from(
    writeNvs([...reference, nvsEntry('wifi', 'ssid', { type: 'string', value: 'Later' })], 0x3000),
  )
  expect(
    readNvs(image)
      .entries.filter(({ key }) => key === 'ssid')
      .map(nvsValue),
  ).toEqual(['Later'])
  const at = image.lastIndexOf('Later')
  image[at] = 0x41
  const content = readNvs(image)
  expect(content.entries.filter(({ key }) => key === 'ssid').map(nvsValue)).toEqual(['TestNet'])
  expect(content.problems).toHaveLength(1)
})

test('unused pages marked full by an older generator are accepted', () => {
  const image = Buffer.from(writeNvs(reference, 0x4000))
  image.copy(image, 0x1000, 0, 32)
  image.writeUInt32LE(0xfffffffc, 0x1000)
  expect(readNvs(image).entries).toHaveLength(3)
})

test('hostile partitions give entries or the one typed error', () => {
  const image = writeNvs(reference, 0x3000)
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 12 }), (edits) => {
      const bytes = Buffer.from(image)
      for (const [at, value] of edits) bytes[at] = value
      try {
        expect(readNvs(bytes).pages).toHaveLength(3)
      } catch (error) {
        expect(isAppError(error, 'nvs-corrupt')).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

test('what is written is read back, whatever the lengths', () => {
  const entry = fc.oneof(
    fc.string({ maxLength: 900 }).map((text) => ({ type: 'string' as const, value: text.replaceAll('\0', '') })),
    fc.uint8Array({ maxLength: 6000 }).map((value) => ({ type: 'blob' as const, value })),
    fc.nat(65535).map((value) => ({ type: 'u16' as const, value })),
  )
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 20 }), (values) => {
      const entries = values.map((value, index) => nvsEntry(`n${index % 3}`, `k${index}`, value))
      const read = readNvs(writeNvs(entries, 0x40000))
      expect(read.problems).toEqual([])
      expect(read.entries.map(({ key, bytes }) => [key, hex(bytes)])).toEqual(
        entries.map(({ key, bytes }) => [key, hex(bytes)]),
      )
    }),
    { numRuns: 60 },
  )
})
