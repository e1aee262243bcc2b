import { toAppError } from '../../base/app-error.ts'
import type { BoardContext, BoardProgram, BoardSettings } from './board-program.ts'
import { boardRole, virtualProject } from './board-settings.ts'
import { planBoot } from './boot.ts'
import type { ChipEvent } from './chip-events.ts'
import type { FlashArray } from './flash-array.ts'
import { saveNvsString } from './nvs-editor.ts'
import { readNvs } from './nvs-reader.ts'
import type { Partition } from './partition-reader.ts'

export interface BootRunnerOptions {
  readonly flash: FlashArray
  readonly chipId: number
  readonly mac: string
  readonly program: BoardProgram | undefined
  print(lines: readonly string[]): void
  tell(event: ChipEvent): void
  /** The watchdog starts a chip that cannot boot again. */
  onLoop(): void
}

export interface BootRunner {
  /** From the ROM's banner on, with what is in the flash. */
  boot(): void
  halt(): void
  /** When the last board program has stopped. */
  stopped(): Promise<void>
}

interface BootedApp {
  readonly nvs: Partition | undefined
  readonly firmware: BoardContext['firmware']
}

/** Second stage and app follow the ROM's banner by this much. */
const secondStageMs = 40
/** A chip that cannot boot says so at most once a second. */
const loopMs = 1000

export function createBootRunner(options: BootRunnerOptions): BootRunner {
  const { flash } = options
  const tell = (event: ChipEvent) => options.tell(event)
  let timer: NodeJS.Timeout | undefined
  let run = 0
  let board: { stop(): Promise<void> } | undefined
  let stopping: Promise<void> = Promise.resolve()

  function goOn(): void {
    const { lines, outcome } = planBoot(flash, options.chipId)
    options.print(lines)
    if (outcome.kind === 'loop') {
      tell({ event: 'boot', mode: 'loop' })
      timer = setTimeout(() => options.onLoop(), loopMs)
      return
    }
    const { app, nvs } = outcome
    tell({ event: 'boot', mode: 'app', ...(app ? { project: app.project, version: app.version } : {}) })
    if (app?.project === virtualProject)
      void becomeBoard({ nvs, firmware: { name: app.project, version: app.version } }, run)
  }

  async function becomeBoard({ nvs, firmware }: BootedApp, mine: number): Promise<void> {
    const role = boardRole(nvs ? readNvs(flash.read(nvs.offset, nvs.size)) : [], options.mac)
    const { program } = options
    if (role.kind === 'offline' || !program) {
      stayOffline(options, role.kind === 'offline' ? role.reason : 'this chip was started without its board program')
      return
    }
    // The board of the boot before lets go of its connections first.
    await stopping
    if (mine !== run) return
    tell({ event: 'board', state: 'started', deviceId: role.settings.deviceId, server: role.settings.server })
    try {
      board = program.start(
        contextOf(options, { settings: role.settings, firmware, nvs, isRunning: () => mine === run }),
      )
    } catch (error) {
      stayOffline(options, toAppError(error).message)
    }
  }

  return {
    boot() {
      timer = setTimeout(goOn, secondStageMs)
    },
    halt() {
      clearTimeout(timer)
      run++
      const old = board
      board = undefined
      if (!old) return
      const stop = Promise.resolve(stopping).then(() => old.stop())
      stopping = stop.catch((error: unknown) => {
        tell({ event: 'failed', message: toAppError(error).message })
      })
    },
    stopped: () => stopping,
  }
}

function stayOffline(options: BootRunnerOptions, reason: string): void {
  options.print([`W (312) board: staying offline: ${reason}`])
  options.tell({ event: 'board', state: 'offline', reason })
}

interface RunningBoard {
  readonly settings: BoardSettings
  readonly firmware: BoardContext['firmware']
  readonly nvs: Partition | undefined
  /** False once the chip was reset: a program that is late changes nothing. */
  isRunning(): boolean
}

function contextOf(options: BootRunnerOptions, board: RunningBoard): BoardContext {
  const print = (line: string) => {
    if (board.isRunning()) options.print([line])
  }
  return {
    settings: board.settings,
    firmware: board.firmware,
    mac: options.mac,
    print,
    saveNvs(namespace, key, value) {
      if (!board.nvs || !board.isRunning()) return
      try {
        saveNvsString(options.flash, board.nvs, { namespace, key, value })
      } catch (error) {
        // As on a board: the value lives in RAM until the next reset, and the console says so. Never the value itself.
        print(`E (1300) nvs: ${namespace}.${key} not saved: ${toAppError(error).message}`)
      }
    },
  }
}
