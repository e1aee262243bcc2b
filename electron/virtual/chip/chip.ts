import type { BoardProgram } from './board-program.ts'
import { createBootRunner } from './boot-runner.ts'
import type { ChipEvent } from './chip-events.ts'
import { createChipLife } from './chip-life.ts'
import { createFaultPlan, type Fault, type FaultPlan } from './faults.ts'
import { createDeadFlash, createFlashArray, type FlashArray } from './flash-array.ts'
import { type ConsoleKind, createRegisters } from './registers.ts'
import { createSpiFlash } from './spi-engine.ts'
import { type ChipSide, createWire, type HostSide } from './wire.ts'

export interface ChipOptions {
  /** Six bytes in hex with colons. */
  readonly mac?: string
  /** A power of two, 1 to 64 MiB; 16 MiB by default. */
  readonly flashBytes?: number
  /** A directory in which the flash lives as `flash.bin`. */
  readonly stateDir?: string
  readonly faults?: readonly Fault[]
  readonly console?: ConsoleKind
  /** Where the first power-on leads; a PTY has no lines to get into download mode. */
  readonly startIn?: 'download' | 'run'
  /** From EN high to the sampling of the straps (flashing.md §3.2): 4 ms with true lines, 150 behind RFC 2217. */
  readonly enDelayMs?: number
  /** What a chip with the firmware `roost-virtual` becomes; without it such a chip stays offline. */
  readonly boardProgram?: BoardProgram
  onEvent?(event: ChipEvent): void
  /** Opcode of each request to the loader, before it is worked on (flashing.md §1.3). */
  onCommand?(op: number): void
}

export interface VirtualChip {
  readonly mac: string
  readonly flash: FlashArray
  readonly console: ConsoleKind
  powered(): boolean
  /** One host at a time; a new one takes the place of the one before. */
  attach(host: HostSide): ChipSide
  /** In download mode, with a request that has begun and not ended. */
  inFrame(): boolean
  /** What a READ_REG would answer now. */
  register(address: number): number
  /** EN pressed and let go; with `download` while BOOT is held. */
  pressReset(download?: boolean): void
  /** Power is gone; what is in the flash stays. */
  unplug(): void
  /** Power comes back: the chip boots what is in its flash. */
  plug(): void
  /** Stops the board program and closes the flash file. Idempotent. */
  close(): Promise<void>
}

const defaultMac = '7c:df:a1:e0:12:34'
const defaultFlashBytes = 0x1000000

/** An ESP32-S3 with power on. Throws `chip-bad-state` when the flash file cannot be used. */
export function createVirtualChip(options: ChipOptions = {}): VirtualChip {
  const { mac = defaultMac, console = 'uart', flashBytes = defaultFlashBytes, startIn = 'run', enDelayMs = 4 } = options
  const plan = createFaultPlan(options.faults ?? [])
  const flash = plan.has('dead-flash') ? createDeadFlash(flashBytes) : createFlashArray(flashBytes, options.stateDir)
  const tell = (event: ChipEvent) => options.onEvent?.(event)
  flash.onChange(tell)
  const spi = createSpiFlash(flash, plan.has('dead-flash'))
  const registers = createRegisters({
    ...identity(plan, mac, console),
    spi: (command) => spi.execute(command),
    watchdog: (ms) => life.armWatchdog(ms),
  })
  const wire = createWire({
    console,
    paceBaud: plan.paceBaud,
    onBytes: (bytes) => life.receive(bytes),
    onLines: (lines) => life.setLines(lines),
  })
  const print = (lines: readonly string[]) => {
    for (const line of lines) wire.send(Buffer.from(`${line}\r\n`))
  }
  const onLoop = () => life.watchdogReset()
  const runner = createBootRunner({
    flash,
    chipId: plan.chipId,
    mac,
    program: options.boardProgram,
    print,
    tell,
    onLoop,
  })
  const onCommand = (op: number) => options.onCommand?.(op)
  const life = createChipLife({ flash, registers, plan, wire, runner, print, tell, onCommand, console, enDelayMs })
  life.powerOn(startIn === 'download')

  return {
    mac,
    flash,
    console,
    powered: () => life.powered,
    attach: (host) => wire.attach(host),
    inFrame: () => life.inFrame(),
    register: (address) => registers.read(address),
    pressReset: (download = false) => life.pressReset(download),
    unplug: () => life.powerOff(),
    plug: () => life.powerOn(false),
    async close() {
      life.end()
      await runner.stopped()
      flash.close()
    },
  }
}

function identity(plan: FaultPlan, mac: string, console: ConsoleKind) {
  return {
    mac: Uint8Array.from(mac.split(':'), (part) => Number.parseInt(part, 16)),
    console,
    chipId: plan.chipId,
    secureBoot: plan.has('secure-boot'),
    flashEncryption: plan.has('flash-encryption'),
  }
}
