import { sectorBytes } from './flash-array.ts'
import { createFlashReader, type FlashReader, type ReadJob } from './flash-reader.ts'
import {
  answer,
  answerWith,
  createSharedCommands,
  type Loader,
  type LoaderContext,
  type Reply,
  stubDialect as stub,
} from './loader.ts'
import { createStubWriting } from './stub-writing.ts'
import { opcode, parseRequest, type Request, wordAt } from './packet.ts'

const blockLimit = 0x4000
const code = { blockSize: 0xc2, spiOperation: 0xc4, notImplemented: 0xff, eraseOffset: 0x32, eraseSize: 0x33 } as const

/** The flasher stub in RAM. */
export function createStubCommands(context: LoaderContext): Loader {
  const shared = createSharedCommands(context, stub)
  const { flash, faults } = context
  const writing = createStubWriting(context)
  let reader: FlashReader | undefined

  function read({ op, data }: Request): Reply {
    const job = readJob(data)
    if (job.chunk === 0 || job.chunk > blockLimit || job.framesInFlight === 0) return answer(stub, op, code.blockSize)
    if (job.offset + job.size > flash.size) return answer(stub, op, code.spiOperation)
    reader = createFlashReader(flash, job)
    return { frames: [...answer(stub, op).frames, ...reader.start()] }
  }

  async function own(request: Request): Promise<Reply | undefined> {
    const { op, data: body } = request
    switch (op) {
      case opcode.flashBegin:
      case opcode.deflBegin:
        return writing.begin(request)
      case opcode.flashData:
      case opcode.deflData:
        return writing.data(request)
      case opcode.flashEnd:
      case opcode.deflEnd:
        return writing.end(request)
      case opcode.spiSetParams:
        return answer(stub, op)
      case opcode.md5: {
        const [offset, size] = [wordAt(body, 0), wordAt(body, 4)]
        if (offset + size > flash.size) return answer(stub, op, code.spiOperation)
        if (faults.has('md5-flip')) writing.flipBit()
        return answerWith(stub, op, { data: flash.hash('md5', offset, size) })
      }
      case opcode.eraseFlash:
        await context.erase(0, flash.size)
        return answer(stub, op)
      case opcode.eraseRegion:
        return eraseRegion(context, request)
      case opcode.readFlash:
        return read(request)
      case opcode.runUserCode:
        return { frames: [], then: { do: 'boot' } }
      default:
        return undefined
    }
  }

  return {
    async handle(frame) {
      if (reader && !reader.done && frame.length === 4) return { frames: reader.acknowledge(frame) }
      const request = parseRequest(frame)
      if (!request) return { frames: [] }
      // A command in the middle of a read means that the host has given it up.
      reader = undefined
      return (await own(request)) ?? shared(request) ?? answer(stub, request.op, code.notImplemented)
    },
    close: () => writing.close(),
  }
}

async function eraseRegion(context: LoaderContext, { op, data }: Request): Promise<Reply> {
  const [offset, size] = [wordAt(data, 0), wordAt(data, 4)]
  if (offset % sectorBytes !== 0) return answer(stub, op, code.eraseOffset)
  if (size % sectorBytes !== 0) return answer(stub, op, code.eraseSize)
  if (offset + size > context.flash.size) return answer(stub, op, code.spiOperation)
  await context.erase(offset, size)
  return answer(stub, op)
}

function readJob(data: Uint8Array): ReadJob {
  return { offset: wordAt(data, 0), size: wordAt(data, 4), chunk: wordAt(data, 8), framesInFlight: wordAt(data, 12) }
}
