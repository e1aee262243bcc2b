import { AppError, isAppError } from '../../base/app-error.ts'
import { type ResetStyle, enterDownload } from './board-reset.ts'
import { isAlive, readConsole, stopWatchdogs, uploadStub } from './chip-commands.ts'
import { loadStub } from './esp-loader.ts'
import { type RomClient, createRomClient } from './rom-client.ts'
import { findBootText, op, syncData, words } from './rom-protocol.ts'
import type { SerialLink } from './serial-link.ts'

export const romBaud = 115_200
const syncAttempts = 7
const connectLimitMs = 7000

/** One connection to one chip: ROM first, then the stub. Every call throws the codes of rom-client.ts. */
export interface ChipSession {
  readonly client: RomClient
  /** Bytes of a FLASH block on this connection. */
  readonly blockSize: number
  readonly hasLines: boolean
  readonly baud: number
  /** Into download mode until the chip answers SYNC; `flash-no-answer` within 8 s, with the boot code that was seen. */
  connect(): Promise<void>
  startStub(): Promise<void>
  /** True when the speed is up; false when the board stayed at 115200 (reconnected if need be). */
  raiseBaud(baud: number): Promise<boolean>
  end(): void
}

export interface SessionOptions {
  readonly link: SerialLink
  readonly style: ResetStyle
  readonly signal: AbortSignal
}

export function createChipSession({ link, style, signal }: SessionOptions): ChipSession {
  const client = createRomClient(link, signal)
  let baud = romBaud
  let hasLines = true
  let blockSize = 0x4000

  async function setBaud(next: number): Promise<void> {
    await link.setBaud(next)
    baud = next
  }

  async function connect(): Promise<void> {
    client.watchResets = false
    client.stub = false
    const limit = performance.now() + connectLimitMs
    for (let attempt = 0; attempt < syncAttempts && performance.now() < limit; attempt += 1) {
      hasLines = await enterDownload(link, style, attempt % 2 === 1)
      // Without lines a stub of a session that broke off may still run at its own speed.
      if (!hasLines) await setBaud(attempt % 2 === 1 ? 921_600 : romBaud)
      await client.discard()
      const value = await sync(client)
      if (value === null) continue
      client.stub = value === 0 && !hasLines
      await client.discard(50)
      return
    }
    throw noAnswer(link.path, client.noiseText())
  }

  async function startStub(): Promise<void> {
    const device = await readConsole(client)
    if (device === 'usb-jtag') await stopWatchdogs(client)
    if (device === 'usb-otg') blockSize = 0x800
    if (!client.stub) await uploadStub(client, await loadStub(), device === 'usb-otg' ? 0x800 : 0x1800)
    client.stub = true
    client.watchResets = true
  }

  async function raiseBaud(wanted: number): Promise<boolean> {
    if (wanted === baud) return true
    try {
      await client.command(op.changeBaud, [words(wanted, baud)], { timeoutMs: 1000 })
      await setBaud(wanted)
      await client.discard(50)
      if (await isAlive(client)) return true
    } catch (error) {
      if (isAppError(error, 'flash-unplugged') || isAppError(error, 'flash-cancelled')) throw error
    }
    await setBaud(romBaud)
    await client.discard(50)
    if (await isAlive(client)) return false
    await connect()
    await startStub()
    return false
  }

  return {
    client,
    get blockSize() {
      return blockSize
    },
    get hasLines() {
      return hasLines
    },
    get baud() {
      return baud
    },
    connect,
    startStub,
    raiseBaud,
    end: () => client.end(),
  }
}

/** Null when nothing answered; else the value of the answer, which is 0 from a stub only. */
async function sync(client: RomClient): Promise<number | null> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    try {
      return (await client.command(op.sync, [syncData], { timeoutMs: 100 })).value
    } catch (error) {
      if (!isAppError(error, 'flash-timeout') && !isAppError(error, 'flash-protocol')) throw error
    }
  }
  return null
}

function noAnswer(path: string, noise: string): AppError {
  const boot = findBootText(noise)
  const seen = boot ? ` It booted with code 0x${boot.bootCode.toString(16)} (${boot.reason}).` : ''
  const hint = 'Hold BOOT, tap RESET, let go of BOOT, and try again.'
  return new AppError('flash-no-answer', `The board on ${path} is not in download mode.${seen} ${hint}`, {
    details: boot ? { bootCode: boot.bootCode, reason: boot.reason } : {},
  })
}
