import { createRomCommands } from './rom-commands.ts'
import type { AfterReply, Loader, LoaderContext } from './loader.ts'
import { opcode, parseRequest } from './packet.ts'
import { decodeSlip, encodeSlip, slipStart } from './slip.ts'
import { createStubCommands } from './stub-commands.ts'

export interface LoaderSessionOptions {
  readonly context: LoaderContext
  /** Ended by a reset: what is still being worked on gives no answer. */
  readonly signal: AbortSignal
  send(bytes: Uint8Array): void
  /** What a block of flash data brings with it; true: the chip is gone, the block is not looked at. */
  blockArrived(): { readonly gone: boolean; readonly badChecksum: boolean; readonly answerLost: boolean }
  /** Each request, before it is worked on. */
  onCommand(op: number): void
  onStub(): void
  onBaud(baud: number): void
  onBoot(): void
  /** Something of ours broke (the flash file cannot be written): the chip falls silent. */
  onFailure(error: unknown): void
}

export interface LoaderSession {
  receive(bytes: Uint8Array): void
  /** A frame has begun and its end has not come. */
  inFrame(): boolean
}

const hello = new Uint8Array([0x4f, 0x48, 0x41, 0x49])

/** Download mode from reset to reset: ROM first, the stub once one was started. Commands are done one after another. */
export function createLoaderSession(options: LoaderSessionOptions): LoaderSession {
  const { context, signal } = options
  const noise = context.faults.has('noise') ? createNoise() : undefined
  let loader: Loader = createRomCommands(context)
  let slip = slipStart
  let working = false
  const queue: Uint8Array[] = []
  signal.addEventListener('abort', () => {
    queue.length = 0
    loader.close()
  })

  const send = (frames: readonly Uint8Array[]) => {
    if (frames.length > 0) options.send(onTheWire(frames, noise))
  }

  async function work(frame: Uint8Array): Promise<void> {
    const op = parseRequest(frame)?.op
    if (op !== undefined) options.onCommand(op)
    const isBlock = op === opcode.flashData || op === opcode.deflData
    const fate = isBlock ? options.blockArrived() : undefined
    if (fate?.gone) return
    const seen = frame.slice()
    // Damaged on its way: the chip finds it out by itself.
    if (fate?.badChecksum) seen[4] = (seen[4] ?? 0) ^ 1
    const reply = await loader.handle(seen)
    if (signal.aborted) return
    if (!fate?.answerLost) send(reply.frames)
    if (reply.then) follow(reply.then)
  }

  function follow(then: AfterReply): void {
    if (then.do === 'start-stub') {
      loader.close()
      loader = createStubCommands(context)
      send([hello])
      options.onStub()
    } else if (then.do === 'baud') options.onBaud(then.baud)
    else options.onBoot()
  }

  async function drain(): Promise<void> {
    working = true
    try {
      for (let frame = queue.shift(); frame && !signal.aborted; frame = queue.shift()) await work(frame)
    } catch (error) {
      if (!signal.aborted) options.onFailure(error)
    } finally {
      working = false
    }
  }

  return {
    inFrame: () => slip.open && slip.partial.length > 0,
    receive(bytes) {
      const result = decodeSlip(slip, bytes)
      slip = result.state
      queue.push(...result.frames)
      if (!working && queue.length > 0) void drain()
    },
  }
}

function onTheWire(frames: readonly Uint8Array[], noise: (() => Uint8Array) | undefined): Uint8Array {
  const parts = frames.flatMap((frame) => (noise ? [noise(), encodeSlip(frame)] : [encodeSlip(frame)]))
  return parts.length === 1 && parts[0] ? parts[0] : new Uint8Array(Buffer.concat(parts))
}

/** Fault `noise`: a few bytes that begin no frame, the same ones in each run. */
function createNoise(): () => Uint8Array {
  let seed = 0x2545f491
  const next = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed >>> 24
  }
  return () => Uint8Array.from({ length: 1 + (next() & 7) }, () => next() & 0x7f)
}
