import { createFlashWriter, type FlashWriter, stubWriteCodes } from './flash-writer.ts'
import { answer, blockOf, type LoaderContext, type Reply, stubDialect as stub } from './loader.ts'
import { opcode, type Request, wordAt } from './packet.ts'

const code = { blockSize: 0xc2, spiOperation: 0xc4, notFlashing: 0xc6 } as const

export interface StubWriting {
  begin(request: Request): Reply
  data(request: Request): Promise<Reply>
  end(request: Request): Promise<Reply>
  flipBit(): void
  close(): void
}

/** BEGIN, DATA and END of the stub (flashing.md §1.4). */
export function createStubWriting(context: LoaderContext): StubWriting {
  const { flash, faults, blockLimit } = context
  let writer: FlashWriter | undefined
  let lateError = 0

  function begin({ op, data }: Request): Reply {
    const [size, blockSize, offset] = [wordAt(data, 0), wordAt(data, 8), wordAt(data, 12)]
    if (data.length < 16) return answer(stub, op, stub.badLength)
    if (blockSize > blockLimit) return answer(stub, op, code.blockSize)
    if (offset + size > flash.size) return answer(stub, op, code.spiOperation)
    writer?.close()
    lateError = 0
    const compressed = op === opcode.deflBegin
    writer = createFlashWriter(context, { offset, size, compressed, erasesAhead: true, codes: stubWriteCodes })
    return answer(stub, op)
  }

  /**
   * A real stub acknowledges a block before it writes it, so an error shows one answer late. Here the block is in the
   * flash first (flash.bin holds what was answered), and its error still shows late.
   */
  async function data(request: Request): Promise<Reply> {
    if (!writer || writer.compressed !== (request.op === opcode.deflData))
      return answer(stub, request.op, code.notFlashing)
    const block = blockOf(stub, request)
    if (typeof block === 'number') return answer(stub, request.op, block)
    if (block.length > blockLimit) return answer(stub, request.op, code.blockSize)
    const told = lateError
    lateError = await writer.write(block)
    return answer(stub, request.op, told)
  }

  async function end({ op, data }: Request): Promise<Reply> {
    const error = writer ? await writer.end() : code.notFlashing
    if (faults.has('md5-flip')) writer?.flipBit()
    writer?.close()
    writer = undefined
    lateError = 0
    const reply = answer(stub, op, error)
    return wordAt(data, 0) === 0 ? { ...reply, then: { do: 'boot' } } : reply
  }

  return { begin, data, end, flipBit: () => writer?.flipBit(), close: () => writer?.close() }
}
