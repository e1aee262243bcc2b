import type { FaultPlan } from './faults.ts'
import type { FlashArray } from './flash-array.ts'
import { checksumOf, encodeResponse, opcode, type Request, wordAt, words } from './packet.ts'
import type { Registers } from './registers.ts'

/** What ROM and stub work on. */
export interface LoaderContext {
  readonly flash: FlashArray
  readonly registers: Registers
  readonly faults: FaultPlan
  /** The largest block that the console's buffer takes: 0x800 on USB-OTG (flashing.md §1.3, §1.4). */
  readonly blockLimit: number
  /** Erases and takes the time that a slow flash takes. */
  erase(offset: number, length: number): Promise<void>
}

export type AfterReply =
  { readonly do: 'start-stub' } | { readonly do: 'boot' } | { readonly do: 'baud'; readonly baud: number }

export interface Reply {
  /** Frames to send, not yet SLIP-encoded. */
  readonly frames: readonly Uint8Array[]
  readonly then?: AfterReply
}

export interface Loader {
  /** One frame at a time: a call follows the end of the one before. */
  handle(frame: Uint8Array): Promise<Reply>
  close(): void
}

/** How ROM and stub say "done" and "failed": 4 bytes (flag, reason) against 2 (reason first). flashing.md §1.2, §1.5 */
export interface Dialect {
  readonly ok: Uint8Array
  failure(code: number): Uint8Array
  readonly badChecksum: number
  readonly badLength: number
  readonly syncValue: number
}

export const romDialect: Dialect = {
  ok: new Uint8Array(4),
  failure: (code) => new Uint8Array([1, code, 0, 0]),
  badChecksum: 0x07,
  badLength: 0x05,
  // "Junk" of a real S3: the first word of the SYNC data.
  syncValue: 0x20120707,
}

export const stubDialect: Dialect = {
  ok: new Uint8Array(2),
  failure: (code) => new Uint8Array([code, 0]),
  badChecksum: 0xc1,
  badLength: 0xc0,
  syncValue: 0,
}

export function answer(dialect: Dialect, op: number, code = 0): Reply {
  return { frames: [encodeResponse({ op, status: code === 0 ? dialect.ok : dialect.failure(code) })] }
}

export function answerWith(dialect: Dialect, op: number, result: { value?: number; data?: Uint8Array }): Reply {
  return { frames: [encodeResponse({ op, status: dialect.ok, ...result })] }
}

/** A block: 16 bytes of header, then the payload. The error code of the dialect when it is not sound. */
export function blockOf(dialect: Dialect, request: Request): Uint8Array | number {
  const payload = request.data.subarray(16)
  if (!request.sound || request.data.length < 16 || wordAt(request.data, 0) !== payload.length) return dialect.badLength
  if (checksumOf(payload) !== (request.checksum & 0xff)) return dialect.badChecksum
  return payload
}

/** The commands that ROM and stub answer alike but for the dialect. Undefined: not one of them. */
export function createSharedCommands(
  context: LoaderContext,
  dialect: Dialect,
): (request: Request) => Reply | undefined {
  const memory = createMemoryCommands(context, dialect)
  return (request) => {
    const { op, data } = request
    switch (op) {
      case opcode.sync: {
        const frame = encodeResponse({ op, value: dialect.syncValue, status: dialect.ok })
        return { frames: Array.from({ length: 8 }, () => frame) }
      }
      case opcode.readReg:
        return answerWith(dialect, op, { value: context.registers.read(wordAt(data, 0)) })
      case opcode.writeReg:
        for (let at = 0; at + 12 <= data.length; at += 16) {
          context.registers.write(wordAt(data, at), wordAt(data, at + 4), wordAt(data, at + 8))
        }
        return answer(dialect, op)
      case opcode.securityInfo:
        return answerWith(dialect, op, { data: securityInfo(context.faults) })
      case opcode.spiAttach:
        return answer(dialect, op)
      case opcode.changeBaud: {
        const baud = wordAt(data, 0)
        const reply = answer(dialect, op)
        return baud === 0 || context.faults.has('baud-refusal') ? reply : { ...reply, then: { do: 'baud', baud } }
      }
      default:
        return memory(request)
    }
  }
}

const ramBytes = 0x80000

/** RAM upload. What is loaded is not kept: whatever it is, it plays the stub once it is started. */
function createMemoryCommands(context: LoaderContext, dialect: Dialect): (request: Request) => Reply | undefined {
  let loading = false
  return (request) => {
    const { op, data } = request
    if (op === opcode.memBegin) {
      loading = wordAt(data, 0) <= ramBytes
      return answer(dialect, op, loading ? 0 : 0x0e)
    }
    if (op === opcode.memData) {
      const block = blockOf(dialect, request)
      if (typeof block === 'number') return answer(dialect, op, block)
      return answer(dialect, op, loading && block.length <= context.blockLimit ? 0 : dialect.badLength)
    }
    if (op === opcode.memEnd) {
      loading = false
      const runs = wordAt(data, 0) === 0 && wordAt(data, 4) !== 0
      return runs ? { ...answer(dialect, op), then: { do: 'start-stub' } } : answer(dialect, op)
    }
    return undefined
  }
}

/** flashing.md §1.3, opcode 14: flags, crypt count, 7 key purposes, chip id, API version. */
function securityInfo(faults: FaultPlan): Uint8Array {
  const flags = (faults.has('secure-boot') ? 1 : 0) | (faults.has('secure-download') ? 4 : 0)
  const info = new Uint8Array(20)
  info.set(words(flags))
  info[4] = faults.has('flash-encryption') ? 1 : 0
  // Key purposes: 9 is a secure-boot digest, 4 a flash encryption key (XTS-AES-128).
  if (faults.has('secure-boot')) info[5] = 9
  if (faults.has('flash-encryption')) info[6] = 4
  info.set(words(faults.chipId, 0), 12)
  return info
}
