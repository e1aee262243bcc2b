import type { SpiCommand } from './spi-engine.ts'

export type ConsoleKind = 'uart' | 'usb-jtag' | 'usb-otg'

export interface RegisterOptions {
  /** 6 bytes, first byte first as printed. */
  readonly mac: Uint8Array
  readonly console: ConsoleKind
  readonly chipId: number
  readonly secureBoot: boolean
  readonly flashEncryption: boolean
  spi(command: SpiCommand): Uint8Array
  /** The RTC watchdog was started to reset the system, this many milliseconds from now. */
  watchdog(ms: number | undefined): void
}

export interface Registers {
  read(address: number): number
  write(address: number, value: number, mask: number): void
  /** Survives a reset, not a power cycle (flashing.md §2: 0x6000812C). */
  forcesDownload(): boolean
  /** What a reset leaves: straps as given, SPI engine and watchdog at rest. `power` clears the rest too. */
  reset(straps: { download: boolean; power: boolean }): void
}

const address = {
  forceDownload: 0x6000812c,
  straps: 0x60004038,
  watchdogConfig: 0x60008098,
  watchdogTime: 0x6000809c,
  watchdogLock: 0x600080b0,
  superWatchdogConfig: 0x600080b4,
  superWatchdogLock: 0x600080b8,
} as const
const watchdogKey = 0x50d83aa1
const superWatchdogKey = 0x8f1d312a
const spiBase = 0x60002000
const spi = { cmd: 0, address: 0x04, user: 0x18, user1: 0x1c, user2: 0x20, mosi: 0x24, miso: 0x28, data: 0x58 } as const
const spiExecute = 1 << 18
/** Stage action "reset the system", the RTC's slow clock ticks at about 136 kHz. */
const rtcTicksPerMs = 136

/** Values of flashing.md §2; every other address reads 0 and remembers what was written. */
export function createRegisters(options: RegisterOptions): Registers {
  const fixed = efuses(options)
  const values = new Map<number, number>()
  const get = (at: number) => fixed.get(at) ?? values.get(at) ?? 0
  let download = false

  function executeSpi(): void {
    const user = get(spiBase + spi.user)
    const phase = (bit: number) => ((user >>> bit) & 1) === 1
    const readBytes = phase(28) ? Math.min(64, Math.ceil(((get(spiBase + spi.miso) & 0x3ff) + 1) / 8)) : 0
    const outBytes = phase(27) ? Math.min(64, Math.ceil(((get(spiBase + spi.mosi) & 0x3ff) + 1) / 8)) : 0
    const out = new Uint8Array(64)
    const view = new DataView(out.buffer)
    for (let i = 0; i < 16; i++) view.setUint32(i * 4, get(spiBase + spi.data + i * 4), true)
    const answer = options.spi({
      command: get(spiBase + spi.user2) & 0xff,
      address: phase(30) ? get(spiBase + spi.address) & 0xffffff : undefined,
      out: out.slice(0, outBytes),
      readBytes,
    })
    if (readBytes === 0) return
    const words = new DataView(new ArrayBuffer(64))
    answer.forEach((byte, index) => words.setUint8(index, byte))
    for (let i = 0; i < Math.ceil(readBytes / 4); i++)
      values.set(spiBase + spi.data + i * 4, words.getUint32(i * 4, true))
  }

  function writeWatchdog(value: number): void {
    if (get(address.watchdogLock) !== watchdogKey) return
    values.set(address.watchdogConfig, value)
    const runs = value >>> 31 === 1 && ((value >>> 28) & 7) !== 0
    options.watchdog(runs ? get(address.watchdogTime) / rtcTicksPerMs : undefined)
  }

  function guarded(at: number, value: number): boolean {
    if (at === address.watchdogConfig) writeWatchdog(value)
    else if (at === address.watchdogTime && get(address.watchdogLock) !== watchdogKey) return true
    else if (at === address.superWatchdogConfig && get(address.superWatchdogLock) !== superWatchdogKey) return true
    else return false
    return true
  }

  return {
    read: (at) => (at === address.straps ? (download ? 0 : 8) : get(at)) >>> 0,
    write(at, value, mask) {
      if (fixed.has(at)) return
      const merged = ((get(at) & ~mask) | (value & mask)) >>> 0
      if (guarded(at, merged)) return
      if (at === spiBase + spi.cmd && (merged & spiExecute) !== 0) {
        executeSpi()
        values.set(at, (merged & ~spiExecute) >>> 0)
      } else values.set(at, merged)
    },
    forcesDownload: () => (get(address.forceDownload) & 1) === 1,
    reset(straps) {
      const kept = straps.power ? 0 : get(address.forceDownload)
      values.clear()
      if (kept !== 0) values.set(address.forceDownload, kept)
      download = straps.download
      options.watchdog(undefined)
    },
  }
}

const consoleNumber: Record<ConsoleKind, number> = { uart: 0, 'usb-jtag': 3, 'usb-otg': 4 }

/** v0.2, QFN56, no embedded flash, 8 MB octal PSRAM. The ESP32-classic fuses that esptool-js asks for read 0 by default. */
function efuses({ mac, console, chipId, secureBoot, flashEncryption }: RegisterOptions): Map<number, number> {
  const view = new DataView(mac.buffer, mac.byteOffset, 6)
  return new Map([
    [0x40001000, chipId],
    [0x60007044, view.getUint32(2, false)],
    [0x60007048, view.getUint16(0, false)],
    [0x60007050, 0x02080000],
    [0x60007054, 0x00000088],
    [0x60007058, 0],
    [0x6000706c, 1],
    [0x60007034, flashEncryption ? 1 << 18 : 0],
    [0x60007038, secureBoot ? 1 << 20 : 0],
    [0x6000703c, 0],
    [0x60007030, 0],
    [0x3fcef14c, consoleNumber[console]],
  ])
}
