import { createHash } from 'node:crypto'
import { AppError, isAppError } from '../../base/app-error.ts'
import type { RomClient } from './rom-client.ts'
import { checksum, isChecksumReason, op, stubHello, words } from './rom-protocol.ts'
import type { StubProgram } from './esp-loader.ts'

/** Registers, flashing.md §2. */
const chipDetect = 0x40001000
const consoleDevice = 0x3fcef14c
const forceDownload = 0x6000812c

export interface SecurityInfo {
  readonly flags: number
  /** Number of one bits counts: odd means that the flash is encrypted. */
  readonly cryptCount: number
  readonly chipId: number
}

/** Milliseconds for `bytes` at a rate in seconds per MB, 3 s at least (flashing.md §1.4). */
export function scaled(secondsPerMb: number, bytes: number): number {
  return Math.max(3000, Math.ceil((secondsPerMb * 1000 * bytes) / 1_000_000))
}

export async function readRegister(client: RomClient, address: number, timeoutMs = 3000): Promise<number> {
  return (await client.command(op.readReg, [words(address)], { timeoutMs })).value
}

export async function writeRegister(client: RomClient, address: number, value: number): Promise<void> {
  await client.command(op.writeReg, [words(address, value, 0xffffffff, 0)])
}

/** False when nothing answers within half a second; an unplug or a cancel is thrown. */
export async function isAlive(client: RomClient): Promise<boolean> {
  try {
    return (await readRegister(client, chipDetect, 500)) !== 0
  } catch (error) {
    if (isAppError(error, 'flash-timeout') || isAppError(error, 'flash-protocol')) return false
    throw error
  }
}

/**
 * Null when the ROM does not know the command: then it is no S3, see `romChipName`. It repeats "not supported" eight
 * times (flashing.md §1.3), so the rest is drained.
 */
export async function readSecurityInfo(client: RomClient): Promise<SecurityInfo | null> {
  try {
    const { data } = await client.command(op.securityInfo, [], { dataLength: 20 })
    const view = Buffer.from(data)
    return { flags: view.readUInt32LE(0), cryptCount: view.readUInt8(4), chipId: view.readUInt32LE(12) }
  } catch (error) {
    if (!isAppError(error, 'flash-protocol')) throw error
    await client.channel.discard(100)
    return null
  }
}

/** What the word at 0x40001000 is on chips that do not know GET_SECURITY_INFO. */
const magicNames: Readonly<Record<number, string>> = {
  0x00f01d83: 'ESP32',
  0x000007c6: 'ESP32-S2',
  0xfff0c101: 'ESP8266',
}

export async function romChipName(client: RomClient): Promise<string> {
  return magicNames[await readRegister(client, chipDetect)] ?? 'unknown chip'
}

/** Which peripheral the ROM talks over: it decides block sizes and watchdogs. */
export async function readConsole(client: RomClient): Promise<'uart' | 'usb-jtag' | 'usb-otg'> {
  const device = (await readRegister(client, consoleDevice)) & 0xff
  return device === 3 ? 'usb-jtag' : device === 4 ? 'usb-otg' : 'uart'
}

/** Over USB-Serial/JTAG the watchdogs run on and would reset the chip in mid write (flashing.md §3.1 row 24). */
export async function stopWatchdogs(client: RomClient): Promise<void> {
  await writeRegister(client, 0x600080b0, 0x50d83aa1)
  await writeRegister(client, 0x60008098, 0)
  await writeRegister(client, 0x600080b0, 0)
  await writeRegister(client, 0x600080b8, 0x8f1d312a)
  await writeRegister(client, 0x600080b4, ((await readRegister(client, 0x600080b4)) | 0x80000000) >>> 0)
  await writeRegister(client, 0x600080b8, 0)
}

/** With bit 0 set an S3 stays in download mode through every reset (flashing.md §9.1). */
export async function allowBoot(client: RomClient): Promise<void> {
  const value = await readRegister(client, forceDownload)
  await writeRegister(client, forceDownload, (value & ~1) >>> 0)
}

/** Loads the stub into RAM, starts it and hears its hello. */
export async function uploadStub(client: RomClient, stub: StubProgram, ramBlock: number): Promise<void> {
  for (const { address, bytes } of stub.segments) {
    const blocks = Math.ceil(bytes.length / ramBlock)
    await client.command(op.memBegin, [words(bytes.length, blocks, ramBlock, address)])
    for (let index = 0; index < blocks; index += 1) {
      const block = bytes.subarray(index * ramBlock, (index + 1) * ramBlock)
      await client.command(op.memData, [words(block.length, index, 0, 0), block], { sum: checksum(block) })
    }
  }
  const hello = Buffer.from(stubHello)
  const greeted = client.bareFrames((frame) => (hello.equals(frame) ? 'done' : 'other'), 3000)
  greeted.catch(() => undefined)
  // The answer of MEM_END may be lost, because the code starts at once: only the hello counts.
  await client.send(op.memEnd, [words(0, stub.entry)])
  await greeted
}

/** Command 9F on the SPI1 engine: 8 bits out, 24 bits in (flashing.md §1.6 stage D). */
export async function readFlashId(client: RomClient): Promise<number> {
  const base = 0x60002000
  const read = (offset: number) => readRegister(client, base + offset)
  const write = (offset: number, value: number) => writeRegister(client, base + offset, value)
  const user = await read(0x18)
  const user2 = await read(0x20)
  await write(0x28, 23)
  await write(0x18, 0x90000000)
  await write(0x20, 0x7000009f)
  await write(0x58, 0)
  await write(0, 0x40000)
  for (let attempt = 0; ((await read(0)) & 0x40000) !== 0; attempt += 1) {
    if (attempt === 10) throw new AppError('flash-no-flash', 'The flash chip does not answer: its command never ends')
  }
  const id = await read(0x58)
  await write(0x18, user)
  await write(0x20, user2)
  return id & 0xffffff
}

/** Bytes by the third byte of the id (0x3x: the octal family, same low digits); 0 when it names none. */
export function flashSizeOf(id: number): number {
  const exponent = (id >> 16) & 0x1f
  return exponent >= 0x12 && exponent <= 0x1a ? 2 ** exponent : 0
}

export async function setFlashSize(client: RomClient, bytes: number): Promise<void> {
  await client.command(op.spiSetParams, [words(0, bytes, 0x10000, 0x1000, 0x100, 0xffff)])
}

/** Hex digest of a range of the flash, by the stub. */
export async function flashMd5(client: RomClient, offset: number, size: number): Promise<string> {
  const options = { dataLength: 16, timeoutMs: scaled(8, size) }
  const { data } = await client.command(op.flashMd5, [words(offset, size, 0, 0)], options)
  return Buffer.from(data).toString('hex')
}

export async function eraseAll(client: RomClient): Promise<void> {
  await client.command(op.eraseFlash, [], { timeoutMs: 120_000 })
}

/** Frames of 4 KiB, 64 in flight, the digest checked (flashing.md §3.1 row 23). */
export async function readFlash(client: RomClient, offset: number, size: number): Promise<Uint8Array> {
  const result = Buffer.alloc(size)
  let digest: Uint8Array | undefined
  let at = 0
  // What is read may hold the text of a reset.
  client.channel.watchResets(false)
  const received = client.bareFrames((frame) => {
    if (at === size) digest = frame
    else if (frame.length === Math.min(0x1000, size - at)) {
      result.set(frame, at)
      at += frame.length
      void client.sendFrame(words(at)).catch(() => undefined)
    } else return 'other'
    return digest ? 'done' : 'more'
  }, 3000)
  received.catch(() => undefined)
  try {
    await client.send(op.readFlash, [words(offset, size, 0x1000, 64)])
    await received
  } finally {
    client.channel.watchResets(true)
  }
  if (digest && createHash('md5').update(result).digest().equals(digest)) return result
  throw new AppError('flash-protocol', 'Reading the flash gave bytes that do not match their digest')
}

export interface BlockWrite {
  readonly index: number
  readonly frame: Uint8Array
  readonly timeoutMs: number
}

const blockTries = 3

/**
 * One compressed block. It is sent again only when the board *said* that it came in damaged: after silence it may have
 * been inflated already, and a second copy would spoil the stream (flashing.md §3.1 row 22). Returns how often it was
 * sent again.
 */
export async function writeBlock(client: RomClient, block: BlockWrite): Promise<number> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await client.sendFramed(op.deflData, block.frame, block.timeoutMs)
      return attempt
    } catch (error) {
      const reason = isAppError(error, 'flash-protocol') ? Number(error.details['reason'] ?? 0) : 0
      if (!isChecksumReason(reason)) throw error
      if (attempt + 1 < blockTries) continue
      const message = `Block ${String(block.index)} failed its checksum ${String(blockTries)} times`
      throw new AppError('flash-checksum', message, { cause: error })
    }
  }
}
