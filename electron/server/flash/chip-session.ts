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

export interface SessionOptions {
  readonly link: SerialLink
  readonly style: ResetStyle
  readonly signal: AbortSignal
}

/** One connection to one chip: ROM first, then the stub. Calls throw the codes of rom-client.ts. */
export interface ChipSession extends SessionOptions {
  readonly client: RomClient
  /** Bytes of a FLASH block on this connection. */
  blockSize: number
  /** False on a PTY: there the commands that run user code take the place of a reset. */
  hasLines: boolean
  baud: number
}

export function createChipSession(options: SessionOptions): ChipSession {
  const client = createRomClient(options.link, options.signal)
  return { ...options, client, blockSize: 0x4000, hasLines: true, baud: romBaud }
}

/** Into download mode until the chip answers SYNC; throws `flash-no-answer` within 8 s, with the boot code that was seen. */
export async function connect(session: ChipSession): Promise<void> {
  const { client, link, style } = session
  client.channel.watchResets(false)
  client.stub = false
  const limit = performance.now() + connectLimitMs
  for (let attempt = 0; attempt < syncAttempts && performance.now() < limit; attempt += 1) {
    session.hasLines = await enterDownload(link, style, attempt % 2 === 1)
    // Without lines a stub of a session that broke off may still run at its own speed.
    if (!session.hasLines) await setBaud(session, attempt % 2 === 1 ? 921_600 : romBaud)
    await client.channel.discard()
    const value = await sync(client)
    if (value === null) continue
    client.stub = value === 0 && !session.hasLines
    await client.channel.discard(50)
    return
  }
  throw noAnswer(link.path, client.channel.noiseText())
}

export async function startStub(session: ChipSession): Promise<void> {
  const { client } = session
  const device = await readConsole(client)
  if (device === 'usb-jtag') await stopWatchdogs(client)
  if (device === 'usb-otg') session.blockSize = 0x800
  if (!client.stub) await uploadStub(client, await loadStub(), device === 'usb-otg' ? 0x800 : 0x1800)
  client.stub = true
  client.channel.watchResets(true)
}

/** Tries the speed; where the board does not follow it stays at 115200, reconnected if need be (flashing.md §3.1 row 21). */
export async function changeBaud(session: ChipSession, wanted: number): Promise<void> {
  const { client } = session
  if (wanted === session.baud) return
  try {
    await client.command(op.changeBaud, [words(wanted, session.baud)], { timeoutMs: 1000 })
    await setBaud(session, wanted)
    await client.channel.discard(50)
    if (await isAlive(client)) return
  } catch (error) {
    if (isAppError(error, 'flash-unplugged') || isAppError(error, 'flash-cancelled')) throw error
  }
  await setBaud(session, romBaud)
  await client.channel.discard(50)
  if (await isStubAt(session)) return
  await connect(session)
  await startStub(session)
}

/** A restart during the change counts as "not there": it is connected anew. */
async function isStubAt({ client }: ChipSession): Promise<boolean> {
  try {
    return await isAlive(client)
  } catch (error) {
    if (isAppError(error, 'flash-rebooted')) return false
    throw error
  }
}

async function setBaud(session: ChipSession, baud: number): Promise<void> {
  await session.link.setBaud(baud)
  session.baud = baud
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
