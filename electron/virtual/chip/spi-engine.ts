import type { FlashArray } from './flash-array.ts'

/** What the SPI1 registers ask of the flash chip: one command with its address and the data out; the answer comes back. */
export interface SpiCommand {
  readonly command: number
  /** Undefined when the address phase is off. */
  readonly address: number | undefined
  readonly out: Uint8Array
  readonly readBytes: number
}

export interface SpiFlash {
  execute(command: SpiCommand): Uint8Array
}

const command = {
  writeStatus: 0x01,
  pageProgram: 0x02,
  read: 0x03,
  writeDisable: 0x04,
  readStatus: 0x05,
  writeEnable: 0x06,
  readStatus3: 0x15,
  writeStatus3: 0x11,
  sectorErase: 0x20,
  writeStatus2: 0x31,
  readStatus2: 0x35,
  uniqueId: 0x4b,
  readSfdp: 0x5a,
  chipErase: 0x60,
  readIdOld: 0x90,
  readId: 0x9f,
  chipEraseToo: 0xc7,
  blockErase: 0xd8,
} as const

const writeEnabledBit = 0x02

/** A GigaDevice 25Q part of the array's size (flashing.md §2: 0x1840C8 is 16 MB). `dead` drives nothing: the bus reads FF. */
export function createSpiFlash(flash: FlashArray, dead = false): SpiFlash {
  const status = [0, 0x02, 0]

  const statusRegister = (index: number, enabled: boolean) =>
    new Uint8Array([(status[index] ?? 0) | (enabled ? writeEnabledBit : 0)])
  let writeEnabled = false

  function change({ command: code, address = 0, out }: SpiCommand): void {
    if (code === command.writeEnable) writeEnabled = true
    if (code === command.writeDisable) writeEnabled = false
    if (!writeEnabled || code === command.writeEnable) return
    if (code === command.pageProgram) flash.write(address, out)
    else if (code === command.sectorErase) flash.erase(address, 1)
    else if (code === command.blockErase) flash.erase(address - (address % 0x10000), 0x10000)
    else if (code === command.chipErase || code === command.chipEraseToo) flash.erase(0, flash.size)
    else if (code === command.writeStatus) for (const [index, value] of out.entries()) status[index] = value & 0xfc
    else if (code === command.writeStatus2) status[1] = out[0] ?? 0
    else if (code === command.writeStatus3) status[2] = out[0] ?? 0
    else return
    writeEnabled = false
  }

  function answer({ command: code, address = 0, readBytes }: SpiCommand): Uint8Array {
    if (code === command.readId) return new Uint8Array([0xc8, 0x40, Math.log2(flash.size)])
    if (code === command.readIdOld) return new Uint8Array([0xc8, Math.log2(flash.size) - 1])
    if (code === command.readStatus) return statusRegister(0, writeEnabled)
    if (code === command.readStatus2) return statusRegister(1, false)
    if (code === command.readStatus3) return statusRegister(2, false)
    if (code === command.readSfdp) return sfdp.slice(address, address + readBytes)
    if (code === command.uniqueId) return uniqueId
    if (code === command.read) return flash.read(address, readBytes).slice()
    return new Uint8Array(0)
  }

  return {
    execute(request) {
      if (dead) return new Uint8Array(request.readBytes).fill(0xff)
      change(request)
      const bytes = new Uint8Array(request.readBytes).fill(request.command === command.readSfdp ? 0xff : 0)
      bytes.set(answer(request).subarray(0, request.readBytes))
      return bytes
    },
  }
}

/** JESD216 header without parameter tables: signature, revision 1.6, one header. */
const sfdp = new Uint8Array([0x53, 0x46, 0x44, 0x50, 0x06, 0x01, 0x00, 0xff])
const uniqueId = new Uint8Array([0x52, 0x4f, 0x4f, 0x53, 0x54, 0x00, 0x00, 0x01])
