/** A WASI world with arguments, one folder "/w" and one file that is written: no disk, no environment. */
export interface MemoryWasi {
  readonly imports: Readonly<Record<string, object>>
  /** Must be told the instance's memory before it runs. */
  attach(memory: WasmMemory): void
  /** All that was written. */
  written(): Uint8Array
}

/** What of a WebAssembly.Memory is used here: the types of Node have none. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
}

type Call = (...values: number[]) => number
/** Views are made anew for each call: memory that grew has another buffer. */
interface Heap {
  view(): DataView
  bytes(at: number, length: number): Uint8Array
}

const ok = 0
/** "Function not supported" for everything that a synthesiser has no business to ask. */
const notSupported = 52
const badDescriptor = 8
const folder = new TextEncoder().encode('/w')
const folderFd = 3
const fileFd = 4
const longestOutput = 64 * 1024 * 1024

/** `args` are read when the program starts, so they may be filled after it was made. proc_exit throws "exit CODE". */
export function createMemoryWasi(args: readonly string[]): MemoryWasi {
  let memory: WasmMemory | undefined
  const buffer = (): ArrayBuffer => {
    if (!memory) throw new Error('the program ran before its memory was known')
    return memory.buffer
  }
  const heap: Heap = {
    view: () => new DataView(buffer()),
    bytes: (at, length) => new Uint8Array(buffer(), at, length),
  }
  const file = createFile()
  const calls: Readonly<Record<string, unknown>> = {
    ...argumentCalls(heap, args),
    ...folderCalls(heap),
    ...fileCalls(heap, file),
    proc_exit(code: number) {
      throw new Error(`exit ${code}`)
    },
  }
  const table = new Proxy(calls, { get: (own, name: string) => own[name] ?? (() => notSupported), has: () => true })
  return {
    imports: { wasi_snapshot_preview1: table },
    attach: (own) => (memory = own),
    written: () => file.content(),
  }
}

function argumentCalls(heap: Heap, args: readonly string[]): Record<string, Call> {
  const encoder = new TextEncoder()
  const encoded = (): Uint8Array[] => args.map((arg) => encoder.encode(`${arg}\0`))
  const tell = (at: number, value: number): void => heap.view().setUint32(at, value, true)
  return {
    args_sizes_get(count = 0, size = 0) {
      const all = encoded()
      tell(count, all.length)
      tell(
        size,
        all.reduce((sum, arg) => sum + arg.length, 0),
      )
      return ok
    },
    args_get(pointers = 0, buffer = 0) {
      let at = buffer
      for (const [index, arg] of encoded().entries()) {
        tell(pointers + index * 4, at)
        heap.bytes(at, arg.length).set(arg)
        at += arg.length
      }
      return ok
    },
    environ_sizes_get(count = 0, size = 0) {
      tell(count, 0)
      tell(size, 0)
      return ok
    },
    environ_get: () => ok,
  }
}

function folderCalls(heap: Heap): Record<string, Call> {
  return {
    fd_prestat_get(fd = 0, out = 0) {
      if (fd !== folderFd) return badDescriptor
      heap.view().setUint32(out, 0, true)
      heap.view().setUint32(out + 4, folder.length, true)
      return ok
    },
    fd_prestat_dir_name(fd = 0, at = 0, length = 0) {
      if (fd !== folderFd) return badDescriptor
      heap.bytes(at, Math.min(length, folder.length)).set(folder.subarray(0, length))
      return ok
    },
    path_open(...values) {
      heap.view().setUint32(values[8] ?? 0, fileFd, true)
      return ok
    },
    fd_fdstat_get(fd = 0, out = 0) {
      heap.bytes(out, 24).fill(0)
      // 3 a folder, 4 a file; all rights.
      heap.view().setUint8(out, fd === folderFd ? 3 : 4)
      heap.view().setBigUint64(out + 8, 0xffff_ffffn, true)
      heap.view().setBigUint64(out + 16, 0xffff_ffffn, true)
      return ok
    },
  }
}

function fileCalls(heap: Heap, file: ReturnType<typeof createFile>): Record<string, unknown> {
  return {
    fd_write(...[fd = 0, vectors = 0, count = 0, out = 0]: number[]): number {
      let total = 0
      for (let index = 0; index < count; index++) {
        const length = heap.view().getUint32(vectors + index * 8 + 4, true)
        // What the program prints is not ours to read.
        if (fd === fileFd) file.write(heap.bytes(heap.view().getUint32(vectors + index * 8, true), length))
        total += length
      }
      heap.view().setUint32(out, total, true)
      return ok
    },
    fd_seek(...[fd, offset, whence, out]: [number, bigint, number, number]): number {
      if (fd !== fileFd) return badDescriptor
      heap.view().setBigUint64(out, BigInt(file.seek(Number(offset), whence)), true)
      return ok
    },
    fd_close: () => ok,
    clock_time_get(_id: number, _precision: bigint, out: number): number {
      heap.view().setBigUint64(out, BigInt(Date.now()) * 1_000_000n, true)
      return ok
    },
  }
}

function createFile() {
  let data = new Uint8Array(256 * 1024)
  let size = 0
  let at = 0
  return {
    write(piece: Uint8Array): void {
      const end = at + piece.length
      if (end > longestOutput) throw new Error('output is too long')
      if (end > data.length) {
        const grown = new Uint8Array(Math.min(longestOutput, Math.max(end, data.length * 2)))
        grown.set(data)
        data = grown
      }
      data.set(piece, at)
      at = end
      size = Math.max(size, end)
    },
    seek(offset: number, whence: number): number {
      const from = whence === 0 ? 0 : whence === 1 ? at : size
      at = Math.min(longestOutput, Math.max(0, from + offset))
      return at
    },
    content: () => data.slice(0, size),
  }
}
