import { createInflater, type Inflater } from './inflater.ts'
import type { LoaderContext } from './loader.ts'
import { sectorBytes } from './flash-array.ts'

const blockBytes = 0x10000

export interface WriteCodes {
  readonly inflate: number
  readonly notEnough: number
  readonly tooMuch: number
}

export const stubWriteCodes: WriteCodes = { inflate: 0xc7, notEnough: 0xc8, tooMuch: 0xc9 }
export const romWriteCodes: WriteCodes = { inflate: 0x0b, notEnough: 0x06, tooMuch: 0x06 }

export interface WriteJob {
  readonly offset: number
  /** Plain bytes that may be written. */
  readonly size: number
  readonly compressed: boolean
  /** The stub erases ahead of its data, the ROM all at BEGIN (flashing.md §1.4). */
  readonly erasesAhead: boolean
  readonly codes: WriteCodes
}

export interface FlashWriter {
  readonly compressed: boolean
  /** Everything of the block is in the flash when this resolves; the first error of the job so far, or 0. */
  write(block: Uint8Array): Promise<number>
  /** The error that END tells, or 0. */
  end(): Promise<number>
  /** One bit of what was written turns 0 (fault `md5-flip`); once a job. */
  flipBit(): void
  close(): void
}

/** One BEGIN … END of plain or compressed data. Sequence numbers are ignored: a duplicate is processed again, as on the chip. */
export function createFlashWriter(context: LoaderContext, job: WriteJob): FlashWriter {
  const inflater: Inflater | undefined = job.compressed ? createInflater() : undefined
  const eraseEnd = Math.ceil((job.offset + job.size) / sectorBytes) * sectorBytes
  let at = job.offset
  let erased = job.erasesAhead ? job.offset - (job.offset % sectorBytes) : eraseEnd
  let error = 0
  let flipped = false

  async function put(bytes: Uint8Array): Promise<void> {
    const room = job.offset + job.size - at
    const part = bytes.subarray(0, room)
    while (erased < Math.min(at + part.length, eraseEnd)) {
      const step = erased % blockBytes === 0 && eraseEnd - erased >= blockBytes ? blockBytes : sectorBytes
      await context.erase(erased, step)
      erased += step
    }
    context.flash.write(at, part)
    at += part.length
    // A padded last block is no error; only compressed data says exactly how much there is.
    if (inflater && bytes.length > room) error ||= job.codes.tooMuch
  }

  return {
    compressed: job.compressed,
    async write(block) {
      if (error !== 0) return error
      if (!inflater) {
        await put(block)
        return error
      }
      const { output, sound } = await inflater.push(block)
      for (const chunk of output) await put(chunk)
      if (!sound) error ||= job.codes.inflate
      return error
    },
    async end() {
      if (error !== 0) return error
      if (at < job.offset + job.size) return job.codes.notEnough
      if (inflater && job.size > 0 && !(await inflater.finish())) return job.codes.inflate
      return 0
    },
    flipBit() {
      if (flipped || at === job.offset) return
      const written = context.flash.read(job.offset, at - job.offset)
      const middle = written.length >>> 1
      const found = written.findIndex((byte, index) => index >= middle && byte !== 0)
      const where = found >= 0 ? found : written.findIndex((byte) => byte !== 0)
      if (where < 0) return
      const byte = written[where] ?? 0
      context.flash.write(job.offset + where, new Uint8Array([byte & (byte - 1)]))
      flipped = true
    },
    close: () => inflater?.close(),
  }
}
