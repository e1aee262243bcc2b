import { AppError } from '../../base/app-error.ts'
import { pause } from '../../base/deadline.ts'
import {
  type Answer,
  type Opcode,
  createFrameReader,
  decodeAnswer,
  encodeRequest,
  encodeSlip,
  findBootText,
  reasonText,
} from './rom-protocol.ts'
import type { SerialLink } from './serial-link.ts'

export interface CommandOptions {
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
  /** The stub's status has 2 bytes, the ROM's 4. Set when the stub runs. */
  stub: boolean
  /** While on, a reset banner between frames fails the waiting command with `flash-rebooted`. */
  watchResets: boolean
  readonly noiseBytes: number
  /** Throws `flash-timeout`, `flash-unplugged`, `flash-rebooted`, `flash-cancelled`; an error answer is `flash-protocol` with `details.reason`. */
  command(opcode: Opcode, parts: readonly Uint8Array[], options?: CommandOptions): Promise<CommandAnswer>
  /** Sends without waiting: for requests that have no answer. */
  send(opcode: Opcode, parts: readonly Uint8Array[], sum?: number): Promise<void>
  sendFrame(bytes: Uint8Array): Promise<void>
  /** Hands on bare frames until `take` is done; `idleMs` is the longest silence. Ask before the request that starts them. */
  bareFrames(take: (frame: Uint8Array) => Take, idleMs: number): Promise<void>
  /** Forgets what came so far, and what comes in `ms`. */
  discard(ms?: number): Promise<void>
  /** Newest 2 kB that were no frame, as text. */
  noiseText(): string
  /** Stops listening; a waiting command fails as cancelled. */
  end(): void
}

/** What a reader makes of a frame; `other` is noise. */
export type Take = 'done' | 'more' | 'other'

interface Waiter {
  accept(frame: Uint8Array): boolean
  fail(error: AppError): void
}

const commandTimeoutMs = 3000
const noiseKept = 2048

export function createRomClient(link: SerialLink, signal: AbortSignal): RomClient {
  const frames = createFrameReader()
  let waiter: Waiter | undefined
  let noise = ''
  let noiseBytes = 0

  const off = link.onData((chunk) => {
    for (const frame of frames.push(chunk)) {
      if (waiter?.accept(frame)) continue
      if (decodeAnswer(frame)) continue
      keepNoise(frame)
    }
    noiseBytes += frames.takeDropped()
    if (client.watchResets) checkForReset()
  })
  link.onClosed(() => waiter?.fail(new AppError('flash-unplugged', `${link.path} is gone: the board was unplugged`)))
  const onAbort = () => waiter?.fail(cancelled())
  signal.addEventListener('abort', onAbort)

  function keepNoise(bytes: Uint8Array): void {
    noiseBytes += bytes.length
    noise = (noise + Buffer.from(bytes.subarray(-noiseKept)).toString('latin1')).slice(-noiseKept)
  }

  /** ROM text inside a session means that the chip restarted (flashing.md §11 row 11). */
  function checkForReset(): void {
    if (!waiter) return
    const text = noise + Buffer.from(frames.rest()).toString('latin1')
    const boot = findBootText(text)
    if (!boot) return
    const message = `The board restarted: ${boot.reason}, boot code 0x${boot.bootCode.toString(16)}`
    waiter.fail(new AppError('flash-rebooted', message, { details: { reason: boot.reason } }))
  }

  async function waitFor(what: string, timeoutMs: number, take: (frame: Uint8Array) => Take): Promise<void> {
    if (signal.aborted) throw cancelled()
    const found = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      found.reject(new AppError('flash-timeout', `${link.path}: no answer to ${what} within ${String(timeoutMs)} ms`))
    }, timeoutMs)
    const mine: Waiter = {
      accept(frame) {
        const taken = take(frame)
        if (taken === 'other') return false
        timer.refresh()
        if (taken === 'more') return true
        found.resolve()
        if (waiter === mine) waiter = undefined
        return true
      },
      fail: (error) => found.reject(error),
    }
    waiter = mine
    try {
      return await found.promise
    } finally {
      clearTimeout(timer)
      if (waiter === mine) waiter = undefined
    }
  }

  async function exchange(opcode: Opcode, request: Uint8Array, timeoutMs: number): Promise<Answer> {
    let answer: Answer | undefined
    const answered = waitFor(`command 0x${opcode.toString(16)}`, timeoutMs, (frame) => {
      const decoded = decodeAnswer(frame)
      if (decoded?.opcode !== opcode) return 'other'
      answer = decoded
      return 'done'
    })
    const sent = link.write(encodeSlip(request))
    // Whichever fails first is thrown; the other must not be left without a listener.
    sent.catch(() => undefined)
    answered.catch(() => undefined)
    await Promise.race([sent, answered])
    await answered
    if (!answer) throw new AppError('flash-protocol', `${link.path} gave no answer`)
    return answer
  }

  const client: RomClient = {
    stub: false,
    watchResets: false,
    get noiseBytes() {
      return noiseBytes
    },
    async command(opcode, parts, options = {}) {
      const request = encodeRequest(opcode, parts, options.sum)
      const answer = await exchange(opcode, request, options.timeoutMs ?? commandTimeoutMs)
      return readStatus(opcode, answer, { stub: client.stub, dataLength: options.dataLength ?? 0 })
    },
    async send(opcode, parts, sum) {
      if (signal.aborted) throw cancelled()
      await link.write(encodeSlip(encodeRequest(opcode, parts, sum)))
    },
    sendFrame: (bytes) => link.write(encodeSlip(bytes)),
    bareFrames: (take, idleMs) => waitFor('a read', idleMs, take),
    async discard(ms = 0) {
      if (ms > 0) await pause(ms, signal)
      keepNoise(frames.rest())
      frames.clear()
    },
    noiseText: () => noise + Buffer.from(frames.rest()).toString('latin1'),
    end() {
      off()
      signal.removeEventListener('abort', onAbort)
      waiter?.fail(cancelled())
    },
  }
  return client
}

/** The status follows the expected data; in a shorter answer its first two bytes are the error (flashing.md §1.2). */
function readStatus(opcode: Opcode, answer: Answer, shape: { stub: boolean; dataLength: number }): CommandAnswer {
  const { body } = answer
  const at = body.length >= shape.dataLength + 2 ? shape.dataLength : 0
  const [flag = 0, second = 0] = body.subarray(at, at + 2)
  if (flag === 0 && at === shape.dataLength) return { value: answer.value, data: body.subarray(0, at) }
  const reason = shape.stub && flag > 1 ? flag : second
  throw new AppError(
    'flash-protocol',
    `The board answered command 0x${opcode.toString(16)} with: ${reasonText(reason)}`,
    {
      details: { reason },
    },
  )
}

function cancelled(): AppError {
  return new AppError('flash-cancelled', 'The flash job was cancelled')
}
