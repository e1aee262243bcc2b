import { SerialPortStream } from '@serialport/stream'
import { SerialPort } from 'serialport'
import { AppError } from '../../base/app-error.ts'
import { pause, withDeadline } from '../../base/deadline.ts'
import { keepPollWishes } from './unix-poller.ts'

/** Where a port is opened: the system's own, or a virtual chip in this process. */
export type SerialBinding = ConstructorParameters<typeof SerialPortStream>[0]['binding']

export interface Lines {
  readonly dtr: boolean
  readonly rts: boolean
}

/** One open serial port. After it closed, every call rejects with `flash-unplugged`. */
export interface SerialLink {
  readonly path: string
  /** Resolves when the system took the bytes. */
  write(bytes: Uint8Array): Promise<void>
  /** Several may listen; in order of their coming. */
  onData(listener: (bytes: Uint8Array) => void): () => void
  /** Both lines at once. False when the port has none (a PTY): nothing moved then. */
  setLines(lines: Lines): Promise<boolean>
  setBaud(baud: number): Promise<void>
  /** Resolves when the bytes left the machine. */
  drain(): Promise<void>
  /** Idempotent, and over within 3 s whatever the driver does. */
  close(): Promise<void>
  /** Once, with true when it was not `close()` that did it. At once when it is closed already. */
  onClosed(listener: (unplugged: boolean) => void): void
}

export interface LinkOptions {
  readonly path: string
  readonly baud: number
  readonly binding?: SerialBinding
}

const closeLimitMs = 2000
/** How long a close waits for a write in flight: the native binding emits an error for one that it has to cancel. */
const lastWriteMs = 300

/** Throws `flash-port-not-found`, `flash-no-permission`, `flash-port-busy`. */
export async function openSerialLink(options: LinkOptions): Promise<SerialLink> {
  const port = new SerialPortStream({
    binding: options.binding ?? SerialPort.binding,
    path: options.path,
    baudRate: options.baud,
    autoOpen: false,
    // With hang-up on close the board would be reset by the kernel (flashing.md §9.1).
    hupcl: false,
  })
  const link = wrap(port, options.path)
  await done((callback) => port.open(callback)).catch((error: unknown) => {
    throw openError(options.path, error)
  })
  keepPollWishes(port.port)
  // Linux asserts both lines on opening; both released is idle too, and what the rest of the code assumes.
  await link.setLines({ dtr: false, rts: false })
  return link
}

/** Ports as the system lists them; throws when it cannot (no udevadm). */
export async function listSystemPorts() {
  return await SerialPort.list()
}

function wrap(port: SerialPortStream, path: string): SerialLink {
  const listeners = new Set<(bytes: Uint8Array) => void>()
  const closeListeners: ((unplugged: boolean) => void)[] = []
  const gone = Promise.withResolvers<never>()
  let ended: { unplugged: boolean } | undefined
  let closing: Promise<void> | undefined
  let writing: Promise<void> = Promise.resolve()
  let hasLines = true

  gone.promise.catch(() => undefined)
  // The native binding emits 'error' for a write that a close cancels, and 'close' twice on an unplug.
  port.on('error', () => undefined)
  port.on('data', (bytes: Uint8Array) => {
    for (const listener of listeners) listener(bytes)
  })
  port.on('close', () => end(closing === undefined))

  function end(unplugged: boolean): void {
    if (ended) return
    ended = { unplugged }
    gone.reject(unpluggedError(path))
    for (const listener of closeListeners) listener(unplugged)
    listeners.clear()
    port.destroy()
  }

  /** A call that fails because the cable went is told as that, whatever the driver says. */
  async function guarded(start: (callback: Callback) => void): Promise<void> {
    if (ended || closing) throw unpluggedError(path)
    await Promise.race([done(start), gone.promise])
  }

  async function shut(): Promise<void> {
    if (ended) return
    const written = new AbortController()
    await Promise.race([writing.catch(() => undefined), pause(lastWriteMs, written.signal)])
    written.abort()
    await closePort(port)
    end(false)
  }

  return {
    path,
    write(bytes) {
      writing = guarded((callback) => port.write(bytes, callback)).catch((error: unknown) => {
        throw error instanceof AppError ? error : unpluggedError(path, error)
      })
      return writing
    },
    onData(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async setLines({ dtr, rts }) {
      // An omitted flag would be raised by the library (flashing.md §3.1 row 2).
      const flags = { dtr, rts, brk: false, cts: false }
      if (hasLines) hasLines = await allowed(guarded((callback) => port.set(flags, callback)))
      return hasLines
    },
    setBaud: (baud) => guarded((callback) => port.update({ baudRate: baud }, callback)),
    drain: () => guarded((callback) => port.drain(callback)),
    close: () => (closing ??= shut()),
    onClosed(listener) {
      if (ended) listener(ended.unplugged)
      else closeListeners.push(listener)
    },
  }
}

/** What is still to be sent is thrown away: a close that waits for a board that does not read never ends. */
async function closePort(port: SerialPortStream): Promise<void> {
  await done((callback) => port.flush(callback)).catch(() => undefined)
  const closed = done((callback) => port.close(callback))
  await withDeadline(closed, closeLimitMs, { code: 'flash-timeout', message: 'The port does not close' }).catch(
    () => undefined,
  )
}

/** False when the driver refuses (a PTY has no modem lines); that the port is gone is thrown. */
async function allowed(call: Promise<void>): Promise<boolean> {
  try {
    await call
    return true
  } catch (error) {
    if (error instanceof AppError) throw error
    return false
  }
}

type Callback = (error?: Error | null) => void

function done(start: (callback: Callback) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => {
      if (error) reject(error)
      else resolve()
    })
  })
}

function unpluggedError(path: string, cause?: unknown): AppError {
  return new AppError('flash-unplugged', `${path} is gone: the board was unplugged`, { cause })
}

function openError(path: string, cause: unknown): AppError {
  const text = cause instanceof Error ? cause.message : String(cause)
  if (/no such|not found|ENOENT|ENXIO|ENODEV|not a typewriter|inappropriate/i.test(text)) {
    return new AppError('flash-port-not-found', `${path} does not exist or is no serial port`, { cause })
  }
  if (/permission|access|EACCES|EPERM/i.test(text)) {
    return new AppError('flash-no-permission', `${path} may not be opened by this user`, { cause })
  }
  return new AppError('flash-port-busy', `${path} is busy: another program holds it`, { cause })
}
