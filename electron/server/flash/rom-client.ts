import { AppError } from '../../base/app-error.ts'
import { type FrameChannel, type Take, createFrameChannel } from './frame-channel.ts'
import { type Answer, type Opcode, decodeAnswer, encodeRequest, encodeSlip, reasonText } from './rom-protocol.ts'
import type { SerialLink } from './serial-link.ts'

export interface CommandOptions {
  /** 3 s unless said. */
  readonly timeoutMs?: number
  /** Bytes of data that a good answer carries before its status. */
  readonly dataLength?: number
  readonly sum?: number
}

export interface CommandAnswer {
  readonly value: number
  readonly data: Uint8Array
}

/** Requests and answers over one link, one at a time. */
export interface RomClient {
  readonly channel: FrameChannel
  /** Whether the stub answers and not the ROM: their error codes differ. */
  stub: boolean
  /** Throws `flash-timeout`, `flash-unplugged`, `flash-rebooted`, `flash-cancelled`; an error answer is `flash-protocol` with `details.reason`. */
  command(opcode: Opcode, parts: readonly Uint8Array[], options?: CommandOptions): Promise<CommandAnswer>
  /** The same for a request that is framed already; only the status of its answer is of interest. */
  sendFramed(opcode: Opcode, frame: Uint8Array, timeoutMs: number): Promise<void>
  /** Sends without waiting: for requests that have no answer. */
  send(opcode: Opcode, parts: readonly Uint8Array[]): Promise<void>
  sendFrame(bytes: Uint8Array): Promise<void>
  /** Bare frames, as READ_FLASH sends them. Ask before the request that starts them. */
  bareFrames(take: (frame: Uint8Array) => Take, idleMs: number): Promise<void>
}

const commandTimeoutMs = 3000

export function createRomClient(link: SerialLink, signal: AbortSignal): RomClient {
  const channel = createFrameChannel(link, signal)

  async function exchange(opcode: Opcode, frame: Uint8Array, timeoutMs: number): Promise<Answer> {
    let answer: Answer = { opcode, value: 0, body: new Uint8Array() }
    const answered = channel.frames(`command 0x${opcode.toString(16)}`, timeoutMs, (received) => {
      const decoded = decodeAnswer(received)
      if (decoded?.opcode !== opcode) return 'other'
      answer = decoded
      return 'done'
    })
    const sent = link.write(frame)
    // Whichever fails first is thrown; the other must not be left without a listener.
    sent.catch(() => undefined)
    answered.catch(() => undefined)
    await Promise.race([sent, answered])
    await answered
    return answer
  }

  const client: RomClient = {
    channel,
    stub: false,
    async command(opcode, parts, options = {}) {
      const request = encodeSlip(encodeRequest(opcode, parts, options.sum))
      const answer = await exchange(opcode, request, options.timeoutMs ?? commandTimeoutMs)
      return readStatus(answer, { stub: client.stub, dataLength: options.dataLength ?? 0 })
    },
    async sendFramed(opcode, frame, timeoutMs) {
      readStatus(await exchange(opcode, frame, timeoutMs), { stub: client.stub, dataLength: 0 })
    },
    async send(opcode, parts) {
      channel.check()
      await link.write(encodeSlip(encodeRequest(opcode, parts)))
    },
    sendFrame: (bytes) => link.write(encodeSlip(bytes)),
    bareFrames: (take, idleMs) => channel.frames('a read', idleMs, take),
  }
  return client
}

/** The status follows the expected data; in a shorter answer its first two bytes are the error (flashing.md §1.2). */
function readStatus(answer: Answer, shape: { stub: boolean; dataLength: number }): CommandAnswer {
  const { body, opcode } = answer
  const at = body.length >= shape.dataLength + 2 ? shape.dataLength : 0
  const [flag = 0, second = 0] = body.subarray(at, at + 2)
  if (flag === 0 && at === shape.dataLength) return { value: answer.value, data: body.subarray(0, at) }
  const reason = shape.stub && flag > 1 ? flag : second
  const message = `The board answered command 0x${opcode.toString(16)} with: ${reasonText(reason)}`
  throw new AppError('flash-protocol', message, { details: { reason } })
}
