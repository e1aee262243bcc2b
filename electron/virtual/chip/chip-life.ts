import { pause } from '../../base/deadline.ts'
import type { BootRunner } from './boot-runner.ts'
import { brownOutLines, type ResetCause, resetCause, romBanner } from './boot-text.ts'
import type { ChipEvent } from './chip-events.ts'
import type { FaultPlan } from './faults.ts'
import type { FlashArray } from './flash-array.ts'
import { createLoaderSession, type LoaderSession } from './loader-session.ts'
import type { ConsoleKind, Registers } from './registers.ts'
import { gpio0IsLow, idleLines, type Lines, stepUartLines, stepUsbLines } from './reset-lines.ts'
import { consoleBaud, type Wire } from './wire.ts'

export interface ChipLifeParts {
  readonly flash: FlashArray
  readonly registers: Registers
  readonly plan: FaultPlan
  readonly wire: Wire
  readonly runner: BootRunner
  readonly console: ConsoleKind
  readonly enDelayMs: number
  print(lines: readonly string[]): void
  tell(event: ChipEvent): void
  onCommand(op: number): void
}

export interface ChipLife {
  readonly powered: boolean
  powerOn(bootPressed: boolean): void
  powerOff(): void
  pressReset(bootPressed: boolean): void
  setLines(lines: Lines): void
  receive(bytes: Uint8Array): void
  inFrame(): boolean
  /** Undefined: the RTC watchdog is stopped. */
  armWatchdog(ms: number | undefined): void
  /** The timer group's watchdog, which starts a chip that cannot boot again. */
  watchdogReset(): void
  /** Power off for ever. */
  end(): void
}

/** From a reset that the chip does itself to the ROM's banner: the host has time to return to the console's speed. */
const restartMs = 20

/** Power, reset button and reset lines: when the chip runs. */
export function createChipLife(parts: ChipLifeParts): ChipLife {
  const { wire, console } = parts
  let state: 'off' | 'held' | 'on' | 'ended' = 'off'
  let lines = idleLines
  const runs = createRuns(parts, {
    mayStart: () => state === 'on',
    bootPressed: () => gpio0IsLow(lines),
    powerOff: () => powerOff('off'),
  })

  function setLines(next: Lines): void {
    const [stepped, effect] = console === 'uart' ? stepUartLines(lines, next) : stepUsbLines(lines, next)
    lines = stepped
    if (state !== 'on' && state !== 'held') return
    if (effect.do === 'hold') {
      state = 'held'
      runs.halt()
    } else if (effect.do === 'release') {
      state = 'on'
      runs.startSoon(resetCause.powerOn, parts.enDelayMs)
    } else if (effect.do === 'reset') runs.start(resetCause.usb, effect.download)
  }

  function powerOff(next: 'off' | 'ended'): void {
    const wasPowered = state === 'on' || state === 'held'
    if (state !== 'ended') state = next
    if (!wasPowered) return
    lines = idleLines
    runs.halt()
    if (next === 'off') wire.unplug()
  }

  return {
    get powered() {
      return state === 'on' || state === 'held'
    },
    powerOn(bootPressed) {
      if (state !== 'off') return
      state = 'on'
      runs.start(resetCause.powerOn, bootPressed, true)
    },
    powerOff: () => powerOff('off'),
    pressReset: (bootPressed) => runs.start(resetCause.powerOn, bootPressed),
    setLines,
    receive: (bytes) => runs.receive(bytes),
    inFrame: () => runs.inFrame(),
    armWatchdog: (ms) => runs.armWatchdog(ms),
    watchdogReset: () => runs.start(resetCause.taskWatchdog, false),
    end: () => powerOff('ended'),
  }
}

interface Board {
  mayStart(): boolean
  bootPressed(): boolean
  powerOff(): void
}

/** From reset to reset: what runs is download mode, or the flash's own program. */
function createRuns(parts: ChipLifeParts, board: Board) {
  const { registers, plan, wire, runner } = parts
  let session: LoaderSession | undefined
  let run = new AbortController()
  let starting: NodeJS.Timeout | undefined
  let watchdog: NodeJS.Timeout | undefined

  /** Whatever ran stops: loader, boot, board program. */
  function halt(): void {
    run.abort()
    run = new AbortController()
    session = undefined
    clearTimeout(starting)
    clearTimeout(watchdog)
    runner.halt()
  }

  function startSoon(cause: ResetCause, ms: number): void {
    halt()
    starting = setTimeout(() => start(cause, board.bootPressed()), ms)
  }

  function start(cause: ResetCause, bootPressed: boolean, power = false): void {
    halt()
    if (!board.mayStart()) return
    const download = (bootPressed || registers.forcesDownload()) && !plan.has('stuck-in-app')
    registers.reset({ download, power })
    wire.baud = consoleBaud
    parts.tell({ event: 'reset', cause })
    parts.print(romBanner(cause, download))
    if (!download) {
      runner.boot()
      return
    }
    session = openSession(parts, run.signal, { powerOff: () => board.powerOff(), startSoon })
    parts.tell({ event: 'boot', mode: 'download' })
  }

  return {
    halt,
    start,
    startSoon,
    receive: (bytes: Uint8Array) => session?.receive(bytes),
    inFrame: () => session?.inFrame() ?? false,
    armWatchdog(ms: number | undefined): void {
      clearTimeout(watchdog)
      if (ms !== undefined) watchdog = setTimeout(() => startSoon(resetCause.rtcWatchdog, restartMs), ms)
    },
  }
}

interface Power {
  powerOff(): void
  startSoon(cause: ResetCause, ms: number): void
}

function openSession(parts: ChipLifeParts, signal: AbortSignal, power: Power): LoaderSession {
  const { plan, wire, flash, registers } = parts
  return createLoaderSession({
    context: {
      flash,
      registers,
      faults: plan,
      blockLimit: parts.console === 'usb-otg' ? 0x800 : 0x4000,
      erase: createEraser(flash, plan.slowEraseMs, signal),
    },
    signal,
    send: (bytes) => wire.send(bytes),
    blockArrived() {
      const hits = plan.blockArrived()
      if (hits.has('unplug')) power.powerOff()
      else if (hits.has('reboot')) {
        parts.print(brownOutLines)
        power.startSoon(resetCause.brownOut, restartMs)
      }
      const gone = hits.has('unplug') || hits.has('reboot')
      return { gone, badChecksum: hits.has('checksum'), answerLost: hits.has('lost-answer') }
    },
    onCommand: (op) => parts.onCommand(op),
    onStub: () => parts.tell({ event: 'boot', mode: 'stub' }),
    onBaud(baud) {
      wire.baud = baud
      parts.tell({ event: 'baud', baud })
    },
    onBoot: () => power.startSoon(resetCause.software, restartMs),
    onFailure: (error) =>
      parts.tell({ event: 'failed', message: error instanceof Error ? error.message : String(error) }),
  })
}

const slowUnit = 0x10000

/** Erases at once, or takes `slowMs` for each 64 KiB and stops with the run. */
function createEraser(flash: FlashArray, slowMs: number, signal: AbortSignal) {
  return async (offset: number, length: number): Promise<void> => {
    if (slowMs === 0) {
      flash.erase(offset, length)
      return
    }
    for (let at = offset; at < offset + length; at += slowUnit) {
      const part = Math.min(slowUnit, offset + length - at)
      await pause((slowMs * part) / slowUnit, signal)
      signal.throwIfAborted()
      flash.erase(at, part)
    }
  }
}
