import { expect, test } from 'vitest'
import { createFlashArray } from './flash-array.ts'
import { createRegisters, type RegisterOptions } from './registers.ts'
import { createSpiFlash } from './spi-engine.ts'

const mac = new Uint8Array([0x7c, 0xdf, 0xa1, 0xe0, 0x12, 0x34])
const flash = createFlashArray(0x1000000)

function makeRegisters(options: Partial<RegisterOptions> = {}) {
  const spi = createSpiFlash(flash)
  return createRegisters({
    mac,
    console: 'uart',
    chipId: 9,
    secureBoot: false,
    flashEncryption: false,
    spi: (command) => spi.execute(command),
    watchdog: () => undefined,
    ...options,
  })
}

const all = 0xffffffff

test.each([
  [0x40001000, 0x00000009],
  [0x60007044, 0xa1e01234],
  [0x60007048, 0x00007cdf],
  [0x60007050, 0x02080000],
  [0x60007054, 0x00000088],
  [0x60007058, 0],
  [0x6000706c, 1],
  [0x60007034, 0],
  [0x60007038, 0],
  [0x6000703c, 0],
  [0x60007030, 0],
  [0x3fcef14c, 0],
  [0x3ff5a00c, 0],
  [0x3ff66014, 0],
])('register %i of a good board reads %i', (address, value) => {
  expect(makeRegisters().read(address)).toBe(value)
})

test('security and console show in the fuses, and fuses cannot be written', () => {
  const registers = makeRegisters({ secureBoot: true, flashEncryption: true, console: 'usb-jtag', chipId: 5 })
  registers.write(0x60007038, 0, all)
  expect(registers.read(0x60007038)).toBe(1 << 20)
  expect(registers.read(0x60007034)).toBe(1 << 18)
  expect(registers.read(0x3fcef14c)).toBe(3)
  expect(registers.read(0x40001000)).toBe(5)
})

test('a masked write changes the masked bits only', () => {
  const registers = makeRegisters()
  registers.write(0x60004000, 0xaabbccdd, all)
  registers.write(0x60004000, 0x11223344, 0x0000ff00)
  expect(registers.read(0x60004000)).toBe(0xaabb33dd)
})

test('the flash id comes through the SPI registers as flashers ask for it', () => {
  const registers = makeRegisters()
  const command = (code: number, bits: number) => {
    registers.write(0x60002028, bits - 1, all)
    registers.write(0x60002018, 0x90000000, all)
    registers.write(0x60002020, (0x70000000 | code) >>> 0, all)
    registers.write(0x60002058, 0, all)
    registers.write(0x60002000, 0x40000, all)
    expect(registers.read(0x60002000) & 0x40000).toBe(0)
    return registers.read(0x60002058)
  }
  expect(command(0x9f, 24)).toBe(0x1840c8)
  expect(command(0x05, 8)).toBe(0)
  expect(command(0x35, 8)).toBe(2)
  expect(command(0x5a, 32)).toBe(0x50444653)
})

test('a dead flash reads all ones', () => {
  const spi = createSpiFlash(flash, true)
  const answer = spi.execute({ command: 0x9f, address: undefined, out: new Uint8Array(0), readBytes: 3 })
  expect([...answer]).toEqual([0xff, 0xff, 0xff])
})

test('the RTC watchdog runs only after its key was written, and its time is in slow clock ticks', () => {
  const armed: (number | undefined)[] = []
  const registers = makeRegisters({ watchdog: (ms) => void armed.push(ms) })
  const config = (0x80000000 | (5 << 28) | 0x100 | 2) >>> 0
  registers.write(0x60008098, config, all)
  expect(armed).toEqual([])
  registers.write(0x600080b0, 0x50d83aa1, all)
  registers.write(0x6000809c, 2000, all)
  registers.write(0x60008098, config, all)
  registers.write(0x60008098, 0, all)
  expect(armed).toEqual([2000 / 136, undefined])
})

test('straps tell how the chip started, and the force-download bit lives through a reset but not through a power cycle', () => {
  const registers = makeRegisters()
  registers.reset({ download: true, power: true })
  expect(registers.read(0x60004038)).toBe(0)
  registers.write(0x6000812c, 1, 1)
  registers.reset({ download: false, power: false })
  expect(registers.forcesDownload()).toBe(true)
  expect(registers.read(0x60004038)).toBe(8)
  registers.reset({ download: false, power: true })
  expect(registers.forcesDownload()).toBe(false)
})
