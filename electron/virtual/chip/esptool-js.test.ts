import { createHash, randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { SerialPortStream } from '@serialport/stream'
import { afterEach, expect, test } from 'vitest'
import { foreignFlasher } from '../../../test/support/pty-port.ts'
import { createVirtualChip, type VirtualChip } from './chip.ts'
import { createChipBinding } from './serial-binding.ts'

// Stock esptool-js is a flasher that is not ours: it decides what a chip has to answer.
const chips: VirtualChip[] = []
afterEach(async () => {
  for (const chip of chips.splice(0)) await chip.close()
})

function loaderFor(chip: VirtualChip) {
  chips.push(chip)
  const path = '/dev/virtual0'
  const binding = createChipBinding(chip, { path })
  return foreignFlasher((baudRate) => new SerialPortStream({ binding, path, baudRate, autoOpen: false }))
}

test('stock esptool-js connects, starts its stub, writes, verifies, reads back and erases', async () => {
  const baud: number[] = []
  const chip = createVirtualChip({ onEvent: (event) => event.event === 'baud' && baud.push(event.baud) })
  const { transport, loader } = loaderFor(chip)
  await loader.main()
  expect(loader.chip.CHIP_NAME).toBe('ESP32-S3')
  expect(await loader.chip.getChipDescription(loader)).toBe('ESP32-S3 (QFN56) (revision v0.2)')
  expect(await loader.chip.getChipFeatures(loader)).toEqual(['Wi-Fi', 'BLE', 'Embedded PSRAM 8MB (AP_3v3)'])
  expect(await loader.chip.readMac(loader)).toBe('7c:df:a1:e0:12:34')
  expect(await loader.readFlashId()).toBe(0x1840c8)
  expect(baud).toEqual([921600])

  const image = new Uint8Array(randomBytes(0x10000))
  const md5 = createHash('md5').update(image).digest('hex')
  const packed = deflateSync(image, { level: 9 })
  const blocks = await loader.flashDeflBegin(image.length, packed.length, 0x10000)
  for (let block = 0; block < blocks; block++) {
    await loader.flashDeflBlock(packed.subarray(block * 0x4000, (block + 1) * 0x4000), block, 3000)
  }
  await loader.flashDeflFinish(false)
  expect(await loader.flashMd5sum(0x10000, image.length)).toBe(md5)
  expect(createHash('md5').update(chip.flash.read(0x10000, image.length)).digest('hex')).toBe(md5)
  const back = await loader.readFlash(0x10000, image.length)
  expect(createHash('md5').update(back).digest('hex')).toBe(md5)

  await loader.eraseFlash()
  expect(chip.flash.read(0x10000, image.length).every((byte) => byte === 0xff)).toBe(true)
  await transport.disconnect()
})

test('stock writeFlash writes a compressed file through the whole of its own path', async () => {
  const chip = createVirtualChip()
  const { transport, loader } = loaderFor(chip)
  await loader.main()
  const image = new Uint8Array(Buffer.concat([randomBytes(0x8000), Buffer.alloc(0x8000, 0x41)]))
  await loader.writeFlash({
    fileArray: [{ data: image, address: 0x200000 }],
    flashMode: 'keep',
    flashFreq: 'keep',
    flashSize: 'keep',
    eraseAll: false,
    compress: true,
  })
  expect(Buffer.compare(chip.flash.read(0x200000, image.length), image)).toBe(0)
  await transport.disconnect()
})

test('stock esptool-js without a stub writes plain blocks of 0x400 through the ROM', async () => {
  const chip = createVirtualChip()
  const { transport, loader } = loaderFor(chip)
  await loader.connect()
  loader.FLASH_WRITE_SIZE = 0x400
  const image = new Uint8Array(randomBytes(0x2400))
  const blocks = await loader.flashBegin(image.length, 0x20000)
  for (let block = 0; block < blocks; block++) {
    await loader.flashBlock(image.subarray(block * 0x400, (block + 1) * 0x400), block, 3000)
  }
  expect(Buffer.compare(chip.flash.read(0x20000, image.length), image)).toBe(0)
  await transport.disconnect()
})

test('the USB-Serial/JTAG sequence of esptool-js leads into download mode and the chip names its console', async () => {
  const chip = createVirtualChip({ console: 'usb-jtag' })
  const { transport, loader } = loaderFor(chip)
  await loader.connect('usb_reset')
  expect(await loader.readReg(0x3fcef14c)).toBe(3)
  await transport.disconnect()
})

test('a chip stuck in its app is reported by its boot mode', async () => {
  const chip = createVirtualChip({ faults: [{ kind: 'stuck-in-app' }] })
  const { transport, loader } = loaderFor(chip)
  await expect(loader.connect('default_reset', 1)).rejects.toThrow('Failed to connect')
  await transport.disconnect()
})
