import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import koffi from 'koffi'
import { AppError } from '../../base/app-error.ts'

/** A pseudo-terminal whose far end other programs open like a serial port (recipes-desktop-serial.md §1). */
export interface Pty {
  readonly path: string
  /** Queued and sent as fast as the peer reads; dropped while nobody has the port open. */
  write(bytes: Uint8Array): void
  /** The speed that the peer set; undefined while it has not touched it since it opened the port. */
  baud(): number | undefined
  /** Closes the master: for the peer that is a pulled cable. Idempotent. */
  close(): void
}

export interface PtyListener {
  opened(): void
  /** Reading goes on when the promise settles, at once without one. */
  data(bytes: Uint8Array): Promise<void> | undefined
  closed(): void
}

const linux = process.platform === 'linux'
const openCloseOnExec = linux ? 0o2000000 : 0x1000000
const duplicateCloseOnExec = linux ? 1030 : 67
const getTermios2 = 0x802c542a
const initialBaud = 115200
const initialSpeed = linux ? 0x1002 : initialBaud
const pollMs = 5
const pollIn = 0x1
const pollHangUp = 0x10
/** What a peer that does not read may leave waiting; more is lost, as on a wire. */
const outputLimit = 8 * 1024 * 1024

type Libc = ReturnType<typeof loadLibc>
let loaded: Libc | undefined

function loadLibc() {
  // Node itself is linked with the C library: no name of a library file is needed.
  const library = koffi.load(null)
  return {
    openpt: library.func('int posix_openpt(int flags)') as (flags: number) => number,
    grant: library.func('int grantpt(int fd)') as (fd: number) => number,
    unlock: library.func('int unlockpt(int fd)') as (fd: number) => number,
    name: library.func('int ptsname_r(int fd, _Out_ uint8_t *buf, size_t len)') as Name,
    getAttributes: library.func('int tcgetattr(int fd, _Out_ uint8_t *termios)') as Attributes,
    setAttributes: library.func('int tcsetattr(int fd, int when, uint8_t *termios)') as SetAttributes,
    makeRaw: library.func('void cfmakeraw(_Inout_ uint8_t *termios)') as (termios: Uint8Array) => void,
    setInput: library.func('int cfsetispeed(_Inout_ uint8_t *termios, unsigned long speed)') as Speed,
    setOutput: library.func('int cfsetospeed(_Inout_ uint8_t *termios, unsigned long speed)') as Speed,
    outputSpeed: library.func('unsigned long cfgetospeed(uint8_t *termios)') as (termios: Uint8Array) => number,
    poll: library.func('int poll(_Inout_ uint8_t *fds, unsigned long count, int ms)') as Poll,
    control: library.func('int fcntl(int fd, int command, ...)') as Variadic,
    ioctl: library.func('int ioctl(int fd, unsigned long request, ...)') as Variadic,
  }
}
type Name = (fd: number, name: Uint8Array, length: number) => number
type Attributes = (fd: number, termios: Uint8Array) => number
type SetAttributes = (fd: number, when: number, termios: Uint8Array) => number
type Speed = (termios: Uint8Array, speed: number) => number
type Poll = (fds: Uint8Array, count: number, ms: number) => number
type Variadic = (fd: number, request: number, ...typeAndValue: [string, unknown]) => number

/** Throws `chip-no-pty` where there are none (Windows), or when the system has no more. */
export function openPty(listener: PtyListener): Pty {
  const libc = libcOrThrow()
  const { master, path } = openMaster(libc)
  const setDefaults = () => setRawAt115200(libc, master, path)
  setDefaults()
  // Before the first open and close of the far end "nobody there" is not visible to poll().
  closeSync(openSync(path, constants.O_RDWR | constants.O_NOCTTY))

  let peer: ReadStream | undefined
  let timer: NodeJS.Timeout | undefined
  let speedWasSet = false
  let closed = false
  const output = createOutput(master)

  const look = () => {
    if (peerIsThere(libc, master)) attach()
  }

  function attach(): void {
    clearInterval(timer)
    speedWasSet = false
    const copy = libc.control(master, duplicateCloseOnExec, 'int', 0)
    const stream = new ReadStream(copy)
    peer = stream
    listener.opened()
    stream.on('data', (bytes: Buffer) => {
      const taken = listener.data(new Uint8Array(bytes))
      // Pausing costs a turn of the loop and two system calls: only for a wire that is slower than we are.
      if (!taken) return
      stream.pause()
      void taken.finally(() => stream.resume())
    })
    // A peer that closes shows as EIO; 'close' follows and destroys only the copy of the descriptor.
    stream.on('error', () => undefined)
    stream.on('end', () => stream.destroy())
    stream.on('close', () => {
      peer = undefined
      output.drop()
      if (closed) return
      setDefaults()
      listener.closed()
      timer = setInterval(look, pollMs)
    })
  }

  timer = setInterval(look, pollMs)
  return {
    path,
    write(bytes) {
      if (!closed && peer) output.write(bytes)
    },
    baud() {
      if (closed) return undefined
      const baud = currentBaud(libc, master)
      speedWasSet ||= baud !== initialBaud
      return speedWasSet ? baud : undefined
    },
    close() {
      if (closed) return
      closed = true
      clearInterval(timer)
      output.drop()
      peer?.destroy()
      closeSync(master)
    },
  }
}

/** Never through the tty stream: libuv writes to a PTY master blocking, and the whole process stops with the peer. */
function createOutput(master: number): { write(bytes: Uint8Array): void; drop(): void } {
  let queue: Uint8Array[] = []
  let queued = 0
  let retry: NodeJS.Timeout | undefined

  function drop(): void {
    queue = []
    queued = 0
    clearTimeout(retry)
    retry = undefined
  }

  function flush(): void {
    retry = undefined
    try {
      for (let chunk = queue[0]; chunk; chunk = queue[0]) {
        const written = writeSync(master, chunk)
        queued -= written
        if (written === chunk.length) queue.shift()
        else queue[0] = chunk.subarray(written)
      }
    } catch (error) {
      // Only "would block" is worth another try; anything else means that the peer is gone.
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') retry = setTimeout(flush, 1)
      else drop()
    }
  }

  return {
    write(bytes) {
      if (queued + bytes.length > outputLimit) return
      queue.push(bytes)
      queued += bytes.length
      if (!retry) flush()
    },
    drop,
  }
}

function libcOrThrow(): Libc {
  if (!linux && process.platform !== 'darwin') {
    throw new AppError('chip-no-pty', `This system (${process.platform}) has no pseudo-terminals`)
  }
  try {
    return (loaded ??= loadLibc())
  } catch (cause) {
    throw new AppError('chip-no-pty', 'The C library of this system cannot be called', { cause })
  }
}

function openMaster(libc: Libc): { master: number; path: string } {
  const { O_RDWR, O_NOCTTY, O_NONBLOCK } = constants
  const master = libc.openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | openCloseOnExec)
  if (master < 0) throw new AppError('chip-no-pty', 'The system gives no more pseudo-terminals')
  const name = new Uint8Array(128)
  if (libc.grant(master) !== 0 || libc.unlock(master) !== 0 || libc.name(master, name, name.length) !== 0) {
    closeSync(master)
    throw new AppError('chip-no-pty', 'The system does not hand out its pseudo-terminal')
  }
  return { master, path: Buffer.from(name.subarray(0, name.indexOf(0))).toString() }
}

/** On Linux the master's attributes are those of the far end; macOS wants the far end itself. */
function setRawAt115200(libc: Libc, master: number, path: string): void {
  const fd = linux ? master : openSync(path, constants.O_RDWR | constants.O_NOCTTY)
  try {
    const termios = new Uint8Array(128)
    libc.getAttributes(fd, termios)
    libc.makeRaw(termios)
    libc.setInput(termios, initialSpeed)
    libc.setOutput(termios, initialSpeed)
    libc.setAttributes(fd, 0, termios)
  } finally {
    if (fd !== master) closeSync(fd)
  }
}

/** TCGETS2 also tells speeds that have no name; its output speed is the word at 40. */
function currentBaud(libc: Libc, master: number): number {
  const termios = new Uint8Array(128)
  if (linux) {
    libc.ioctl(master, getTermios2, 'uint8_t *', termios)
    return new DataView(termios.buffer).getUint32(40, true)
  }
  libc.getAttributes(master, termios)
  return libc.outputSpeed(termios)
}

/** HUP with IN: a peer that opened, wrote and closed between two looks; its bytes belong to this session. */
function peerIsThere(libc: Libc, master: number): boolean {
  const request = new Uint8Array(8)
  const view = new DataView(request.buffer)
  view.setInt32(0, master, true)
  view.setInt16(4, pollIn, true)
  libc.poll(request, 1, 0)
  const seen = view.getInt16(6, true)
  return (seen & pollHangUp) === 0 || (seen & pollIn) !== 0
}
