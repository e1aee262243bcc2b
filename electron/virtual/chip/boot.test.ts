import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { makeVirtualImage, virtualFirmwareVersion } from '../../../firmware/virtual/make-image.ts'
import { planBoot } from './boot.ts'
import { createFlashArray } from './flash-array.ts'
import { readFlashedImage } from './image-reader.ts'
import { readPartitionTable } from './partition-reader.ts'

const size = 0x1000000
const image = makeVirtualImage()

function bootWith(change: (image: Uint8Array) => void = () => undefined, options = { size, chipId: 9 }) {
  const flash = createFlashArray(options.size)
  const bytes = image.slice()
  change(bytes)
  flash.write(0, bytes)
  const { lines, outcome } = planBoot(flash, options.chipId)
  return { text: lines.join('\n'), outcome }
}

test('the virtual image is a valid merged image with the published table and our version', () => {
  expect(image.length).toBeLessThanOrEqual(0x100000)
  const table = image.subarray(0x8000, 0x8c00)
  expect(createHash('sha256').update(table).digest('hex')).toBe(
    '4811619cacae08ef2e0e71b7220c6033a346ca5da7ca179082408c963ef530b5',
  )
  expect(Buffer.from(table.subarray(6 * 32 + 16, 7 * 32)).toString('hex')).toBe('b4c09b75dddcdf05493ca1d3cc627121')
  expect(image.subarray(0x9000, 0x20000).every((byte) => byte === 0xff)).toBe(true)
  const bootloader = readFlashedImage(image, 9)
  expect(bootloader).toMatchObject({ ok: true, image: { flashBytes: size, mode: 2 } })
  const app = readFlashedImage(image.subarray(0x20000), 9)
  expect(app).toMatchObject({
    ok: true,
    image: { descriptor: { project: 'roost-virtual', version: virtualFirmwareVersion } },
  })
  expect(Buffer.compare(makeVirtualImage(), image)).toBe(0)
  expect(readPartitionTable(table, size)).toMatchObject({ ok: true })
})

test('a flashed virtual image boots its app, and the text names table, partition and version', () => {
  const { text, outcome } = bootWith()
  expect(outcome).toMatchObject({
    kind: 'app',
    app: { project: 'roost-virtual' },
    nvs: { offset: 0x9000, size: 0x4000 },
  })
  expect(text).toContain('SPI Flash Size : 16MB')
  expect(text).toContain(' 3 ota_0            OTA app          00 10 00020000 003f0000')
  expect(text).toContain('Loaded app from partition at offset 0x20000')
  expect(text).toContain(`App version:      ${virtualFirmwareVersion}`)
})

test('a blank flash says so', () => {
  const { lines, outcome } = planBoot(createFlashArray(0x100000), 9)
  expect(lines).toContain('invalid header: 0xffffffff')
  expect(outcome).toEqual({ kind: 'loop' })
})

const at = (offset: number, value: number) => (bytes: Uint8Array) => void (bytes[offset] = value)

test.each([
  ['a bootloader for another chip', at(12, 5), 'mismatch chip ID, expected 9, found 5'],
  ['too many segments', at(1, 17), 'invalid segment count 0x11'],
  ['a segment past the end', at(30, 0xff), 'invalid segment count 0x3'],
  ['a damaged bootloader', at(0x100, 0), 'csum err:'],
  ['no table', (bytes: Uint8Array) => void bytes.fill(0xff, 0x8000, 0x8c00), 'invalid magic number 0xffff'],
  ['a changed table', at(0x8004, 0x10), 'MD5 does not match'],
  ['no app', (bytes: Uint8Array) => void bytes.fill(0xff, 0x20000), 'No bootable app partitions'],
  ['a damaged app', at(0x30000, 0xa5), 'Checksum failed'],
])('with %s the chip does not get to an app', (_, change, text) => {
  const boot = bootWith(change)
  expect(boot.outcome).toEqual({ kind: 'loop' })
  expect(boot.text).toContain(text)
})

test('a header that promises more flash than there is stops the bootloader', () => {
  const boot = bootWith(() => undefined, { size: 0x800000, chipId: 9 })
  expect(boot.outcome).toEqual({ kind: 'loop' })
  expect(boot.text).toContain('Detected size(8192k) smaller than the size in the binary image header(16384k)')
})

test('a stale SHA-256 of the bootloader is told, and it boots all the same', () => {
  // The size byte of the header is in the digest and not in the checksum: what a careless flasher changes.
  const boot = bootWith(at(3, 0x3f))
  expect(boot.text).toContain('SHA-256 comparison failed:')
  expect(boot.outcome.kind).toBe('app')
})

test('otadata chooses the slot, and a slot without an app falls back', () => {
  const otadata = (sequence: number) => {
    const row = Buffer.alloc(32, 0xff)
    row.writeUInt32LE(sequence)
    row.writeUInt32LE(crc32(row.subarray(0, 4), 0xffffffff), 28)
    return row
  }
  const flash = createFlashArray(size)
  flash.write(0, image)
  flash.write(0xd000, otadata(2))
  const fallback = planBoot(flash, 9)
  expect(fallback.lines.join('\n')).toContain('image at 0x410000 has invalid magic byte')
  expect(fallback.outcome).toMatchObject({ partition: { label: 'ota_0' } })
  flash.write(0x410000, image.subarray(0x20000))
  expect(planBoot(flash, 9).outcome).toMatchObject({ partition: { label: 'ota_1' } })
  flash.write(0xe000, otadata(3))
  expect(planBoot(flash, 9).outcome).toMatchObject({ partition: { label: 'ota_0' } })
})
