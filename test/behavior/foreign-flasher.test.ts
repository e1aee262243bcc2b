import { createHash, randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startChip } from '../support/chip-port.ts'
import { foreignFlasher } from '../support/pty-port.ts'
import { freshDir } from '../support/roost-server.ts'

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

test('a flasher that is not ours reads, writes, verifies and erases the virtual chip over its serial port', async () => {
  const chip = await startChip(await freshDir('chip'), ['--mac', '02:00:5e:10:00:02', '--flash', '4MB'])
  const { loader, transport } = foreignFlasher(chip.port)
  expect(await loader.main('no_reset')).toContain('ESP32-S3')
  expect(await loader.chip.readMac(loader)).toBe('02:00:5e:10:00:02')

  const image = new Uint8Array(Buffer.concat([randomBytes(0x8000), Buffer.alloc(0x9000, 0x41)]))
  const packed = deflateSync(image, { level: 9 })
  const blocks = await loader.flashDeflBegin(image.length, packed.length, 0x10000)
  for (let block = 0; block < blocks; block += 1) {
    await loader.flashDeflBlock(packed.subarray(block * 0x4000, (block + 1) * 0x4000), block, 3_000)
  }
  expect(await loader.flashMd5sum(0x10000, image.length)).toBe(md5(image))
  expect((await chip.flash()).subarray(0x10000, 0x10000 + image.length).equals(image)).toBe(true)
  expect(md5(await loader.readFlash(0x10000, image.length))).toBe(md5(image))
  await loader.eraseFlash()
  expect((await chip.flash()).every((byte) => byte === 0xff)).toBe(true)
  await transport.disconnect()
  await chip.line(({ event }) => event === 'closed')
  const kinds = new Set(chip.events().map(({ event }) => event))
  expect([...kinds]).toEqual(expect.arrayContaining(['write', 'erase', 'opened', 'closed']))
})

test('stock writeFlash over the port leaves exactly its bytes, at a baud rate that it changed itself', async () => {
  const chip = await startChip(await freshDir('chip'), ['--flash', '4MB'])
  const { loader, transport } = foreignFlasher(chip.port, 460_800)
  await loader.main('no_reset')
  const image = new Uint8Array(randomBytes(0x6000))
  await loader.writeFlash({
    fileArray: [{ data: image, address: 0x200000 }],
    flashMode: 'keep',
    flashFreq: 'keep',
    flashSize: 'keep',
    eraseAll: false,
    compress: true,
    calculateMD5Hash: (bytes) => md5(bytes),
  })
  await transport.disconnect()
  const expected = Buffer.alloc(0x400000, 0xff)
  expected.set(image, 0x200000)
  expect((await chip.flash()).equals(expected)).toBe(true)
})
