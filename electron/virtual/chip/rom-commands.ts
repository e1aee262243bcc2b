import {
  answer,
  answerWith,
  createSharedCommands,
  type Loader,
  type LoaderContext,
  type Reply,
  romDialect as rom,
} from './loader.ts'
import { createRomWriting } from './rom-writing.ts'
import { encodeResponse, opcode, parseRequest, type Request, wordAt } from './packet.ts'

const defaultFlashBytes = 0x200000
const operationFailed = 0x06
const badMessage = 0x05

/** flashing.md §9.3: what Secure Download Mode leaves. */
const secureDownloadOps: ReadonlySet<number> = new Set([
  opcode.sync,
  opcode.securityInfo,
  opcode.spiAttach,
  opcode.spiSetParams,
  opcode.flashBegin,
  opcode.flashData,
  opcode.flashEnd,
])

/** The download mode of the mask ROM: what answers before a stub runs. */
export function createRomCommands(context: LoaderContext): Loader {
  const shared = createSharedCommands(context, rom)
  const { flash, faults } = context
  let flashBytes = defaultFlashBytes

  const fits = (offset: number, size: number) => offset + size <= Math.min(flashBytes, flash.size)
  const writing = createRomWriting(context, fits)

  function md5({ op, data }: Request): Reply {
    const [offset, size] = [wordAt(data, 0), wordAt(data, 4)]
    if (!fits(offset, size)) return answer(rom, op, operationFailed)
    if (faults.has('md5-flip')) writing.flipBit()
    return answerWith(rom, op, { data: Buffer.from(Buffer.from(flash.hash('md5', offset, size)).toString('hex')) })
  }

  function readSlow({ op, data }: Request): Reply {
    const [offset, size] = [wordAt(data, 0), wordAt(data, 4)]
    if (size > 64) return answer(rom, op, 0x0a)
    if (!fits(offset, size)) return answer(rom, op, operationFailed)
    // The buffer comes whole, however little was asked for.
    const buffer = new Uint8Array(64)
    buffer.set(flash.read(offset, size))
    return answerWith(rom, op, { data: buffer })
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
        if (faults.has('md5-flip')) writing.flipBit()
        return { ...answer(rom, op), then: { do: 'boot' } }
      case opcode.spiSetParams:
        flashBytes = wordAt(body, 4)
        return answer(rom, op)
      case opcode.md5:
        return md5(request)
      case opcode.readFlashSlow:
        return readSlow(request)
      default:
        return undefined
    }
  }

  return {
    async handle(frame) {
      const request = parseRequest(frame)
      if (!request) return { frames: [] }
      const barred = faults.has('secure-download') && !secureDownloadOps.has(request.op)
      const reply = barred ? undefined : ((await own(request)) ?? shared(request))
      if (!reply) {
        // Eight times, as a real ROM does: a host has to drain them.
        const refusal = encodeResponse({ op: request.op, status: rom.failure(badMessage) })
        return { frames: Array.from({ length: 8 }, () => refusal) }
      }
      // A program in RAM is not signed: with secure boot it is never started, and nothing says so.
      if (reply.then?.do === 'start-stub' && faults.has('secure-boot')) return { frames: reply.frames }
      return reply
    },
    close: () => writing.close(),
  }
}
