import { AppError } from '../../base/app-error.ts'
import { pause } from '../../base/deadline.ts'
import { createFrameReader, decodeAnswer, findBootText } from './rom-protocol.ts'
import type { SerialLink } from './serial-link.ts'

/** What a reader makes of a frame; `other` is noise. */
export type Take = 'done' | 'more' | 'other'

/** Frames from a link, for one reader at a time. */
export interface FrameChannel {
  /** While on, a reset banner between frames fails the waiting reader with `flash-rebooted`. Turning it on forgets older text. */
  watchResets(on: boolean): void
  readonly noiseBytes: number
  /** Newest 2 kB that were no frame, as text. */
  noiseText(): string
  /** Hands on frames until `take` is done; `idleMs` is the longest silence. Throws `flash-timeout` and why the channel ended. */
  frames(what: string, idleMs: number, take: (frame: Uint8Array) => Take): Promise<void>
  /** Forgets what came so far, and what comes in `ms`. */
  discard(ms?: number): Promise<void>
  /** Throws when the job was cancelled. */
  check(): void
  /** Stops listening; a waiting reader fails as cancelled. */
  end(): void
}

interface Reader {
  accept(frame: Uint8Array): boolean
  fail(error: AppError): void
  /** Noise came where an answer was due: unless that comes within `ms`, the board restarted. */
  suspect(ms: number): void
}

const noiseKept = 2048
/** The ROM prints at 115200: at a higher speed its banner is unreadable bytes, and then nothing more comes. */
const suspiciousBytes = 24
const silenceAfterNoiseMs = 700

export function createFrameChannel(link: SerialLink, signal: AbortSignal): FrameChannel {
  const split = createFrameReader()
  const noise = createNoise()
  let watching = false
  let reader: Reader | undefined

  const off = link.onData((chunk) => {
    const known = noise.bytes()
    for (const frame of split.push(chunk)) {
      if (!reader?.accept(frame) && !decodeAnswer(frame)) noise.add(frame)
    }
    noise.count(split.takeDropped())
    if (!watching || !reader) return
    const reset = resetError(noise.text() + latin1(split.rest()))
    if (reset) reader.fail(reset)
    else if (noise.bytes() > known || split.rest().length > suspiciousBytes) reader.suspect(silenceAfterNoiseMs)
  })
  const onAbort = () => reader?.fail(cancelled())
  signal.addEventListener('abort', onAbort)
  link.onClosed(() => reader?.fail(new AppError('flash-unplugged', `${link.path} is gone: the board was unplugged`)))

  const check = () => {
    if (signal.aborted) throw cancelled()
  }
  const forget = () => {
    noise.add(split.rest())
    split.clear()
  }
  async function frames(what: string, idleMs: number, take: (frame: Uint8Array) => Take): Promise<void> {
    check()
    const waiting = createReader(take, { idleMs, late: () => lateError(link.path, what, idleMs) })
    reader = waiting
    try {
      await waiting.ended
    } finally {
      if (reader === waiting) reader = undefined
    }
  }

  return {
    watchResets(on) {
      if (on && !watching) noise.clearText()
      watching = on
    },
    get noiseBytes() {
      return noise.bytes()
    },
    noiseText: () => noise.text() + latin1(split.rest()),
    frames,
    async discard(ms = 0) {
      if (ms > 0) await pause(ms, signal)
      forget()
    },
    check,
    end() {
      off()
      signal.removeEventListener('abort', onAbort)
      forget()
      reader?.fail(cancelled())
    },
  }
}

function createReader(take: (frame: Uint8Array) => Take, limit: { idleMs: number; late(): AppError }) {
  const end = Promise.withResolvers<undefined>()
  let over = false
  let doubt: NodeJS.Timeout | undefined
  const timer = setTimeout(() => settle(limit.late()), limit.idleMs)
  function settle(error?: AppError): void {
    over = true
    clearTimeout(timer)
    clearTimeout(doubt)
    if (error) end.reject(error)
    else end.resolve(undefined)
  }
  return {
    ended: end.promise,
    accept(frame: Uint8Array): boolean {
      const taken = over ? 'other' : take(frame)
      if (taken === 'done') settle()
      else if (taken === 'more') timer.refresh()
      return taken !== 'other'
    },
    fail: settle,
    suspect(ms: number): void {
      if (!over) doubt ??= setTimeout(() => settle(unreadable()), ms)
    },
  }
}

function createNoise() {
  let text = ''
  let bytes = 0
  return {
    add(more: Uint8Array): void {
      bytes += more.length
      text = (text + latin1(more.subarray(-noiseKept))).slice(-noiseKept)
    },
    count: (more: number) => void (bytes += more),
    clearText: () => void (text = ''),
    text: () => text,
    bytes: () => bytes,
  }
}

function lateError(path: string, what: string, idleMs: number): AppError {
  return new AppError('flash-timeout', `${path}: no answer to ${what} within ${String(idleMs)} ms`)
}

function unreadable(): AppError {
  const message = 'Unreadable bytes came in place of an answer: the board restarted, or the line is bad'
  return new AppError('flash-rebooted', message)
}

/** ROM text inside a session means that the chip restarted (flashing.md §11 row 11). */
function resetError(text: string): AppError | null {
  // The last words of the firmware, at its own speed; the ROM's banner follows at 115200.
  if (text.includes('Brownout detector was triggered')) {
    return new AppError('flash-rebooted', 'The board restarted: brown-out, too little power on its USB port', {
      details: { reason: 'brown-out' },
    })
  }
  const boot = findBootText(text)
  if (!boot) return null
  const message = `The board restarted: ${boot.reason}, boot code 0x${boot.bootCode.toString(16)}`
  return new AppError('flash-rebooted', message, { details: { reason: boot.reason } })
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

function cancelled(): AppError {
  return new AppError(
    'flash-cancelled',
    'The flash job was cancelled; if it was writing, the board has to be flashed again',
  )
}
