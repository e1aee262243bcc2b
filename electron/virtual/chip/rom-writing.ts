import { createFlashWriter, type FlashWriter, romWriteCodes } from './flash-writer.ts'
import { answer, blockOf, type LoaderContext, type Reply, romDialect as rom } from './loader.ts'
import { opcode, type Request, wordAt } from './packet.ts'

const blockLimit = 0x400
const operationFailed = 0x06
const badMessage = 0x05

export interface RomWriting {
  begin(request: Request): Promise<Reply>
  data(request: Request): Promise<Reply>
  flipBit(): void
  close(): void
}

/** BEGIN and DATA of the ROM: everything is erased at BEGIN, a block is answered once it is written (flashing.md §1.4). */
export function createRomWriting(context: LoaderContext, fits: (offset: number, size: number) => boolean): RomWriting {
  let writer: FlashWriter | undefined

  async function begin({ op, data }: Request): Promise<Reply> {
    // The S3 takes a fifth word (encrypt); without it the message is too short.
    if (data.length < 20) return answer(rom, op, badMessage)
    const [size, blocks, blockSize, offset] = [wordAt(data, 0), wordAt(data, 4), wordAt(data, 8), wordAt(data, 12)]
    const compressed = op === opcode.deflBegin
    const room = compressed ? size : Math.max(size, blocks * blockSize)
    if (!fits(offset, size)) return answer(rom, op, operationFailed)
    writer?.close()
    writer = createFlashWriter(context, { offset, size: room, compressed, erasesAhead: false, codes: romWriteCodes })
    await context.erase(offset, size)
    return answer(rom, op)
  }

  async function data(request: Request): Promise<Reply> {
    const block = blockOf(rom, request)
    if (typeof block === 'number') return answer(rom, request.op, block)
    if (block.length > blockLimit) return answer(rom, request.op, badMessage)
    if (!writer || writer.compressed !== (request.op === opcode.deflData))
      return answer(rom, request.op, operationFailed)
    return answer(rom, request.op, await writer.write(block))
  }

  return { begin, data, flipBit: () => writer?.flipBit(), close: () => writer?.close() }
}
