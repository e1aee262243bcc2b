import { AppError, isAppError } from '../../base/app-error.ts'
import { flashMd5, isAlive, scaled, writeBlock } from './chip-commands.ts'
import type { ChipSession } from './chip-session.ts'
import type { CompressedPiece } from './compress.ts'
import { op, words } from './rom-protocol.ts'

export interface WriteReport {
  /** Plain bytes on the board so far, of this piece. */
  onProgress(bytes: number): void
  onRetry(reason: 'checksum' | 'restart'): void
}

const pieceTries = 3

/**
 * Writes one piece. Silence restarts it from BEGIN, at most three times and only while the board still answers.
 * Throws `flash-checksum`, `flash-timeout`, `flash-write-failed`, `flash-rebooted`, `flash-unplugged`, `flash-cancelled`.
 */
export async function writePiece(session: ChipSession, piece: CompressedPiece, report: WriteReport): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await writeOnce(session, piece, report)
      return
    } catch (error) {
      if (attempt === pieceTries || !(await canRestart(session, error))) throw asWriteFailure(error, piece)
      report.onRetry('restart')
    }
  }
}

/** Compares the digest of the board's flash. Throws `flash-verify-failed` with both. */
export async function verifyPiece(session: ChipSession, piece: CompressedPiece): Promise<void> {
  const found = await flashMd5(session.client, piece.offset, piece.size)
  if (found === piece.md5) return
  const where = `${String(piece.size)} bytes at 0x${piece.offset.toString(16)}`
  throw new AppError('flash-verify-failed', `${where}: MD5 is ${found}, expected ${piece.md5}`, {
    details: { expected: piece.md5, found },
  })
}

async function writeOnce(
  { client, blockSize }: ChipSession,
  piece: CompressedPiece,
  report: WriteReport,
): Promise<void> {
  const begin = words(piece.size, piece.blocks.length, blockSize, piece.offset)
  await client.command(op.deflBegin, [begin], { timeoutMs: 10_000 })
  let done = 0
  // A block is answered when it arrived: its time is that of the one before, still being written (flashing.md §1.4).
  let timeoutMs = 5000
  for (const [index, block] of piece.blocks.entries()) {
    const repeats = await writeBlock(client, { index, frame: block.frame, timeoutMs })
    for (let count = 0; count < repeats; count += 1) report.onRetry('checksum')
    timeoutMs = scaled(40, block.plainBytes)
    done += block.plainBytes
    report.onProgress(done)
  }
  await client.command(op.deflEnd, [words(1)], { timeoutMs: timeoutMs + 1000 })
}

/** Errors of the deflate stream: not enough data, too much, not to be inflated. */
const streamReasons = [0xc7, 0xc8, 0xc9]

async function canRestart({ client }: ChipSession, error: unknown): Promise<boolean> {
  if (isAppError(error, 'flash-protocol')) return streamReasons.includes(Number(error.details['reason']))
  if (!isAppError(error, 'flash-timeout')) return false
  await client.channel.discard(20)
  return await isAlive(client)
}

function asWriteFailure(error: unknown, piece: CompressedPiece): unknown {
  if (!isAppError(error, 'flash-protocol')) return error
  return new AppError('flash-write-failed', `At 0x${piece.offset.toString(16)}: ${error.message}`, { cause: error })
}
